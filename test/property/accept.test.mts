/**
 * Random histories of accepts: several offers on sites with paths, rules, statuses that change,
 * sequential and concurrent executions, loops, second tries, restarts, and simulated failures of
 * the service.
 *
 * In all of them, the sandbox's books agree with the items, and requests are sent only for offers
 * that are pending, incoming and allowed. What is allowed is computed here, from the parts of each
 * site, without the code of the node.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { acceptEndpoint, minute } from '../engine/action/acceptFixtures.mts';
import { processedData, reloadActionNode } from '../engine/engine.mts';
import { startTestService, type TestService } from '../engine/service.mts';
import { useVirtualTime } from '../engine/virtualTime.mts';
import {
	arbitraryRules,
	arbitraryRuleSets,
	arbitrarySites,
	getRuleParameters,
	isAllowed,
	isOutgoing,
	type Rules,
	toText,
	toUrl,
} from './sites.mts';

const time = useVirtualTime();
const histories = 150;
const minimumBalance = 40;
/** By the number of the offer; all different, so that a price shows its offer. */
const costs = [10, 9, 8, 7];
/** IDs that are alike as numbers, or without their letter case. */
const idKinds = ['exc_1', 'EXC_1', '1', '01', '9007199254740992', '9007199254740993', 'a/b c', 'ü'];

/** Statuses of an exchange that nobody has accepted: offers, closed ones, and one without any. */
const pendingStatuses = ['pending', 'PENDING', 'Pending'];
const otherStatuses = ['declined', 'Expired', 'withdrawn by partner', 'pending review', ''];

/** An exchange that gets another status. If it is accepted, only the letter case changes. */
const statusChange = fc.record({
	changed: fc.nat(3),
	status: fc.constantFrom(...pendingStatuses, ...otherStatuses, ...otherStatuses),
	/** Milliseconds after the beginning of the step. */
	after: fc.constantFrom(0, 300, 1000, 4000),
});

/** One execution: its offers, rules and limits. */
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
	rules: arbitraryRules,
});

const fault = fc.record({
	kind: fc.constantFrom(
		...(['cut-before-commit', 'cut-after-commit', 'delay-before-commit'] as const),
		...(['delay-after-commit', 'error-before-commit', 'error-after-commit'] as const),
		'malformed-json' as const,
	),
	target: fc.constantFrom<{ method: string; path?: string }>(acceptEndpoint, acceptEndpoint, {
		method: 'GET',
	}),
	times: fc.constantFrom(1, 1, 2, 7),
	after: fc.nat(2),
	/** The last one is later than the timeout of a request. */
	milliseconds: fc.constantFrom(500, 2000, 8000, 35_000),
});

const step = fc.oneof(
	{ weight: 5, arbitrary: fc.array(execution, { minLength: 1, maxLength: 2 }) },
	{ weight: 4, arbitrary: fault },
	{ weight: 1, arbitrary: fc.constantFrom('restart' as const, 'minute' as const) },
	{ weight: 1, arbitrary: fc.nat(3).map((offer) => ({ elsewhere: offer })) },
	{ weight: 3, arbitrary: statusChange },
);

type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;
type Execution = ValueOf<typeof execution>;
type Step = ValueOf<typeof step>;
type Sites = ValueOf<typeof arbitrarySites>;

/** Two executions accept one offer. The first is canceled while its request is carried out. */
const canceledAccept = fc
	.record({ offer: fc.nat(3), first: execution, second: execution, fault })
	.map(({ offer, first, second, fault: { times } }): Step[] => [
		{ kind: 'delay-before-commit', target: acceptEndpoint, times, after: 0, milliseconds: 8000 },
		[
			{ ...first, isAcceptMany: false, offers: [offer], cancelAfter: 700 },
			{ ...second, offers: [offer], cancelAfter: undefined },
		],
	]);

/** An offer gets another status after the list was sent, and before it arrives. */
const changedMeanwhile = fc
	.record({ offer: fc.nat(3), one: execution, change: statusChange })
	.map(({ offer, one, change }): Step[] => [
		{
			...{ kind: 'delay-after-commit', times: 1, after: 0, milliseconds: 2000 },
			target: { method: 'GET', path: '/api/exchanges' },
		},
		{ ...change, changed: offer, after: 1000 },
		[{ ...one, offers: [offer], cancelAfter: undefined }],
	]);

