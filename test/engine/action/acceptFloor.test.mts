/** Minimum Balance, where prices show late, differ, or do not show: a price that has not been seen is not 0. */
import { expect, test } from 'vitest';

import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { minute, pending, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

/** An account with 100 credits and offers at these prices, which show in the balance later by some seconds. */
async function accountWith(prices: number[], balanceLagSeconds = 0) {
	const service = await testService({ credits: 100, dialect: { balanceLagSeconds } });
	const ids = prices.map((cost) => service.sandbox.requestOffer({ cost }).id);
	await time.wait(balanceLagSeconds * 1000);
	return {
		...service,
		ids,
		left: () => service.sandbox.books.balance(),
		accept: async (some: string[], minimumBalance: number) =>
			await service.accept(some, { minimumBalance }),
	};
}

test('a price that shows four seconds later is waited for, and counted', async () => {
	const { ids, accept, left } = await accountWith([40, 40, 40, 40, 40], 4);
	const items = jsonOf(await accept(ids, 50));
	expect(items.map(({ outcome }) => outcome)).toEqual([
		'accepted',
		'skipped',
		'skipped',
		'skipped',
		'skipped',
	]);
	expect(left()).toBe(60);
	expect(items[0]).toMatchObject({ creditsSpent: 40, balance: 60 });
	expect(items[1]?.reason).toContain('an accept has cost up to 40');
});

test('a price that does not show at all ends the spending of the run, with that reason; the next one goes on', async () => {
	const { ids, accept, sandbox } = await accountWith([0, 0, 0]);
	const items = jsonOf(await accept(ids, 50));
	expect(items.map(({ outcome }) => outcome)).toEqual(['accepted', 'skipped', 'skipped']);
	expect(items[1]?.reason).toContain('does not show the cost of an earlier accept yet');
	// The wait is not repeated for each offer.
	const balancesRead = sandbox.books.requests({ endpoint: 'GET /api/credits/balance' });
	expect(balancesRead.length).toBeLessThan(10);
	await time.wait(minute);
	expect(jsonOf(await accept(ids, 50)).map(({ outcome }) => outcome)).toEqual([
		'accepted',
		'accepted',
		'skipped',
	]);
});

test('another execution waits for the price as well, for a minute', async () => {
	const { ids, accept, left } = await accountWith([40, 40], 30);
	const [first = '', second = ''] = ids;
	await accept([first], 50);
	const [soon] = jsonOf(await accept([second], 50));
	expect(soon?.outcome).toBe('skipped');
	await time.wait(minute);
	const [later] = jsonOf(await accept([second], 50));
	expect(later?.reason).toBe(
		'The balance of 60 credits could fall below the minimum of 50: an accept has cost up to 40',
	);
	expect(left()).toBe(60);
});

test('the highest price that was seen counts, in other executions as well', async () => {
	const { ids, accept, left } = await accountWith([5, 30, 5, 5]);
	await accept(ids.slice(0, 2), 40);
	const items = jsonOf(await accept(ids.slice(2), 40));
	expect(items.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
	expect(left()).toBe(65);
});

test('a balance that is a text, huge, or absent: nothing is sent', async () => {
	for (const balance of ['1000', '1e9', 1e300, 1.5, null, true, [1000], { value: 1000 }, -5]) {
		const service = await serviceByHand({ list: () => [pending()], balance: () => ({ balance }) });
		const { outcomes } = await service.acceptMany({ options: { minimumBalance: 0 } });
		if (balance !== 1e300) expect([balance, service.posted]).toEqual([balance, []]);
		expect(outcomes).not.toContain('unknown');
	}
});

test('a balance in a body that carries an error is none', async () => {
	const error = { code: 'stale', message: 'The balance is not known now' };
	const { accept, asked } = await serviceByHand({
		list: () => [{ id: 'x', status: 'pending' }],
		balance: () => ({ balance: 100, error }),
	});
	const result = await accept('x', { minimumBalance: 0 });
	expect(result.error?.description).toContain('The balance is not known now');
	expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a refund at the same moment hides a price: no second accept', async () => {
	const offers = [pending(), pending(), pending()];
	const service = await serviceByHand({ list: () => offers, balance: () => ({ balance: 100 }) });
	const { outcomes } = await service.acceptMany({ options: { minimumBalance: 50 } });
	expect(outcomes).toEqual(['accepted', 'skipped', 'skipped']);
});

test.each([
	['a price that was seen', 1, 'the outcome of 1 more is not known'],
	['none was seen', 0, 'the cost of earlier accepts (1) is not known'],
])('what is in doubt counts, where %s', async (_, known, reason) => {
	const { accept, sandbox } = await testService({ credits: 25 + 10 * known });
	const request = () => sandbox.requestOffer({ cost: 10 }).id;
	if (known > 0) await accept(request(), { minimumBalance: 10 });
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
	expect((await accept(request(), {})).error).toBeDefined();
	const [item] = jsonOf(await accept(request(), { minimumBalance: 10 }));
	expect(item).toMatchObject({
		outcome: 'skipped',
		reason: expect.stringContaining(reason) as unknown,
	});
});

test('a price may show within a minute, and counts from when the balance was asked for', async () => {
	const { ids, accept, left, sandbox } = await accountWith([40, 40], 40);
	await time.wait(minute);
	const begun = Date.now();
	await accept(ids.slice(0, 1), 50);
	await time.wait(begun + 36_000 - Date.now());
	const balance = { method: 'GET', path: '/api/credits' } as const;
	sandbox.addFault({ kind: 'delay-after-commit', milliseconds: 25_000, ...balance });
	await accept(ids.slice(1), 50);
	expect(left()).toBe(60);
});

test('a dry run says of as many offers that it would accept them as the balance is enough for', async () => {
	const { ids, accept, acceptMany } = await accountWith([20, 20, 20, 20]);
	await accept(ids.slice(0, 1), 40);
	const options = { minimumBalance: 40 };
	const dry = await acceptMany({ dryRun: true, options });
	// The first one was accepted before, and is returned once.
	expect(dry.outcomes).toEqual(['accepted', 'wouldAccept', 'wouldAccept', 'skipped']);
	expect(dry.decisions[3]?.reason).toContain('2 more would be accepted before');
	expect((await acceptMany({ options })).outcomes).toEqual(['accepted', 'accepted', 'skipped']);
});

test('after a request whose outcome is unknown, the price of each accept is waited for, too, a minute later', async () => {
	const { ids, accept, sandbox } = await accountWith([10, 10, 10, 10], 4);
	await accept(ids.slice(0, 1), 10);
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
	expect((await accept(ids.slice(1, 2), 10)).error).toBeDefined();
	await time.wait(5 * minute);
	expect(jsonOf(await accept(ids.slice(2), 10))).toMatchObject([
		{ outcome: 'accepted', creditsSpent: 10, balance: 80 },
		{ outcome: 'accepted', creditsSpent: 10, balance: 70 },
	]);
});

test.each([36, 50])(
	'an accept without a floor counts until a balance shows it that was asked for a minute later: asked after %d seconds',
	async (seconds) => {
		const service = await testService({ credits: 140, dialect: { balanceLagSeconds: 55 } });
		const { sandbox, accept } = service;
		const [first = '', second = '', third = ''] = [1, 2, 3].map(
			() => sandbox.requestOffer({ cost: 40 }).id,
		);
		await time.wait(minute);
		await accept(first, { minimumBalance: 50 });
		await time.wait(2 * minute);
		// The price is learned from this balance.
		await accept(third, { minimumBalance: 50, dryRun: true });
		const begun = Date.now();
		await accept(second);
		await time.wait(begun + seconds * 1000 - Date.now());
		const balance = { method: 'GET', path: '/api/credits' } as const;
		const milliseconds = 61_000 - seconds * 1000;
		sandbox.addFault({ kind: 'delay-after-commit', milliseconds, ...balance });
		expect((await accept(third, { minimumBalance: 50 })).outcomes).toEqual(['skipped']);
		expect(sandbox.books.balance()).toBe(60);
	},
);

test('while a request is under way, however long, what the balance shows may be its price', async () => {
	const offers = ['first', 'slow', 'b', 'c'].map((id) => pending({ id }));
	let readings = 0;
	let release = () => {};
	const service = await serviceByHand({
		list: () => offers,
		balance: () => {
			if (service.posted.includes('b')) readings++;
			// "slow" (5 credits) is carried out right after "b", whose 40 credits show two readings later.
			const shown = Number(service.posted.includes('first')) + (readings > 1 ? 5 : 0);
			return { balance: 100 - shown - (readings > 3 ? 40 : 0) };
		},
		accept: (id, response) => {
			if (id !== 'slow') return { id, status: 'accepted' };
			response.writeHead(200, { 'content-type': 'application/json' });
			release = () => response.end(JSON.stringify({ id, status: 'accepted' }));
			return undefined;
		},
	});
	await service.accept('first', { minimumBalance: 50 });
	await time.wait(minute);
	const slow = service.accept('slow', { timeout: 3600 });
	await time.wait(70_000);
	const first = await service.accept('b', { minimumBalance: 50 });
	// The balance is read again after a second.
	await time.wait(2000);
	const second = await service.accept('c', { minimumBalance: 50 });
	release();
	await slow;
	expect([...first.outcomes, ...second.outcomes]).toEqual(['accepted', 'skipped']);
	expect(first.item).not.toHaveProperty('creditsSpent');
	expect(service.posted).toEqual(['first', 'slow', 'b']);
});
