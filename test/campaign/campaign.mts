/** Runs cases of the fault campaign, and compares what the node reported with the sandbox's books. */
import type { IDataObject } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { type NodeRun, runNode } from '../engine/engine.mts';
import type { CampaignCase } from './cases.mts';

const cost = 10;
/** Slower than the node's timeout of a second, faster than it looks for an interrupted accept. */
const delay = 1500;

/** Runs the cases, so many at a time; most of their time they wait. */
export async function runCases(
	cases: CampaignCase[],
	atATime: number,
	onDone: (given: CampaignCase, wrong: string[]) => void,
): Promise<void> {
	const queue = cases.values();
	await Promise.all(
		Array.from({ length: atATime }, async () => {
			for (const given of queue) onDone(given, await runCase(given));
		}),
	);
}

/** What is wrong with the outcome of a case, in plain words; empty when all is well. */
async function runCase(given: CampaignCase): Promise<string[]> {
	const sandbox = await startSandbox({
		dialect: given.dialect,
		credits: (given.affordable + 1) * cost,
		limits: { perMinute: 1_000_000, perDay: 1_000_000 },
	});
	try {
		const accepted = sandbox.requestOffer({ cost });
		sandbox.accept(accepted.id);
		const offers = Array.from({ length: 4 }, () => sandbox.requestOffer({ cost }));
		// Without the check, one request for an offer that somebody else accepted is what the user asked for.
		const others = given.checkFirst ? [offers[0], accepted] : [offers[0]];
		const ids = [...offers, ...others].flatMap((offer) => offer?.id ?? []);
		addFaults(sandbox, given);
		const runs = await Promise.all(
			Array.from({ length: given.executions }, () => execute(sandbox, given, ids)),
		);
		return [...findWrong(sandbox, ids, runs, given)];
	} finally {
		await sandbox.close();
	}
}

function addFaults(sandbox: Sandbox, { fault, faultTimes, listFault }: CampaignCase): void {
	const path = '/api/exchanges';
	if (fault !== 'none') {
		sandbox.addFault({ kind: fault, method: 'POST', path, times: faultTimes, milliseconds: delay });
	}
	if (listFault !== 'none') {
		sandbox.addFault({ kind: listFault, method: 'GET', path, times: 6, milliseconds: delay });
	}
}

async function execute(sandbox: Sandbox, given: CampaignCase, ids: string[]): Promise<NodeRun> {
	const { checkFirst, retryUnconfirmed, retryOnFail } = given;
	return await runNode({
		credential: { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey },
		parameters: {
			resource: 'exchange',
			operation: 'accept',
			exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			options: { checkFirst, retryUnconfirmed, timeout: 1 },
		},
		items: ids.map((id) => ({ id })),
		onError: 'continueRegularOutput',
		...(retryOnFail && { retryOnFail: { maxTries: 3, waitBetweenTries: 0 } }),
	});
}

function* findWrong(
	sandbox: Sandbox,
	ids: string[],
	runs: NodeRun[],
	given: CampaignCase,
): Generator<string> {
	for (const id of new Set(ids)) {
		const paid = sandbox.books.acceptsOf(id);
		if (paid > 1) yield `${id} was paid ${paid} times`;
		const said = runs.flatMap(({ items }) => items.filter((_, index) => ids[index] === id));
		const claims = said.map(({ json }) => claimOf(json));
		if (paid === 0 && claims.includes('accepted')) {
			yield `${id} was reported as accepted, but never paid`;
		}
		// Of several executions, one may see "pending" before another accepts.
		if (paid > 0 && claims.every((claim) => claim === 'notAccepted')) {
			yield `${id} was paid, but reported as not accepted`;
		}
		if (claims.includes('nothing')) yield `${id} has neither an outcome nor an error`;
	}
	const ledger = sandbox.books.ledger().reduce((sum, { amount }) => sum + amount, 0);
	if (ledger !== sandbox.books.balance()) yield 'the ledger does not add up';

	for (const { items, error } of runs) {
		if (error) yield `the run ended with "${error.message}"`;
		if (items.length !== ids.length) yield `${ids.length} items went in, ${items.length} came out`;
		for (const [index, item] of items.entries()) {
			const paired = (item.pairedItem as { item: number } | undefined)?.item;
			if (paired !== index) yield `item ${index} is paired with ${String(paired)}`;
		}
	}
	const certain = given.fault === 'none' && given.listFault === 'none' && given.executions === 1;
	if (certain && given.affordable === 4) {
		const failed = runs
			.flatMap(({ items }) => items)
			.filter(({ json }) => json.error !== undefined);
		if (failed.length > 0) yield `without a fault, failed: ${JSON.stringify(failed[0]?.json)}`;
	}
}

/** What the node says of an exchange. */
function claimOf({
	outcome,
	error,
}: IDataObject): 'accepted' | 'notAccepted' | 'unknown' | 'nothing' {
	if (outcome === 'accepted' || outcome === 'alreadyAccepted') return 'accepted';
	const { message = '' } = (error ?? {}) as { message?: string };
	if (message === '') return 'nothing';
	return /was not accepted|not enough credits|does not know/.test(message)
		? 'notAccepted'
		: 'unknown';
}