/** An offer gets another status between two executions that fetch the list. */
const changedBetween = fc
	.record({ offer: fc.nat(3), first: execution, second: execution, change: statusChange })
	.map(({ offer, first, second, change }): Step[] => [
		[{ ...first, cancelAfter: undefined }],
		{ ...change, changed: offer, after: 0 },
		[{ ...second, isAcceptMany: false, offers: [offer], cancelAfter: undefined }],
	]);

const history = fc.record({
	steps: fc
		.array(
			fc.oneof(
				{ weight: 6, arbitrary: step.map((each) => [each]) },
				{ weight: 2, arbitrary: canceledAccept },
				{ weight: 2, arbitrary: changedMeanwhile },
				{ weight: 2, arbitrary: changedBetween },
			),
			{ minLength: 2, maxLength: 6 },
		)
		.map((parts) => parts.flat()),
	dryRuns: arbitraryRuleSets,
	lastRules: arbitraryRules,
	sites: arbitrarySites,
	dialect: fc.record({
		accept: fc.constantFrom('200-record', '200-record', '204-empty', '202-record', '202-pending'),
		acceptAgain: fc.constantFrom(
			...(['409', '404', '422', '400', '200', 'charged', 'charged', 'charged'] as const),
		),
		charge: fc.constantFrom('on-accept', 'on-accept', 'seconds-later', 'when-live'),
	}),
	credits: fc.constantFrom(1000, 75, 65),
	/** Of four offers from partners and two to partners. */
	ids: fc.shuffledSubarray(idKinds, { minLength: 6, maxLength: 6 }),
});

/** The sandbox confirms an accept with the variant 202-pending within this time. */
const confirmationMs = 5000;

test(`${histories} random histories: pays once, claims only confirmed accepts, respects rules and limits`, async () => {
	await fc.assert(
		fc.asyncProperty(history, async ({ dialect, credits, ...rest }) => {
			const ends: Array<() => Promise<void>> = [];
			const service = await startTestService({ dialect, credits }, (end) => {
				ends.push(end);
			});
			try {
				await live(service, rest);
			} finally {
				await Promise.all(ends.map((end) => end()));
			}
		}),
		{ numRuns: histories },
	);
}, 240_000);

/** The exchanges of a history, and what it tracks of them. */
class Account {
	readonly service: TestService;
	readonly ids: string[];
	readonly sites: Sites;
	/** Exchanges that had a pending status at any time of this step. */
	#pendingInStep = new Set<string>();

	constructor(service: TestService, ids: string[], sites: Sites) {
		this.service = service;
		this.ids = ids;
		this.sites = sites;
	}

	/** Returns the exchanges that the list shows as offers to accept. */
	getPending(): string[] {
		const { books } = this.service.sandbox;
		return this.ids.filter((id) => books.exchange(id).status.toLowerCase() === 'pending');
	}

	beginStep(): void {
		this.#pendingInStep = new Set(this.getPending());
	}

	/** Gives an exchange another status. Of an accepted one, only the letter case changes. */
	change({ changed, status }: { changed: number; status: string }): void {
		const { sandbox } = this.service;
		const id = this.ids[changed] ?? '';
		sandbox.setStatus(id, sandbox.books.acceptCount(id) > 0 ? 'ACCEPTED' : status);
		for (const each of this.getPending()) this.#pendingInStep.add(each);
	}

	/** Returns whether the offer is incoming, so that it can be accepted. */
	isIncoming(id: string): boolean {
		const ends = this.sites.offers[this.ids.indexOf(id)];
		return ends !== undefined && !isOutgoing(ends, this.sites.own);
	}

