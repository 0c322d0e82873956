/** The way people verify a signature with the nodes that n8n brings along. */
import type {
	Connections,
	WorkflowFile,
	WorkflowNode,
} from '../../playground/n8n/workflowFiles.mts';

/** Webhook (at /webhook/<id>) → Crypto → If → nothing more. */
export function stockVerification(id: string, secret: string): WorkflowFile {
	return {
		id,
		name: id,
		nodes: [
			webhookNode(id),
			{
				id: `${id}-crypto`,
				name: 'Crypto',
				type: 'n8n-nodes-base.crypto',
				typeVersion: 1,
				position: [200, 0],
				parameters: {
					action: 'hmac',
					type: 'SHA256',
					value: '={{ JSON.stringify($json.body) }}',
					dataPropertyName: 'signature',
					secret,
					encoding: 'hex',
				},
			},
			{
				id: `${id}-if`,
				name: 'If',
				type: 'n8n-nodes-base.if',
				typeVersion: 2.2,
				position: [400, 0],
				parameters: {
					conditions: {
						options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
						conditions: [
							{
								id: 'same',
								leftValue: '={{ $json.signature }}',
								rightValue: '={{ $json.headers["x-pb-signature"] }}',
								operator: { type: 'string', operation: 'equals' },
							},
						],
						combinator: 'and',
					},
					options: {},
				},
			},
			endNode(id),
		],
		connections: { Webhook: to('Crypto'), Crypto: to('If'), If: to('End') },
		settings: { executionOrder: 'v1' },
	};
}

/** Webhook (at /webhook/<id>) → nothing more: it verifies nothing. */
export function bareWebhook(id: string): WorkflowFile {
	return {
		id,
		name: id,
		nodes: [webhookNode(id), endNode(id)],
		connections: { Webhook: to('End') },
		settings: { executionOrder: 'v1' },
	};
}

function webhookNode(id: string): WorkflowNode {
	return {
		id: `${id}-webhook`,
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2.1,
		position: [0, 0],
		parameters: { httpMethod: 'POST', path: id, options: {} },
	};
}

function endNode(id: string): WorkflowNode {
	const type = 'n8n-nodes-base.noOp';
	return { id: `${id}-end`, name: 'End', type, typeVersion: 1, position: [600, 0], parameters: {} };
}

function to(node: string): Connections {
	return { main: [[{ node, type: 'main', index: 0 }]] };
}
