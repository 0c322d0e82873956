/**
 * Random histories of accepts: several offers, sequential and concurrent executions, loops, second
 * tries, restarts, and simulated failures of the service.
 *
 * In all of them, the sandbox's books agree with the items.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { minute, post } from '../engine/action/acceptFixtures.mts';
import { processedData, reloadActionNode } from '../engine/engine.mts';
import { startTestService, type TestService } from '../engine/service.mts';
import { useVirtualTime } from '../engine/virtualTime.mts';

const time = useVirtualTime();
const histories = 150;
const minimumBalance = 40;
/** By the number of the offer; all different, so that a price shows its offer. */
const costs = [10, 9, 8, 7];
/** IDs that are alike as numbers, or without their letter case. */
const idKinds = ['exc_1', 'EXC_1', '1', '01', '9007199254740992', '9007199254740993', 'a/b c', 'ü'];

/** One execution: its offers and limits. */
const execution = fc.record({
	isAcceptMany: fc.boolean(),
	/** Offers by number, with possible duplicates. */
	offers: fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
	maxAccepts: fc.integer({ min: 1, max: 3 }),
	hasMinimum: fc.boolean(),
	maxPerDay: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
	maxTries: fc.constantFrom(undefined, 2),
	loopIterations: fc.constantFrom(1, 1, 2),
	cancelAfter: fc.option(fc.constantFrom(1, 700, 3000), { nil: undefined, freq: 5 }),
	continueOnFail: fc.boolean(),
});

const fault = fc.record({
	kind: fc.constantFrom(
		...(['cut-before-commit', 'cut-after-commit', 'delay-before-commit'] as const),
		...(['delay-after-commit', 'error-before-commit', 'error-after-commit'] as const),
		'malformed-json' as const,
	),
	target: fc.constantFrom(post, post, { method: 'GET' }),
	times: fc.constantFrom(1, 1, 2, 7),
	after: fc.nat(2),
	milliseconds: fc.constantFrom(500, 2000, 8000),
});

const step = fc.oneof(
	{ weight: 5, arbitrary: fc.array(execution, { minLength: 1, maxLength: 2 }) },
	{ weight: 4, arbitrary: fault },
	{ weight: 1, arbitrary: fc.constantFrom('restart' as const, 'minute' as const) },
	{ weight: 1, arbitrary: fc.nat(3).map((offer) => ({ elsewhere: offer })) },
);

type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Execution = ValueOf<typeof execution>;
type Step = ValueOf<typeof step>;

/** Two executions accept one offer. The first is canceled while its request is carried out. */
const canceledAccept = fc
	.record({ offer: fc.nat(3), first: execution, second: execution, fault })
	.map(({ offer, first, second, fault: { times } }): Step[] => [
		{ kind: 'delay-before-commit', target: post, times, after: 0, milliseconds: 8000 },
		[
			{ ...first, isAcceptMany: false, offers: [offer], cancelAfter: 700 },
			{ ...second, offers: [offer], cancelAfter: undefined },
		],
	]);

const history = fc.record({
	steps: fc
		.array(
			fc.oneof(
				{ weight: 6, arbitrary: step.map((each) => [each]) },
				{ weight: 2, arbitrary: canceledAccept },
			),
			{ minLength: 2, maxLength: 6 },
		)
		.map((parts) => parts.flat()),
	acceptAgain: fc.constantFrom(
		...(['409', '404', '422', '400', '200', 'charged', 'charged', 'charged'] as const),
	),
	credits: fc.constantFrom(1000, 75, 65),
	/** Of four offers from partners and two to partners. */
	ids: fc.shuffledSubarray(idKinds, { minLength: 6, maxLength: 6 }),
});

test(`${histories} random histories: pays once, claims only confirmed accepts, respects limits`, async () => {
	await fc.assert(
		fc.asyncProperty(history, async ({ steps, acceptAgain, credits, ids }) => {
			const ends: Array<() => Promise<void>> = [];
			const service = await startTestService({ dialect: { acceptAgain }, credits }, (end) => {
				ends.push(end);
			});
			try {
				await live(service, steps, ids);
			} finally {
				await Promise.all(ends.map((end) => end()));
			}
		}),
		{ numRuns: histories },
	);
}, 120_000);

