/** The same work twice: with this package's nodes, and with those that n8n brings along. */
import type { WorkflowFile, WorkflowNode } from '../../playground/n8n/workflowFiles.mts';
import {
	chain,
	node,
	pushedEvents,
	serviceNode,
	to,
	triggerWorkflow,
} from '../../test/e2e/nodes.mts';
import { stockVerification } from '../webhook/stockVerification.mts';

const secondsBetween = { accept: 15, lists: 30 };

/** Whether the node works with the account. */
export function needsCredential({ type }: WorkflowNode): boolean {
	return type === 'n8n-nodes-base.httpRequest' || type.startsWith('n8n-nodes-backlink-exchange.');
}

/** With this package: the webhook trigger, the polling trigger, and the action node. */
export function ourWorkflows(): WorkflowFile[] {
	const service = (name: string, resource: string, operation: string, more: object = {}) => ({
		...serviceNode({ resource, operation, ...more }),
		name,
	});
	const someExchanges = { returnAll: false, limit: 50 };
	return [
		triggerWorkflow('receive'),
		chain('poll', [
			node('Start', 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger', 1, {
				events: pushedEvents,
				options: {},
				pollTimes: { item: [{ mode: 'everyMinute' }] },
			}),
			end,
		]),
		chain('accept', [
			every('seconds', secondsBetween.accept),
			service('Pending', 'exchange', 'getAll', { status: 'pending', returnAll: false, limit: 5 }),
			service('Accept', 'exchange', 'accept', {
				exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				options: { minimumBalance: 100, maxAccepts: 5 },
			}),
		]),
		star('lists', every('seconds', secondsBetween.lists), [
			service('Sites', 'site', 'getAll', someExchanges),
			service('Exchanges', 'exchange', 'getAll', { status: 'all', ...someExchanges }),
			service('Alerts', 'watchdogEvent', 'getAll', someExchanges),
			service('Balance', 'credit', 'getBalance'),
		]),
	];
}

/** With n8n's own nodes: Webhook, Crypto and If; Schedule Trigger, HTTP Request, Split Out and Limit. */
export function stockWorkflows(baseUrl: string, secret: string): WorkflowFile[] {
	const request = (name: string, method: string, path: string): WorkflowNode =>
		node(name, 'httpRequest', 4.2, {
			method,
			url: `${path.includes('{{') ? '=' : ''}${baseUrl}${path}`,
			authentication: 'genericCredentialType',
			genericAuthType: 'httpHeaderAuth',
			options: {},
		});
	return [
		stockVerification('receive', secret),
		chain('poll', [every('minutes', 1), request('Exchanges', 'GET', '/exchanges'), end]),
		chain('accept', [
			every('seconds', secondsBetween.accept),
			request('Pending', 'GET', '/exchanges?status=pending'),
			node('Items', 'splitOut', 1, { fieldToSplitOut: 'exchanges', options: {} }),
			node('Five', 'limit', 1, { maxItems: 5 }),
			request('Accept', 'POST', '/exchanges/{{ $json.id }}/accept'),
		]),
		star('lists', every('seconds', secondsBetween.lists), [
			request('Sites', 'GET', '/sites'),
			request('Exchanges', 'GET', '/exchanges'),
			request('Alerts', 'GET', '/watchdog/events'),
			request('Balance', 'GET', '/credits/balance'),
		]),
	];
}

const end = node('End', 'noOp', 1);

function every(unit: 'seconds' | 'minutes', count: number): WorkflowNode {
	const interval = [{ field: unit, [`${unit}Interval`]: count }];
	return node('Start', 'scheduleTrigger', 1.2, { rule: { interval } });
}

/** All of them behind the first. */
function star(id: string, start: WorkflowNode, nodes: WorkflowNode[]): WorkflowFile {
	const behind = to(...nodes.map(({ name }) => name));
	return { ...chain(id, [start, ...nodes]), connections: { [start.name]: behind } };
}
