/** Builders for test workflows: nodes that n8n knows, and connections between them. */
import type { WorkflowFile, WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';

const own = 'n8n-nodes-backlink-exchange';

/** Events that the service delivers. */
const pushedEvents = [
	'exchange.accepted',
	'exchange.published',
	'exchange.requested',
	'watchdog.alert',
];

/**
 * Creates a node.
 *
 * @param type one of n8n's basic nodes if it contains no package
 * @param more further fields, such as its credentials
 */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown> = {},
	more: Partial<WorkflowNode> = {},
): WorkflowNode {
	const id = crypto.randomUUID();
	const wholeType = type.includes('.') ? type : `n8n-nodes-base.${type}`;
	return { id, name, type: wholeType, typeVersion, position: [0, 0], parameters, ...more };
}

/** Creates the action node. */
export function serviceNode(parameters: Record<string, unknown>): WorkflowNode {
	return node('Service', `${own}.backlinkExchange`, 1, parameters);
}

/** Creates connections to nodes. */
export function to(...names: string[]): WorkflowFile['connections'][string] {
	return { main: [names.map((name) => ({ node: name, type: 'main', index: 0 }))] };
}

/** Creates a workflow with these nodes in a row, from left to right. */
export function chain(id: string, chained: WorkflowNode[], settings: object = {}): WorkflowFile {
	const nodes = chained.map((each, index): WorkflowNode => ({
		...each,
		position: [index * 200, 0],
	}));
	const names = nodes.map(({ name }) => name);
	const links = names.slice(1).map((name, index) => [names[index], to(name)]);
	const connections = Object.fromEntries(links) as WorkflowFile['connections'];
	return { id, name: id, nodes, connections, settings: { executionOrder: 'v1', ...settings } };
}

/** Creates a workflow that starts on a request to /webhook/<id>, whose body is a list of items. */
export function onRequest(id: string, parameters: Record<string, unknown>): WorkflowFile {
	const webhook = { httpMethod: 'POST', path: id, responseMode: 'onReceived', options: {} };
	return chain(id, [
		node('Request', 'webhook', 2, webhook, { webhookId: id }),
		node('Items', 'splitOut', 1, { fieldToSplitOut: 'body', options: {} }),
		serviceNode(parameters),
	]);
}

/** Creates a workflow with the webhook trigger and one node after it. */
export function triggerWorkflow(id: string, parameters: object = {}): WorkflowFile {
	const all = { events: pushedEvents, options: {}, ...parameters };
	return chain(id, [
		node('Trigger', `${own}.backlinkExchangeWebhookTrigger`, 2, all),
		node('End', 'noOp', 1),
	]);
}
