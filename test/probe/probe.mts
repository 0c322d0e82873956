/**
 * Sends each GET request to a service, and reports the response and how the nodes parse it, in
 * n8n's real engine.
 */
import { createRequire } from 'node:module';

import type { IDataObject } from 'n8n-workflow';

import { createNodeRunner } from '../engine/nodeRunner.mts';
import { describeForm, shapeOfBody } from './shape.mts';

/** A GET below the base URL, and the operations that parse its response. */
interface Question {
	path: string;
	operations: Array<[resource: string, operation: string, parameters?: Record<string, string>]>;
}

const questions: Question[] = [
	{ path: '/sites', operations: [['site', 'getAll']] },
	{ path: '/exchanges', operations: [['exchange', 'getAll']] },
	...['pending', 'accepted', 'live', 'broken'].map((status) => ({
		path: `/exchanges?status=${status}`,
		operations: [['exchange', 'getAll', { status }]] as Question['operations'],
	})),
	{
		path: '/credits/balance',
		operations: [
			['credit', 'getBalance'],
			['credit', 'getLedger'],
		],
	},
	{ path: '/watchdog/events', operations: [['watchdogEvent', 'getAll']] },
];

/** The built modules: Node.js can't resolve the imports of their sources. */
const requireBuilt = createRequire(new URL('../../dist/nodes/shared/api/', import.meta.url));
const { Exchange } = requireBuilt(
	'./exchange.js',
) as typeof import('../../nodes/shared/api/exchange.ts');
const { OwnSites } = requireBuilt(
	'../sites/ownSites.js',
) as typeof import('../../nodes/shared/sites/ownSites.ts');

const patience = 30_000;

/**
 * Sends the requests one after the other.
 *
 * @param print writes one line
 * @returns whether the nodes understood every response
 */
export async function probe(
	baseUrl: string,
	apiKey: string,
	print: (line: string) => void,
): Promise<boolean> {
	const { run } = createNodeRunner({ baseUrl, apiKey });
	let areParsed = true;
	const records = new Map<string, IDataObject[]>();
	for (const { path, operations } of questions) {
		print(`GET ${path}`);
		print(`  came:   ${await describeResponse(`${baseUrl}${path}`, apiKey)}`);
		for (const [resource, operation, filter] of operations) {
			const parameters = { returnAll: true, filters: filter };
			const { items, error, hints } = await run(resource, operation, { parameters });
			const [first] = items;
			const fields = first === undefined ? '' : `, each with ${describeFields(first.json)}`;
			const made = error === undefined ? `${items.length} items${fields}` : `✗ ${error.message}`;
			print(
				`  nodes:  ${resource} ${operation}: ${[made, ...hints.map(({ message }) => message)].join('; ')}`,
			);
			areParsed &&= error === undefined;
			const found = items.map(({ json }) => json);
			if (error === undefined) records.set(path, found);
		}
	}
	print('GET /sites and GET /exchanges');
	print(`  directions: ${countDirections(records.get('/sites'), records.get('/exchanges'))}`);
	const summary = await run('account', 'getSummary', { parameters: { days: 7 } });
	print(`account getSummary: ${summary.error?.message ?? 'understood'}`);
	return areParsed && summary.error === undefined;
}

/** Counts the exchanges that the nodes read as incoming and as outgoing. */
function countDirections(
	sites: IDataObject[] | undefined,
	exchanges: IDataObject[] | undefined,
): string {
	if (sites === undefined || exchanges === undefined) {
		return 'unknown, because the sites or exchanges could not be read';
	}
	const ownSites = new OwnSites(sites);
	const parsed = exchanges.map((record) => Exchange.parse([record], ownSites));
	const outgoing = parsed.filter(({ direction }) => direction === 'outgoing').length;
	const unrecognized = parsed.filter(({ hasOwnSite }) => !hasOwnSite).length;
	return `${parsed.length - outgoing} incoming, ${outgoing} outgoing; ${unrecognized} with neither end among your sites, counted as incoming`;
}

/**
 * Describes status, shape of the body and rate limit headers of a response.
 *
 * Redirects aren't followed, because the key must not go to another host.
 */
async function describeResponse(url: string, apiKey: string): Promise<string> {
	try {
		const answer = await fetch(url, {
			headers: { authorization: `Bearer ${apiKey}` },
			redirect: 'manual',
			signal: AbortSignal.timeout(patience),
		});
		const headers = ['x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after', 'link', 'date']
			.map((name) => [name, answer.headers.get(name)] as const)
			.filter(([, value]) => value !== null)
			.map(([name, value]) => `${name}: ${describeForm(value ?? '')}`);
		const shape = shapeOfBody(await answer.text());
		return [`${answer.status}, ${shape}`, ...headers].join('; ');
	} catch (error) {
		const cause = error instanceof Error ? (error.cause ?? error) : error;
		const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
		return `no answer (${code ?? (cause instanceof Error ? cause.name : 'unknown')})`;
	}
}

function describeFields(item: object): string {
	const names = Object.keys(item).filter((name) => /^[A-Za-z]+(_[A-Za-z]+)*$/.test(name));
	return names.join(', ') || 'no field';
}
