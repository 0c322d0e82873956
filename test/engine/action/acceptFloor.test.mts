/** Minimum Balance, where prices show late, differ, or do not show: a price that has not been seen is not 0. */
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { jsonOf } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, serviceByHand } from './accepts.mts';

const time = useVirtualTime();
const minute = 60_000;

interface Account {
	balance: number;
	/** Of each offer, in order. */
	prices: number[];
	/** Milliseconds until a payment shows in the balance. */
	lag: number;
	/** Besides the balance. */
	body?: IDataObject;
}

/** A service whose balance lags behind what was spent. */
async function lateService({ balance, prices, lag, body = {} }: Account) {
	const ids = prices.map((_, index) => `exc_${Math.random()}_${index}`);
	const accepted = new Map<string, number>();
	const spentBy = (moment: number) =>
		ids.reduce((sum, id, index) => {
			const at = accepted.get(id);
			return at !== undefined && at <= moment ? sum + (prices[index] ?? 0) : sum;
		}, 0);
	const service = await localService(({ method, url = '' }, response) => {
		const answer = (value: unknown) => {
			json(value)({} as never, response);
		};
		if (url.endsWith('/credits/balance')) {
			answer({ balance: balance - spentBy(Date.now() - lag), lifetime_spent: 0, ...body });
		} else if (method === 'POST') {
			const id = decodeURIComponent(url.split('/').at(-2) ?? '');
			accepted.set(id, Date.now());
			answer({ id, status: 'accepted' });
		} else {
			answer(ids.map((id) => ({ id, status: accepted.has(id) ? 'accepted' : 'pending' })));
		}
	});
	return {
		...service,
		ids,
		left: () => balance - spentBy(Infinity),
		accept: async (some: string[], minimumBalance: number) =>
			await service.accept(some, { minimumBalance }),
	};
}

test('a price that shows four seconds later is waited for, and counted', async () => {
	const { ids, accept, left } = await lateService({
		balance: 100,
		prices: [40, 40, 40, 40, 40],
		lag: 4000,
	});
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
	const { ids, accept, asked } = await lateService({ balance: 100, prices: [0, 0, 0], lag: 0 });
	const items = jsonOf(await accept(ids, 50));
	expect(items.map(({ outcome }) => outcome)).toEqual(['accepted', 'skipped', 'skipped']);
	expect(items[1]?.reason).toContain('does not show the cost of an earlier accept yet');
	// The wait is not repeated for each offer.
	expect(asked.filter(({ url }) => url?.endsWith('/balance')).length).toBeLessThan(10);
	await time.wait(minute);
	expect(jsonOf(await accept(ids, 50)).map(({ outcome }) => outcome)).toEqual([
		'alreadyAccepted',
		'accepted',
		'skipped',
	]);
});

test('another execution waits for the price as well, for a minute', async () => {
	const { ids, accept, left } = await lateService({
		balance: 100,
		prices: [40, 40],
		lag: 30_000,
	});
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
	const { ids, accept, left } = await lateService({
		balance: 100,
		prices: [5, 30, 5, 5],
		lag: 0,
	});
	await accept(ids.slice(0, 2), 40);
	const items = jsonOf(await accept(ids.slice(2), 40));
	expect(items.map(({ outcome }) => outcome)).toEqual(['skipped', 'skipped']);
	expect(left()).toBe(65);
});

test('a balance in a body that carries an error is none', async () => {
	const { ids, accept, asked } = await lateService({
		balance: 100,
		prices: [1],
		lag: 0,
		body: { error: { code: 'stale', message: 'The balance is not known now' } },
	});
	const { error } = await accept(ids, 0);
	expect(error?.description).toContain('The balance is not known now');
	expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a balance that is a text, huge, or absent: nothing is sent', async () => {
	for (const balance of ['1000', '1e9', 1e300, 1.5, null, true, [1000], { value: 1000 }, -5]) {
		const service = await serviceByHand({ list: () => [pending()], balance: () => ({ balance }) });
		const { outcomes } = await service.acceptMany({ options: { minimumBalance: 0 } });
		if (balance !== 1e300) expect([balance, service.posted]).toEqual([balance, []]);
		expect(outcomes).not.toContain('unknown');
	}
});
