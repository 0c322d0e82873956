/** A signature check with n8n's built-in nodes, as users build it. */
import type { WorkflowFile } from '../../sandbox/start/n8n/workflowFiles.mts';
import { chain, node } from '../e2e/nodes.mts';

const end = node('End', 'noOp', 1);
const webhook = (id: string) =>
	node('Webhook', 'webhook', 2.1, { httpMethod: 'POST', path: id, options: {} });

/** Creates a workflow: Webhook (at /webhook/<id>) → Crypto → If, with nothing after it. */
export function stockVerification(id: string, secret: string): WorkflowFile {
	const hmac = {
		...{ action: 'hmac', type: 'SHA256', encoding: 'hex', secret },
		...{ value: '={{ JSON.stringify($json.body) }}', dataPropertyName: 'signature' },
	};
	const isSame = {
		id: 'same',
		leftValue: '={{ $json.signature }}',
		rightValue: '={{ $json.headers["x-pb-signature"] }}',
		operator: { type: 'string', operation: 'equals' },
	};
	const options = { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 };
	const conditions = { options, conditions: [isSame], combinator: 'and' };
	return chain(id, [
		webhook(id),
		node('Crypto', 'crypto', 1, hmac),
		node('If', 'if', 2.2, { conditions, options: {} }),
		end,
	]);
}

/** Creates a workflow with only a Webhook node (at /webhook/<id>), which verifies nothing. */
export function bareWebhook(id: string): WorkflowFile {
	return chain(id, [webhook(id), end]);
}
