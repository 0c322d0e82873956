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

test.each([
	[[100, -30], account, { earned: 100, spent: 30 }],
	[[-0], { balance: -0, lifetime_earned: 0, lifetime_spent: 0 }, { earned: 0, spent: 0 }],
])('what was earned and spent is the sum of a ledger that fits: %j', async (amounts, sums, sum) => {
	const ledger = amounts.map((amount) => ({ amount, ...lately() }));
	const { summary } = await summaryOf({ ...sums, ledger });
	expect({ earned: summary?.earned, spent: summary?.spent }).toEqual(sum);
	expect(summary?.message).not.toContain('-0');
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

test('alerts that show no time are counted, and said to be perhaps older', async () => {
	const alert = { exchange_id: 'x', severity: 'critical', type: 'link_removed', detail: 'gone' };
	const { summary } = await summaryOf(account, [], [alert, alert, { ...alert, ...lately() }]);
	expect(summary?.alerts).toEqual({ critical: 3 });
	expect(summary?.message).toMatch(/Alerts: 3 critical \(2 without a time, which may be older\)$/);
});

test('what was accepted and published is left out where the service has no times', async () => {
	const { summary } = await summaryOf(account, [{ id: 1, status: 'live' }]);
	expect(Object.keys(summary ?? {})).not.toEqual(expect.arrayContaining(['published']));
	expect(summary?.message).toBe(
		'In the last 7 days: 70 credits left. Exchanges now: 0 pending, 0 accepted, 1 live, 0 broken. Alerts: none',
	);
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

test.each(['exchanges', 'credits', 'watchdog/events'])(
	'without %s there is no summary, and the error says what the service answered',
	async (path) => {
		const { sandbox, run } = await testService();
		sandbox.addFault({
			kind: 'answer-after-commit',
			status: 200,
			body: '<html>',
			path: `/api/${path}`,
		});
		const { error } = await run('account', 'getSummary');
		expect(error?.message).toMatch(/could not be understood/);
	},
);

test('what strangers wrote does no harm, a state that nobody knows is counted, and severities are bounded', async () => {
	const severities = [
		...['<!channel>', '=cmd|x', 'critical', '__proto__', 'constructor', 'toString'],
		...Array.from({ length: 50 }, (_, n) => `s${n}`),
		...[-0, {}, null, '<>'],
	];
	const before = { severity: 'critical', created_at: '2020-01-01T00:00:00Z' };
	const { summary, hints } = await summaryOf(
		account,
		[
			{ id: 1, status: 'archived' },
			{ id: 1, status: 'archived' },
			{ id: 2, status: 'LIVE' },
		],
		[...severities.map((severity) => ({ severity, type: 't', detail: 'd' })), before],
	);
	expect(hints).toEqual([]);
	expect(summary?.exchanges).toMatchObject({ live: 1, other: 1 });
	expect(summary?.message).not.toMatch(/[<>&@=|]/);
	const alerts = summary?.alerts as Record<string, number>;
	expect(alerts).toMatchObject({ critical: 1 });
	expect(Object.keys(alerts).length).toBe(9);
	const sum = Object.values(alerts).reduce((one, other) => one + other, 0);
	expect(sum).toBe(severities.length);
});
