import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import type { TriggerAddress } from '../../webhookReceiver.mts';
import type { WorkflowNode } from './workflowFiles.mts';

const webhookType = 'n8n-nodes-backlink-exchange.backlinkExchangeWebhookTrigger';
/** Last segment of the webhook's path, as the node's description has it. */
const webhookPath = 'webhook';

/** A webhook trigger of this package in a saved workflow. */
export type FoundTrigger = TriggerAddress & { workflowId: string };

/**
 * Workflows of a running n8n.
 *
 * They are read from its database, which shows the webhooks that n8n has registered.
 *
 * @param origin URL of n8n
 */
export class WorkflowsInN8n {
	readonly #database: DatabaseSync;
	readonly #origin: string;

	constructor(userFolder: string, origin: string) {
		this.#origin = origin;
		this.#database = new DatabaseSync(join(userFolder, '.n8n', 'database.sqlite'), {
			readOnly: true,
			timeout: 5000,
		});
	}

	/** Returns the names of the published workflows. */
	published(): string[] {
		return this.#database
			.prepare('SELECT name FROM workflow_entity WHERE active = 1 ORDER BY name')
			.all()
			.map(({ name }) => String(name));
	}

	/** Returns the webhook triggers in saved workflows, newest workflow first. */
	triggers(): FoundTrigger[] {
		const registrations = this.#database.prepare(
			"SELECT webhookPath FROM webhook_entity WHERE workflowId = ? AND node = ? AND method = 'POST'",
		);
		return this.#database
			.prepare(
				'SELECT id, name, nodes FROM workflow_entity WHERE isArchived = 0 ORDER BY updatedAt DESC',
			)
			.all()
			.flatMap(({ id, name, nodes }) =>
				(JSON.parse(String(nodes)) as WorkflowNode[])
					.filter((node) => node.type === webhookType && node.webhookId !== undefined)
					.map((node): FoundTrigger => {
						const address = `${node.webhookId ?? ''}/${webhookPath}`;
						const registered = registrations.get(String(id), node.name)?.webhookPath;
						return {
							workflowId: String(id),
							workflow: String(name),
							trigger: node.name,
							isPublished: registered !== undefined,
							productionUrl: `${this.#origin}/webhook/${typeof registered === 'string' ? registered : address}`,
							testUrl: `${this.#origin}/webhook-test/${address}`,
						};
					}),
			);
	}

	/**
	 * Waits for the production URL of a workflow's trigger: n8n activates workflows some seconds
	 * after it is up.
	 *
	 * @returns `undefined` if the workflow isn't published
	 */
	async webhookUrl(workflowId: string, signal: AbortSignal): Promise<string | undefined> {
		for (let attempt = 0; attempt < 100; attempt++) {
			const found = this.triggers().find((each) => each.workflowId === workflowId);
			// The registration may remain from n8n's last run. The trigger answers GET as soon as it
			// listens.
			if (found?.isPublished) {
				const response = await fetch(found.productionUrl, { signal });
				await response.body?.cancel();
				if (response.ok) return found.productionUrl;
			}
			await sleep(200, undefined, { signal });
		}
		return undefined;
	}

	close(): void {
		this.#database.close();
	}
}
