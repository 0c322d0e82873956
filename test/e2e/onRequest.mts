import type { WorkflowFile } from '../../playground/n8n/workflowFiles.mts';

/** A workflow that is started by a request to /webhook/<id>, whose body is a list of items. */
export function onRequest(id: string, parameters: Record<string, unknown>): WorkflowFile {
	const position = [0, 0];
	const node = (name: string, type: string, typeVersion: number, own: Record<string, unknown>) => ({
		id: `${id}-${name}`,
		name,
		type,
		typeVersion,
		position,
		parameters: own,
	});
	const webhook = { httpMethod: 'POST', path: id, responseMode: 'onReceived' };
	const split = { fieldToSplitOut: 'body', options: {} };
	return {
		id,
		name: id,
		nodes: [
			{
				...node('Request', 'n8n-nodes-base.webhook', 2, { ...webhook, options: {} }),
				webhookId: id,
			},
			node('Items', 'n8n-nodes-base.splitOut', 1, split),
			node('Service', 'n8n-nodes-backlink-exchange.backlinkExchange', 1, parameters),
		],
		connections: {
			Request: { main: [[{ node: 'Items', type: 'main', index: 0 }]] },
			Items: { main: [[{ node: 'Service', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	};
}
