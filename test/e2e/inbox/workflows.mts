/** The event inbox as the tests run it, and a workflow for it to hand on to. */
import {
	readWorkflow,
	type WorkflowFile,
	type WorkflowNode,
} from '../../../playground/n8n/workflowFiles.mts';

export const inboxId = 'event-inbox';

export interface InboxOptions {
	/** Values for the node Settings. */
	settings?: Record<string, unknown>;
	/** Whether the polling trigger looks, every minute (n8n allows no less); otherwise it is switched off. */
	polls: boolean;
	/** Seconds between two looks for what is to be tried again. */
	clockSeconds: number;
	/** The end of the webhook's address. */
	webhookId: string;
	id?: string;
}

/** The ready-made workflow; only its settings and how often it looks are changed, so that a test need not wait for hours. */
export function inboxWorkflow(options: InboxOptions): WorkflowFile {
	const workflow = { ...readWorkflow('event-inbox'), id: options.id ?? inboxId };
	const webhook = nodeOf(workflow, 'At once, by webhook');
	webhook.webhookId = options.webhookId;
	// The trigger would leave out what it has just seen; here the inbox has to notice it.
	webhook.parameters.options = { deduplicate: 0 };
	const polling = nodeOf(workflow, 'What was missed, by polling') as WorkflowNode & {
		disabled?: boolean;
	};
	polling.parameters.pollTimes = { item: [{ mode: 'everyMinute' }] };
	polling.disabled = !options.polls;
	nodeOf(workflow, 'Every 5 minutes').parameters.rule = {
		interval: [{ field: 'seconds', secondsInterval: options.clockSeconds }],
	};
	changeSettings(workflow, options.settings ?? {});
	return workflow;
}

/** A workflow that is called with an event and writes it into the books; the called workflow fails when they refuse. */
export function receiver(id: string, booksUrl: string): WorkflowFile {
	const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
		id: `${id}-${name}`,
		name,
		type: `n8n-nodes-base.${type}`,
		typeVersion,
		position: [0, 0],
		parameters: parameters as Record<string, unknown>,
	});
	const call = `={{ { eventKey: $json.eventKey, workflow: '${id}', row: $json.inbox.row, try: $json.inbox.try } }}`;
	const request = { method: 'POST', url: booksUrl, sendBody: true, specifyBody: 'json' };
	return {
		id,
		name: id,
		nodes: [
			node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
			node('Books', 'httpRequest', 4.2, { ...request, jsonBody: call, options: {} }),
		],
		connections: { Called: { main: [[{ node: 'Books', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	};
}

function nodeOf(workflow: WorkflowFile, name: string): WorkflowNode {
	const node = workflow.nodes.find((each) => each.name === name);
	if (node === undefined) throw new Error(`the workflow has no node "${name}"`);
	return node;
}

/** @throws when the node Settings has no such setting */
function changeSettings(workflow: WorkflowFile, values: Record<string, unknown>): void {
	const { assignments } = nodeOf(workflow, 'Settings').parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	for (const [name, value] of Object.entries(values)) {
		const setting = assignments.find((each) => each.name === name);
		if (setting === undefined) throw new Error(`there is no setting "${name}"`);
		setting.value = value;
	}
}