	/** Returns whether an execution may send a request for an offer in this step. */
	maySend(id: string, { isAcceptMany, offers, rules }: Execution): boolean {
		const number = this.ids.indexOf(id);
		const ends = this.sites.offers[number];
		if (ends === undefined || !this.#pendingInStep.has(id) || !this.isIncoming(id)) return false;
		return isAcceptMany ? isAllowed(ends, rules, this.sites.own) : offers.includes(number);
	}
}

async function live(
	service: TestService,
	{
		steps,
		ids: allIds,
		sites,
		dryRuns,
		lastRules,
	}: Omit<ValueOf<typeof history>, 'dialect' | 'credits'>,
) {
	const { sandbox } = service;
	const ids = allIds.slice(0, costs.length);
	const outgoingIds = allIds.slice(costs.length);
	const account = new Account(service, ids, sites);
	for (const site of sites.own) sandbox.addSite({ url: toUrl(site), niche: 'gardening' });
	for (const id of outgoingIds) {
		sandbox.offerToPartner({ id, toSite: 'https://partner.example/' });
	}
	await processedData.clearAllProcessedItems();
	for (const [index, id] of ids.entries()) {
		const ends = sites.offers[index];
		if (ends === undefined) throw new Error('A history has as many ends as offers.');
		const { from, to, anchor } = ends;
		const names = { fromSite: toText(from), toSite: toText(to) };
		const text = `best ${anchor.spelling} guide`;
		sandbox.requestOffer({ id, cost: costs[index] ?? 0, anchor: text, ...names });
	}
	for (const rules of dryRuns) await checkDryRun(account, rules);
	let node = reloadActionNode();
	let changes: Array<ValueOf<typeof statusChange>> = [];
	const delays = steps.map((each) =>
		typeof each === 'object' && 'milliseconds' in each ? each.milliseconds : 0,
	);
	for (const each of steps) {
		if (each === 'restart') {
			node = reloadActionNode();
		} else if (each === 'minute') await time.wait(minute);
		else if ('elsewhere' in each) {
			const id = ids[each.elsewhere] ?? '';
			const isOffer = account.getPending().includes(id) && account.isIncoming(id);
			// An accepted offer may still be listed as pending.
			if (isOffer && sandbox.books.acceptCount(id) === 0) sandbox.accept(id);
			// Nothing can show an accept elsewhere before the service confirms it.
			if (sandbox.settings.dialect.accept === '202-pending') await time.wait(confirmationMs);
		} else if ('changed' in each) {
			if (each.after === 0) account.change(each);
			else changes.push(each);
		} else if (Array.isArray(each)) {
			const before = getPaidOffers(service, ids);
			const askedBefore = new Map(ids.map((id) => [id, countAccepts(service, id)]));
			const sentBefore = new Map(ids.map((id) => [id, countSent(service, id)]));
			account.beginStep();
			for (const change of changes) {
				setTimeout(() => {
					account.change(change);
				}, change.after);
			}
			const runs = await Promise.all(each.map((one) => execute(account, one, node)));
			// By then, canceled and timed-out requests have finished, too, and the list shows them.
			await time.wait(Math.max(10_000, ...delays.map((delay) => delay + confirmationMs)));
			const items = runs.flat();
			for (const id of outgoingIds) {
				expect(sandbox.books.requests({ exchangeId: id, method: 'POST' })).toEqual([]);
				expect(items.map(getItemId)).not.toContain(id);
			}
			for (const id of ids) {
				if (countSent(service, id) === sentBefore.get(id)) continue;
				// Nothing is sent for an offer that is closed or outgoing, or that no rules allow.
				expect(each.map((one) => account.maySend(id, one))).toContain(true);
			}
			changes = [];
			check({ service, ids, executions: each, items, before, askedBefore });
		} else sandbox.addFault({ ...each, ...each.target });
	}
	await checkLastExecution(account, lastRules, node);
}

/** Checks which offers the rules allow, while all of them are pending. */
async function checkDryRun({ service, ids, sites }: Account, rules: Rules) {
	// A manual execution returns every decision.
	const { decisions } = await service.acceptMany(
		{ dryRun: true, maxAccepts: ids.length, ...getRuleParameters(rules, sites.own) },
		{ mode: 'manual' },
	);
	const wouldAccept = decisions.filter(({ outcome }) => outcome === 'wouldAccept');
	const expected = ids.filter((_, index) => {
		const ends = sites.offers[index];
		return ends && !isOutgoing(ends, sites.own) && isAllowed(ends, rules, sites.own);
	});
	expect(wouldAccept.map(getItemId)).toEqual(expected);
}

/** Accepts all that the rules allow, without failures of the service and limits. */
async function checkLastExecution(
	account: Account,
	rules: Rules,
	node: ReturnType<typeof reloadActionNode>,
) {
	const { service, ids } = account;
	const { sandbox } = service;
	sandbox.clearFaults();
	await time.wait(2 * minute);
	account.beginStep();
	const before = getPaidOffers(service, ids);
	const balance = sandbox.books.balance();
	const one: Execution = {
		...{ isAcceptMany: true, offers: [], maxAccepts: ids.length, rules },
		...{ hasMinimum: false, maxPerDay: undefined, maxTries: undefined },
		...{ loopIterations: 1, cancelAfter: undefined, continueOnFail: false },
	};
	const allowed = ids.filter((id) => account.maySend(id, one));
	const items = await execute(account, one, node);
	const paid = getPaidOffers(service, ids).filter((id) => !before.includes(id));
	expect(paid).toEqual(allowed);
	const accepted = items.filter(({ outcome }) => outcome === 'accepted');
	expect(accepted.map(getItemId)).toEqual(paid);
	const spent = accepted.reduce((sum, { creditsSpent = 0 }) => sum + Number(creditsSpent), 0);
	if (isChargedAtOnce(service)) expect(spent).toBe(balance - sandbox.books.balance());
	else expect(spent).toBeLessThanOrEqual(getTotalCost(service, ids));
	// A closed exchange is neither an offer nor an error.
	for (const id of ids) {
		const isClosed = !['', 'pending', 'accepted'].includes(
			sandbox.books.exchange(id).status.toLowerCase(),
		);
		if (isClosed) expect(items.map(getItemId)).not.toContain(id);
	}
}

function getItemId({ exchangeId }: IDataObject): unknown {
	return exchangeId;
}

/** Counts the requests to accept an offer that the service received. */
function countSent({ sandbox }: TestService, exchangeId: string): number {
	return sandbox.books.requests({ exchangeId, method: 'POST' }).length;
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
	{ service: { accept, acceptMany }, ids, sites }: Account,
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
				{
					...{ maxAccepts, ...getRuleParameters(one.rules, sites.own) },
					limits: { ...minimum, ...(maxPerDay && { maxPerDay }) },
				},
				more,
			)
		: await accept(
				one.offers.map((offer) => ids[offer] ?? ''),
				{ maxAccepts, ...minimum },
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
}

function check({ service, ids, executions, items, before, askedBefore }: CheckedStep) {
	const after = getPaidOffers(service, ids);
	const paid = after.filter((id) => !before.includes(id));
	const itemsWith = (outcome: string) => items.filter((item) => item.outcome === outcome);
	for (const { creditsSpent, ...item } of itemsWith('accepted')) {
		const id = getItemId(item);
		expect(after).toContain(id);
		// An offer that is charged later may show the cost of the one before.
		if (creditsSpent !== undefined && isChargedAtOnce(service)) {
			expect(creditsSpent).toBe(costs[ids.indexOf(id as string)]);
		}
	}
	if (executions.length === 1) {
		// An execution sends one accept per offer, unless it was rejected.
		for (const id of ids) {
			expect(countAccepts(service, id) - (askedBefore.get(id) ?? 0)).toBeLessThan(2);
		}
		// An offer that comes twice may be skipped at first.
		const accepted = itemsWith('accepted').map(getItemId);
		for (const item of [...itemsWith('failed'), ...itemsWith('skipped')]) {
			expect(paid.filter((id) => !accepted.includes(id))).not.toContain(getItemId(item));
		}
	}
	const limits = executions.map(({ isAcceptMany, maxAccepts, maxPerDay = Infinity }) =>
		isAcceptMany ? Math.min(maxAccepts, maxPerDay) : maxAccepts,
	);
	expect(paid.length).toBeLessThanOrEqual(limits.reduce((sum, limit) => sum + limit, 0));
	const isPerDay = executions.every(
		// With Your Sites, only the offers for these sites count.
		({ isAcceptMany, maxPerDay, rules }) =>
			isAcceptMany && maxPerDay !== undefined && rules.chosen.length === 0,
	);
	if (isPerDay && paid.length > 0) {
		const maxPerDay = Math.max(...executions.map(({ maxPerDay = 0 }) => maxPerDay));
		expect(after.length).toBeLessThanOrEqual(maxPerDay);
	}
	if (executions.every(({ hasMinimum }) => hasMinimum) && paid.length > 0) {
		// An offer that isn't charged within ten seconds is the last one of its execution.
		if (service.sandbox.settings.dialect.charge === 'when-live') {
			expect(paid.length).toBeLessThanOrEqual(executions.length);
		}
		// Otherwise, at most one offer crosses the minimum.
		else {
			expect(service.sandbox.books.balance()).toBeGreaterThanOrEqual(
				minimumBalance - Math.max(...costs),
			);
		}
	}
}

/** Whether the balance shows the cost of an offer as soon as it is accepted. */
function isChargedAtOnce({ sandbox }: TestService): boolean {
	const { accept, charge } = sandbox.settings.dialect;
	return charge === 'on-accept' && accept !== '202-pending';
}

/** Credits that the accepted offers cost, whether they are charged yet or not. */
function getTotalCost({ sandbox }: TestService, ids: string[]): number {
	return ids.reduce((sum, id) => sum + sandbox.books.creditsSpentOn(id), 0);
}
