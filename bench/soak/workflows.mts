/** The same work twice: with this package's nodes, and with those that n8n brings along. */
import type {
	Connections,
	WorkflowFile,
	WorkflowNode,
} from '../../playground/n8n/workflowFiles.mts';
import { stockVerification } from '../webhook/stockVerification.mts';

/** What both kinds are made of: what arrives, what is polled each minute, what is accepted, what is listed. */
type Name = 'receive' | 'poll' | 'accept' | 'lists';

const secondsBetween = { accept: 15, lists: 30 };

const httpRequest = 'n8n-nodes-base.httpRequest';

/** Whether the node works with the account. */
export function needsCredential({ type }: WorkflowNode): boolean {
	return type === httpRequest || type.startsWith('n8n-nodes-backlink-exchange.');
}

/** With this package: the webhook trigger, the polling trigger, and the action node. */
export function ourWorkflows(): WorkflowFile[] {
	const service = (name: string, resource: string, operation: string, more: object = {}) =>
		node(name, 'n8n-nodes-backlink-exchange.backlinkExchange', 1, {
			resource,
			operation,
			...more,
		});
	const events = [
		'exchange.accepted',
		'exchange.published',
		'exchange.requested',
		'watchdog.alert',
	];
	const trigger = (type: string, version: number, parameters: object) =>
		node('Start', `n8n-nodes-backlink-exchange.${type}`, version, {
			events,
			options: {},
			...parameters,
		});
	const someExchanges = { returnAll: false, limit: 50 };
	return [
		chain('receive', [trigger('backlinkExchangeTrigger', 2, {}), end]),
		chain('poll', [
			trigger('backlinkExchangePollingTrigger', 1, {
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
		node(name, httpRequest, 4.2, {
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
			node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'exchanges', options: {} }),
			node('Five', 'n8n-nodes-base.limit', 1, { maxItems: 5 }),
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

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown>,
): WorkflowNode {
	return { id: name, name, type, typeVersion, position: [0, 0], parameters };
}

const end = node('End', 'n8n-nodes-base.noOp', 1, {});

function every(unit: 'seconds' | 'minutes', count: number): WorkflowNode {
	const interval = [{ field: unit, [`${unit}Interval`]: count }];
	return node('Start', 'n8n-nodes-base.scheduleTrigger', 1.2, { rule: { interval } });
}

/** One node after the other. */
function chain(id: Name, nodes: WorkflowNode[]): WorkflowFile {
	const connections: Record<string, Connections> = {};
	for (const [index, { name }] of nodes.entries()) {
		const next = nodes[index + 1];
		if (next) connections[name] = { main: [[{ node: next.name, type: 'main', index: 0 }]] };
	}
	return { id, name: id, nodes, connections, settings: { executionOrder: 'v1' } };
}

/** All of them behind the first. */
function star(id: Name, start: WorkflowNode, nodes: WorkflowNode[]): WorkflowFile {
	const behind = nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }));
	return {
		id,
		name: id,
		nodes: [start, ...nodes],
		connections: { [start.name]: { main: [behind] } },
		settings: { executionOrder: 'v1' },
	};
}
