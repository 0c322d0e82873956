/**
 * A service that answers with well-formed nonsense: whatever it says, an operation ends with a result or a plain error,
 * and does not go round in circles. Accepts meet it in the campaign, with everything else that can happen to them.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../sandbox/faults.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { type NodeRun, runNode } from '../engine/engine.mts';
import { Poller } from '../engine/polling/poller.mts';
import { crash } from '../plainWords.mts';

export interface Target {
	/** Method and path of the endpoint whose answers are nonsense. */
	endpoint: string;
	fault: Pick<Fault, 'method' | 'path'>;
	act: (sandbox: Sandbox, pollers: WeakMap<Sandbox, Poller>) => Promise<Deed>;
}

/** What one run did, as its user sees it. */
export interface Deed {
	items: IDataObject[];
	error: Error | undefined;
	/** What is wrong about it by the sandbox's books. */
	wrong: string[];
}

/** Requests for one item, however odd the answers. */
const mostRequests = 60;
/** After this many runs a new sandbox takes over, so that lists stay short. */
const runsPerSandbox = 100;

const operation = (resource: string, name: string, parameters: INodeParameters = {}) => {
	return async (sandbox: Sandbox): Promise<Deed> =>
		deedOf(await run(sandbox, { resource, operation: name, ...parameters }), []);
};

export const targets: Target[] = [
	{
		endpoint: 'GET /sites',
		fault: { method: 'GET', path: '/api/sites' },
		act: operation('site', 'getAll', { returnAll: true }),
	},
	{
		endpoint: 'POST /sites',
		fault: { method: 'POST', path: '/api/sites' },
		act: async (sandbox) => {
			const url = `https://${crypto.randomUUID()}.example`;
			const node = await run(sandbox, { resource: 'site', operation: 'create', url, niche: 'x' });
			const sites = sandbox.books.requests().filter(({ method }) => method === 'POST').length;
			return deedOf(node, sites > 0 ? [] : ['nothing was sent']);
		},
	},
	{
		endpoint: 'GET /exchanges',
		fault: { method: 'GET', path: '/api/exchanges' },
		act: operation('exchange', 'getAll', { returnAll: true, status: 'all' }),
	},
	{
		endpoint: 'GET /exchanges, for a single one',
		fault: { method: 'GET', path: '/api/exchanges' },
		act: async (sandbox) => {
			const { id } = sandbox.requestOffer({ cost: 1 });
			const exchangeId = { __rl: true, mode: 'id', value: id };
			const node = await run(sandbox, { resource: 'exchange', operation: 'get', exchangeId });
			const isAnother = node.items.some(({ json }) => json.id !== id);
			return deedOf(node, isAnother ? ['another exchange came out'] : []);
		},
	},
	{
		endpoint: 'GET /exchanges, polled',
		fault: { method: 'GET', path: '/api/exchanges' },
		act: poll,
	},
	{
		endpoint: 'GET /credits/balance',
		fault: { method: 'GET', path: '/api/credits' },
		act: operation('credit', 'getBalance', { simplify: true }),
	},
	{
		endpoint: 'GET /credits/balance, ledger',
		fault: { method: 'GET', path: '/api/credits' },
		act: operation('credit', 'getLedger', { returnAll: true }),
	},
	{
		endpoint: 'GET /watchdog/events',
		fault: { method: 'GET', path: '/api/watchdog' },
		act: operation('watchdogEvent', 'getAll', { returnAll: true }),
	},
	{
		endpoint: 'GET /watchdog/events, polled',
		fault: { method: 'GET', path: '/api/watchdog' },
		act: poll,
	},
];

export interface Result {
	/** Nonsensical answers that the service gave. */
	answers: number;
	/** How often the run said so, or asked for something else after it; in the others the answer could still be understood. */
	noticed: number;
	/** In plain words, with the seed that repeats it. */
	contradictions: string[];
}

/** Lets the target meet nonsense until it has had the given number of such answers. */
export async function meetNonsense(target: Target, answers: number, seed: number): Promise<Result> {
	const result: Result = { answers: 0, noticed: 0, contradictions: [] };
	for (let round = 0; result.answers < answers; round += 1) {
		const sandbox = await startSandbox({
			seed: 'chaos',
			credits: 1_000_000,
			limits: { perMinute: 1_000_000, perDay: 1_000_000 },
		});
		const pollers = new WeakMap<Sandbox, Poller>();
		try {
			let before = 0;
			for (let each = 0; each < runsPerSandbox && result.answers < answers; each += 1) {
				const faultSeed = seed + round * runsPerSandbox + each;
				sandbox.clearFaults();
				sandbox.addFault({ kind: 'nonsense', times: 1e6, seed: faultSeed, ...target.fault });
				const deed = await target.act(sandbox, pollers);
				const requests = sandbox.books.requests();
				const asked = requests.slice(before);
				before = requests.length;
				result.answers += asked.filter(({ fault }) => fault === 'nonsense').length;
				const wentOn = asked.at(-1)?.fault !== 'nonsense';
				if (deed.error !== undefined || wentOn) result.noticed += 1;
				const wrong = [...deed.wrong, ...unclear(deed)];
				if (asked.length > mostRequests) wrong.push(`${asked.length} requests`);
				result.contradictions.push(
					...wrong.map((what) => `${target.endpoint}, seed ${faultSeed}: ${what}`),
				);
			}
		} finally {
			await sandbox.close();
		}
	}
	return result;
}

/** What is said in a way that no user should read. */
export function unclear({ items, error }: Deed): string[] {
	const wrong: string[] = [];
	for (const { error: shown, ...rest } of items) {
		if (shown !== undefined && crash.test(JSON.stringify(shown))) wrong.push(JSON.stringify(shown));
		if (typeof rest.eventKey === 'string' && crash.test(rest.eventKey)) wrong.push(rest.eventKey);
	}
	if (error === undefined) return wrong;
	const { name, message } = error;
	const description = 'description' in error ? String(error.description) : '';
	if (name !== 'NodeApiError' && name !== 'NodeOperationError') wrong.push(`${name}: ${message}`);
	if (crash.test(message) || crash.test(description)) wrong.push(`${message} ${description}`);
	if (description === '') wrong.push(`without a description: ${message}`);
	return wrong;
}

function run(sandbox: Sandbox, parameters: INodeParameters): Promise<NodeRun> {
	return runNode({
		credential: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey },
		parameters: { options: {}, ...parameters },
	});
}

function deedOf({ items, error }: NodeRun, wrong: string[]): Deed {
	return { items: items.map(({ json }) => json), error, wrong };
}

async function poll(sandbox: Sandbox, pollers: WeakMap<Sandbox, Poller>): Promise<Deed> {
	const poller =
		pollers.get(sandbox) ?? new Poller({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
	const started = pollers.has(sandbox);
	pollers.set(sandbox, poller);
	sandbox.requestOffer({ cost: 1 });
	sandbox.alert();
	try {
		return { items: await (started ? poller.poll() : poller.start()), error: undefined, wrong: [] };
	} catch (error) {
		// One that never began begins again; n8n does the same.
		if (!started) pollers.delete(sandbox);
		return { items: [], error: error as Error, wrong: [] };
	}
}
