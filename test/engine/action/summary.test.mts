/** Account → Get Summary: what a weekly report says, and what it leaves out rather than guess. */
import { expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();
const day = 24 * 3_600_000;

test('credits, exchanges and alerts of the last days, with a sentence', async () => {
	const { sandbox, run } = await testService({ credits: 100 });
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
	});
	expect(Object.values(summary?.alerts as object).length).toBeGreaterThan(0);
	expect(summary?.message).toContain(
		`In the last 7 days: ${earned} credits earned, 30 spent, ${sandbox.books.balance()} left; 3 offers accepted, 2 links published. Exchanges now: 1 pending, 2 accepted, 1 live, 1 broken. Alerts: `,
	);
	expect(sandbox.books.requests().length).toBe(3);
});

test.each([
	['no ledger', {}],
	['entries without a time', { ledger: [{ amount: 5 }] }],
	['amounts as texts', { ledger: [{ amount: '5', created_at: '2026-11-01T00:00:00Z' }] }],
])('%s: what was earned and spent is left out, not guessed', async (_, ledger) => {
	const { run } = await localService(({ url = '' }, response) => {
		const body = url.endsWith('/balance') ? { balance: 7, ...ledger } : [];
		json(body)({} as never, response);
	});
	const [summary] = jsonOf(await run('account', 'getSummary'));
	expect(summary).not.toHaveProperty('earned');
	expect(summary).not.toHaveProperty('spent');
	expect(summary?.message).toBe(
		'In the last 7 days: 7 credits left; 0 offers accepted, 0 links published. Exchanges now: 0 pending, 0 accepted, 0 live, 0 broken. Alerts: none',
	);
});

test('what strangers wrote does no harm, a state that nobody knows is counted, and severities are bounded', async () => {
	const severities = [
		'<!channel>',
		'=cmd|x',
		'critical',
		...Array.from({ length: 50 }, (__, n) => `s${n}`),
	];
	const { run } = await localService(({ url = '' }, response) => {
		const body = url.endsWith('/balance')
			? { balance: 7 }
			: url.endsWith('/events')
				? severities.map((severity) => ({ exchange_id: 'x', severity, type: 't', detail: 'd' }))
				: [
						{ id: 1, status: 'archived' },
						{ id: 1, status: 'archived' },
						{ id: 2, status: 'LIVE' },
					];
		json(body)({} as never, response);
	});
	const [summary] = jsonOf(await run('account', 'getSummary'));
	expect(summary?.exchanges).toMatchObject({ live: 1, other: 1 });
	expect(summary?.message).not.toMatch(/[<>&@=|]/);
	expect(Object.keys(summary?.alerts as object).length).toBeLessThan(12);
});

test('when one of the three cannot be read, there is no summary', async () => {
	const { sandbox, run } = await testService();
	sandbox.addFault({ kind: 'not-json', path: '/api/watchdog', times: 10 });
	const { items, error } = await run('account', 'getSummary');
	expect(items).toEqual([]);
	expect(error?.message).toBe('The answer of the service could not be understood');
});
