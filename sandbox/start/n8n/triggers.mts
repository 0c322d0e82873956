import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { WorkflowNode } from './workflowFiles.mts';

const webhookType = 'n8n-nodes-backlink-exchange.backlinkExchangeWebhookTrigger';
/** The last part of the trigger's addresses, as the node describes its webhook. */
const path = 'webhook';

/** A webhook trigger of this package in a saved workflow. */
export interface FoundTrigger {
	/** Name of the workflow. */
	workflow: string;
	/** Name of the node. */
	trigger: string;
	/** Whether n8n listens on the production URL. */
	isPublished: boolean;
	productionUrl: string;
	/** n8n listens on it only while somebody waits for a test event in the editor. */
	testUrl: string;
}

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
							workflow: String(name),
							trigger: node.name,
							isPublished: registered !== undefined,
							productionUrl: `${this.#origin}/webhook/${typeof registered === 'string' ? registered : address}`,
							testUrl: `${this.#origin}/webhook-test/${address}`,
						};
					}),
			);
	}

	close(): void {
		this.#database.close();
	}
}
