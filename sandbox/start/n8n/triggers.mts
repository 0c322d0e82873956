import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import type { TriggerAddress } from '../../webhookReceiver.mts';
import type { WorkflowNode } from './workflowFiles.mts';

const webhookType = 'n8n-nodes-backlink-exchange.backlinkExchangeWebhookTrigger';
/** The last part of the trigger's addresses, as the node describes its webhook. */
const path = 'webhook';

/** A webhook trigger of this package in a saved workflow. */
export type FoundTrigger = TriggerAddress & { workflowId: string };

/**
 * What n8n has, read from its database, because there it is what n8n really listens on.
 *
 * @param origin n8n's address
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

	/** The names of the published workflows. */
	published(): string[] {
		return this.#database
			.prepare('SELECT name FROM workflow_entity WHERE active = 1 ORDER BY name')
			.all()
			.map(({ name }) => String(name));
	}

	/** Every webhook trigger of this package in a workflow that is saved, the newest workflow first. */
	triggers(): FoundTrigger[] {
		const listening = this.#database.prepare(
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
						const address = `${node.webhookId ?? ''}/${path}`;
						const registered = listening.get(String(id), node.name)?.webhookPath;
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
	 * The production URL of a workflow's trigger. n8n activates its workflows shortly after it is up, so this waits for some seconds.
	 *
	 * @returns undefined when the workflow is not published (any more)
	 */
	async webhookUrl(workflowId: string, signal: AbortSignal): Promise<string | undefined> {
		for (let attempt = 0; attempt < 100; attempt++) {
			const found = this.triggers().find((each) => each.workflowId === workflowId);
			// The database may still have it from n8n's last run; the trigger answers GET once it really listens.
			if (found?.isPublished) {
				const answer = await fetch(found.productionUrl, { signal });
				await answer.body?.cancel();
				if (answer.ok) return found.productionUrl;
			}
			await sleep(200, undefined, { signal });
		}
		return undefined;
	}

	close(): void {
		this.#database.close();
	}
}