async function live(service: TestService, steps: readonly Step[], allIds: readonly string[]) {
	const { sandbox } = service;
	const ids = allIds.slice(0, costs.length);
	const outgoingIds = allIds.slice(costs.length);
	sandbox.addSite({ url: 'https://your-site.example', niche: 'gardening' });
	for (const id of outgoingIds) sandbox.offerToPartner({ id });
	await processedData.clearAllProcessedItems();
	for (const [index, id] of ids.entries()) sandbox.requestOffer({ id, cost: costs[index] ?? 0 });
	let node = reloadActionNode();
	/** Whether this process has seen a price. */
	let isPriceKnown = false;
	for (const each of steps) {
		if (each === 'restart') {
			node = reloadActionNode();
			isPriceKnown = false;
		} else if (each === 'minute') await time.wait(minute);
		else if ('elsewhere' in each) {
			const id = ids[each.elsewhere] ?? '';
			if (sandbox.books.exchange(id).status === 'pending') sandbox.accept(id);
		} else if (Array.isArray(each)) {
			const before = getPaidOffers(service, ids);
			const askedBefore = new Map(ids.map((id) => [id, countAccepts(service, id)]));
			const runs = await Promise.all(each.map((one) => execute(service, ids, one, node)));
			// By then, canceled and timed-out requests have finished, too.
			await time.wait(10_000);
			const items = runs.flat();
			for (const id of outgoingIds) {
				expect(sandbox.books.requests({ exchangeId: id, method: 'POST' })).toEqual([]);
				expect(items.map((item) => item.id)).not.toContain(id);
			}
			check({ service, ids, executions: each, items, before, askedBefore, isPriceKnown });
			isPriceKnown ||= items.some(({ creditsSpent }) => creditsSpent !== undefined);
		} else sandbox.addFault({ ...each, ...each.target });
	}
}

/** Counts the accepts of an offer that the service received and didn't reject. */
function countAccepts({ sandbox }: TestService, exchangeId: string): number {
	const requests = sandbox.books.requests({ exchangeId, method: 'POST' });
	return requests.filter(({ status = 200 }) => status < 400 || status >= 500).length;
}

function getPaidOffers({ sandbox }: TestService, ids: string[]): string[] {
	for (const id of ids) expect(sandbox.books.acceptCount(id)).toBeLessThanOrEqual(1);
	return ids.filter((id) => sandbox.books.acceptCount(id) === 1);
}

async function execute(
	{ accept, acceptMany }: TestService,
	ids: string[],
	one: Execution,
	actionNode: ReturnType<typeof reloadActionNode>,
): Promise<IDataObject[]> {
	const {
		maxTries,
		loopIterations,
		cancelAfter,
		continueOnFail,
		maxAccepts,
		maxPerDay,
		hasMinimum,
	} = one;
	const more = {
		...{ actionNode, loopIterations, mode: 'trigger' as const, continueOnFail },
		...(maxTries !== undefined && { maxTries }),
		...(cancelAfter !== undefined && { cancelAfter }),
	};
	const minimum = hasMinimum ? { minimumBalance } : {};
	const { run } = one.isAcceptMany
		? await acceptMany(
				{ maxAccepts, options: { ...minimum, ...(maxPerDay && { maxPerDay }), timeout: 3 } },
				more,
			)
		: await accept(
				one.offers.map((offer) => ids[offer] ?? ''),
				{ maxAccepts, ...minimum, timeout: 3 },
				more,
			);
	const tasks = run.data.resultData.runData['Backlink Exchange'] ?? [];
	return tasks.flatMap(({ data }) => data?.main?.[0]?.map(({ json }) => json) ?? []);
}

interface CheckedStep {
	service: TestService;
	ids: string[];
	executions: Execution[];
	/** Output items of all executions. */
	items: IDataObject[];
	/** Offers that were paid before. */
	before: string[];
	/** Accepts per offer before. */
	askedBefore: ReadonlyMap<string, number>;
	isPriceKnown: boolean;
}

function check({
	service,
	ids,
	executions,
	items,
	before,
	askedBefore,
	isPriceKnown,
}: CheckedStep) {
	const after = getPaidOffers(service, ids);
	const paid = after.filter((id) => !before.includes(id));
	const itemsWith = (outcome: string) => items.filter((item) => item.outcome === outcome);
	for (const { id, creditsSpent } of itemsWith('accepted')) {
		expect(after).toContain(id);
		if (creditsSpent !== undefined) expect(creditsSpent).toBe(costs[ids.indexOf(id as string)]);
	}
	if (executions.length === 1) {
		// An execution sends one accept per offer, unless it was rejected.
		for (const id of ids) {
			expect(countAccepts(service, id) - (askedBefore.get(id) ?? 0)).toBeLessThan(2);
		}
		for (const { id } of [...itemsWith('failed'), ...itemsWith('skipped')]) {
			expect(paid).not.toContain(id);
		}
	}
	const limits = executions.map(({ isAcceptMany, maxAccepts, maxPerDay = Infinity }) =>
		isAcceptMany ? Math.min(maxAccepts, maxPerDay) : maxAccepts,
	);
	expect(paid.length).toBeLessThanOrEqual(limits.reduce((sum, limit) => sum + limit, 0));
	const isPerDay = executions.every(
		({ isAcceptMany, maxPerDay }) => isAcceptMany && maxPerDay !== undefined,
	);
	if (isPerDay && paid.length > 0) {
		const maxPerDay = Math.max(...executions.map(({ maxPerDay = 0 }) => maxPerDay));
		expect(after.length).toBeLessThanOrEqual(maxPerDay);
	}
	const keepsMinimumBalance = executions.every(({ hasMinimum }) => hasMinimum) && isPriceKnown;
	if (keepsMinimumBalance && paid.length > 0) {
		expect(service.sandbox.books.balance()).toBeGreaterThanOrEqual(
			minimumBalance - (Math.max(...costs) - Math.min(...costs)),
		);
	}
}
