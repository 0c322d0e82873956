/**
 * A service that answers with well-formed nonsense: whatever it says, an operation ends with a result or a plain error,
 * and does not go round in circles. Accepts meet it in the campaign, with everything else that can happen to them.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { runNode } from '../engine/engine.mts';
import { Poller } from '../engine/polling/poller.mts';
import { crash } from '../plainWords.mts';

/** An endpoint whose answers are nonsense, and who asks it. */
export interface Target {
	endpoint: string;
	method: string;
	path: string;
	/** Parameters of an operation; without them, the polling trigger asks. */
	asks?: INodeParameters;
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

const all = { returnAll: true };
const exchanges = { method: 'GET', path: '/api/exchanges' };
const credits = { method: 'GET', path: '/api/credits' };
const watchdog = { method: 'GET', path: '/api/watchdog' };

export const targets: Target[] = [
	{
		endpoint: 'GET /sites',
		...{ method: 'GET', path: '/api/sites' },
		asks: { resource: 'site', operation: 'getAll', ...all },
	},
	{
		endpoint: 'POST /sites',
		...{ method: 'POST', path: '/api/sites' },
		asks: { resource: 'site', operation: 'create', niche: 'x' },
	},
	{
		endpoint: 'GET /exchanges',
		...exchanges,
		asks: { resource: 'exchange', operation: 'getAll', ...all, status: 'all' },
	},
	{
		endpoint: 'GET /exchanges, for a single one',
		...exchanges,
		asks: { resource: 'exchange', operation: 'get' },
	},
	{ endpoint: 'GET /exchanges, polled', ...exchanges },
	{
		endpoint: 'GET /credits/balance',
		...credits,
		asks: { resource: 'credit', operation: 'getBalance', simplify: true },
	},
	{
		endpoint: 'GET /credits/balance, ledger',
		...credits,
		asks: { resource: 'credit', operation: 'getLedger', ...all },
	},
	{
		endpoint: 'GET /watchdog/events',
		...watchdog,
		asks: { resource: 'watchdogEvent', operation: 'getAll', ...all },
	},
	{ endpoint: 'GET /watchdog/events, polled', ...watchdog },
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
		const poll = pollsOf(sandbox);
		try {
			let before = 0;
			for (let each = 0; each < runsPerSandbox && result.answers < answers; each += 1) {
				const faultSeed = seed + round * runsPerSandbox + each;
				sandbox.clearFaults();
				const { method, path, asks } = target;
				sandbox.addFault({ kind: 'nonsense', times: 1e6, seed: faultSeed, method, path });
				const deed = asks === undefined ? await poll() : await ask(sandbox, asks);
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

/** Runs an operation, about an offer or a site of its own. */
async function ask(sandbox: Sandbox, asks: INodeParameters): Promise<Deed> {
	const { id } = sandbox.requestOffer({ cost: 1 });
	const exchangeId = { __rl: true, mode: 'id', value: id };
	const url = `https://${crypto.randomUUID()}.example`;
	const { items, error } = await runNode({
		credential: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey },
		parameters: { options: {}, exchangeId, url, ...asks },
	});
	const isAnother = asks.operation === 'get' && items.some(({ json }) => json.id !== id);
	const wrong = isAnother ? ['another exchange came out'] : [];
	if (sandbox.books.requests().length === 0) wrong.push('nothing was sent');
	return { items: items.map(({ json }) => json), error, wrong };
}

/** Polls again and again, each time with a new offer and a new alert. */
function pollsOf(sandbox: Sandbox): () => Promise<Deed> {
	const begun = () => new Poller({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
	let poller = begun();
	let isStarted = false;
	return async () => {
		sandbox.requestOffer({ cost: 1 });
		sandbox.alert();
		try {
			const items = await (isStarted ? poller.poll() : poller.start());
			isStarted = true;
			return { items, error: undefined, wrong: [] };
		} catch (error) {
			// One that never began begins again; n8n does the same.
			if (!isStarted) poller = begun();
			return { items: [], error: error as Error, wrong: [] };
		}
	};
}
