/** Account → Get Summary: what a weekly report says, and what it leaves out rather than guess. */
import { expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();
const day = 24 * 3_600_000;

test.each([
	['everything', 'all', 3],
	['only what is pending', 'pending-unless-filtered', 6],
] as const)('the last days, where a list without a status holds %s', async (_, list, requests) => {
	const { sandbox, run } = await testService({ credits: 100, dialect: { exchangeList: list } });
	const [old = '', accepted = '', live = '', broken = ''] = [1, 2, 3, 4].map(
		() => sandbox.requestOffer({ cost: 10 }).id,
	);
	sandbox.accept(old);
	await time.wait(8 * day);
	for (const id of [accepted, live, broken]) sandbox.accept(id);
	for (const id of [live, broken]) sandbox.publish(id);
	sandbox.breakLink(broken);
	sandbox.requestOffer();
	const [summary] = jsonOf(await run('account', 'getSummary'));
	const { earned } = summary as { earned: number };
	expect(summary).toMatchObject({
		days: 7,
		balance: sandbox.books.balance(),
		spent: 30,
		exchanges: { pending: 1, accepted: 2, live: 1, broken: 1 },
		accepted: 3,
		published: 2,
		alerts: { critical: 1 },
	});
	expect(summary?.message).toContain(
		`In the last 7 days: ${earned} credits earned, 30 spent, ${sandbox.books.balance()} left; 3 offers accepted, 2 links published. Exchanges now: 1 pending, 2 accepted, 1 live, 1 broken. Alerts: 1 critical`,
	);
	expect(sandbox.books.requests().length).toBe(requests);
});

/** A moment of the days that are reported. */
const lately = () => ({ created_at: new Date(Date.now() - 1000).toISOString() });
const account = { balance: 70, lifetime_earned: 100, lifetime_spent: 30 };

/** The summary of an account that answers in this way, so many days ahead. */
async function summaryOf(
	credits: object,
	exchanges: unknown = [],
	events: unknown = [],
	{ ahead = 0, ...more } = {},
) {
	const { run } = await localService((request, response) => {
		const { url = '' } = request;
		const list = url.includes('exchanges') ? { exchanges, ...more } : { events };
		const date = new Date(Date.now() + ahead * day).toUTCString();
		json(url.includes('credits') ? credits : list, { date })(request, response);
	});
	const result = await run('account', 'getSummary');
	const again = async () => jsonOf(await run('account', 'getSummary'))[0];
	return { ...result, summary: jsonOf(result)[0], again };
}

test('what was earned and spent is the sum of a ledger that fits', async () => {
	const ledger = [100, -30].map((amount) => ({ amount, ...lately() }));
	const { summary } = await summaryOf({ ...account, ledger });
	expect(summary).toMatchObject({ earned: 100, spent: 30 });
});

const noTime = () => ({});
test.each([
	['no ledger', undefined, noTime, {}],
	['entries without a time', [{ amount: 100 }, { amount: -30 }], noTime, {}],
	['amounts as texts', [{ amount: '100' }, { amount: '-30' }], lately, {}],
	['a text NaN', [{ amount: 'NaN' }], lately, {}],
	['unsigned amounts', [{ amount: 100 }, { amount: 30, type: 'debit' }], lately, {}],
	['huge amounts', [{ amount: 1e308 }, { amount: 1e308 }], lately, {}],
	['an entry twice', [{ amount: 100 }, { amount: -30 }, { amount: -30 }], lately, {}],
	['a part of the ledger', [{ amount: -30 }], lately, {}],
	['no sums', [{ amount: 100 }, { amount: -30 }], lately, { lifetime_spent: undefined }],
	['a ledger that goes on', [{ amount: 100 }, { amount: -30 }], lately, { has_more: true }],
])('%s: what was earned and spent is left out, not guessed', async (_, entries, time, more) => {
	const ledger = entries?.map((entry) => ({ ...entry, ...time() }));
	const { summary } = await summaryOf({ ...account, ledger, ...more });
	expect(summary).not.toHaveProperty('earned');
	expect(summary).not.toHaveProperty('spent');
	expect(summary?.message).toBe(
		'In the last 7 days: 70 credits left; 0 offers accepted, 0 links published. Exchanges now: 0 pending, 0 accepted, 0 live, 0 broken. Alerts: none',
	);
});

test('what happened is counted by the clock of the service, and left out where one does not show when', async () => {
	const ago = (days: number) => new Date(Date.now() - days * day).toISOString();
	const exchanges = [
		{ id: 1, status: 'accepted' },
		{ id: 2, status: 'live', published_at: ago(0) },
		{ id: 3, status: 'live', published_at: ago(6.5) },
	];
	const more = { ahead: 1, has_more: true };
	const { summary, again } = await summaryOf(account, exchanges, [], more);
	expect(summary).not.toHaveProperty('accepted');
	// By what the summary before has read, too, which nobody asks for again.
	expect(await again()).toEqual(summary);
	expect(summary?.message).toMatch(
		/^In the last 7 days: 70 credits left; 1 link published\. .*The list may be incomplete\.$/,
	);
});

test('what strangers wrote does no harm, a state that nobody knows is counted, and severities are bounded', async () => {
	const severities = [
		'<!channel>',
		'=cmd|x',
		'critical',
		...Array.from({ length: 50 }, (__, n) => `s${n}`),
	];
	const { summary } = await summaryOf(
		account,
		[
			{ id: 1, status: 'archived' },
			{ id: 1, status: 'archived' },
			{ id: 2, status: 'LIVE' },
		],
		severities.map((severity) => ({ exchange_id: 'x', severity, type: 't', detail: 'd' })),
	);
	expect(summary?.exchanges).toMatchObject({ live: 1, other: 1 });
	expect(summary?.message).not.toMatch(/[<>&@=|]/);
	expect(summary?.alerts).toMatchObject({ critical: 1, s4: 1, other: 45 });
	expect(Object.keys(summary?.alerts as object).length).toBe(9);
});

test('negative zero', async () => {
	const { summary } = await summaryOf({
		balance: -0,
		lifetime_earned: 0,
		lifetime_spent: 0,
		ledger: [{ amount: -0, ...lately() }],
	});
	expect(Object.is(summary?.spent, 0)).toBe(true);
	expect(summary?.message).not.toContain('-0');
});

test.each(['credits', 'exchanges', 'events'])('an error in a success of %s', async (place) => {
	const { run } = await localService((request, response) => {
		const denial = request.url?.includes(place) && { success: false };
		json({ ...account, exchanges: [], events: [], ...denial })(request, response);
	});
	const { error, items } = await run('account', 'getSummary');
	expect(items).toEqual([]);
	expect(error?.message).toContain('declined');
});

test.each(['exchanges', 'events'])('a list of %s that goes on unseen is said', async (place) => {
	const { run } = await localService((request, response) => {
		const more = request.url?.includes(place) && { has_more: true };
		json({ ...account, exchanges: [], events: [], ...more })(request, response);
	});
	const { items, hints } = await run('account', 'getSummary', { parameters: { days: 1 } });
	expect(items[0]?.json.message).toMatch(/^In the last day: 70 credits left/);
	expect(hints.map(({ message }) => message).join()).toContain('there are more results');
});

test('severities with names of Object.prototype, and an alert from before', async () => {
	const severities = ['__proto__', 'constructor', 'toString', -0, {}, null, '<>'];
	const before = { severity: 'critical', created_at: '2020-01-01T00:00:00Z' };
	const events = [...severities.map((severity) => ({ severity })), before];
	const { summary, error, hints } = await summaryOf(account, [], events);
	expect(hints).toEqual([]);
	expect(summary?.alerts).toHaveProperty('other', 3);
	expect(error?.message).toBeUndefined();
	expect(Object.values(summary?.alerts as object).reduce((a: number, b: number) => a + b, 0)).toBe(
		7,
	);
});
