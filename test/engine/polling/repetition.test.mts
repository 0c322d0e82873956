/** The option Repeat Events: what was given out comes again, for as long as it may not have been worked on. */
import { afterEach, describe, expect, it, vi } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { begin, keys } from './begin.mts';

const clock = useVirtualTime();

const minute = 60_000;

/** What the trigger takes for the start of its process. */
const n8nStartsNow = () => vi.spyOn(performance, 'timeOrigin', 'get').mockReturnValue(Date.now());

afterEach(() => {
	vi.restoreAllMocks();
});

describe('what is repeated', () => {
	const repeating = { options: { repeatEvents: true } };

	it('comes as it was, with the time of the first look, with every look of half an hour', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		expect(await poller.start()).toEqual([]);
		sandbox.requestOffer({ id: 'x' });
		const [item] = await poller.poll();
		expect(item).toHaveProperty('givenOutAt', new Date().toISOString());
		await clock.wait(10 * minute);
		sandbox.accept('x');
		const [again, accepted, ...rest] = await poller.poll();
		expect(again).toEqual(item);
		expect(accepted).toHaveProperty('givenOutAt', new Date().toISOString());
		expect(rest).toEqual([]);
		await clock.wait(10 * minute);
		expect(await poller.poll()).toEqual([item, accepted]);
		await clock.wait(20 * minute);
		expect(await poller.poll()).toEqual([item, accepted]);
		await clock.wait(10 * minute);
		expect(await poller.poll()).toEqual([accepted]);
		await clock.wait(minute);
		expect(await poller.poll()).toEqual([]);
	});

	it('is seen in the editor as it will come', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		sandbox.requestOffer({ id: 'x' });
		const givenOutAt = new Date().toISOString();
		expect(await poller.test()).toEqual([
			expect.objectContaining({ event: 'exchange.requested', givenOutAt }),
		]);
	});

	it('comes three times, however rare the looks are', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		const counts: number[] = [];
		for (let look = 0; look < 6; look++) {
			counts.push((await poller.poll()).length);
			await clock.wait(24 * 60 * minute);
		}
		expect(counts).toEqual([1, 1, 1, 1, 0, 0]);
	});

	it('comes with every start of an n8n that is stopped again and again, and for half an hour after the last one', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		await poller.poll();
		for (let start = 0; start < 15; start++) {
			await clock.wait(40 * minute);
			n8nStartsNow();
			expect(keys(await poller.start())).toEqual(['exchange.requested:x']);
		}
		await clock.wait(30 * minute);
		expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		await clock.wait(minute);
		expect(await poller.poll()).toEqual([]);
	});

	it('ends after twelve hours, although n8n has just started', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		for (let look = 0; look < 4; look++) expect(await poller.poll()).toHaveLength(1);
		await clock.wait(12 * 60 * minute + 1);
		n8nStartsNow();
		expect(await poller.start()).toEqual([]);
	});

	it('is what the account of the credential gave out, and nothing once it is switched off', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		sandbox.requestOffer({ id: 'x' });
		await poller.poll();
		const other = await begin();
		poller.credential = { baseUrl: other.sandbox.baseUrl, apiKey: other.sandbox.apiKey };
		expect(await poller.poll()).toEqual([]);
		other.sandbox.requestOffer({ id: 'y' });
		await poller.poll();
		poller.parameters = { ...poller.parameters, options: {} };
		expect(await poller.start()).toEqual([]);
		other.sandbox.requestOffer({ id: 'z' });
		expect(keys(await poller.poll())).toEqual(['exchange.requested:z']);
		expect(await poller.poll()).toEqual([]);
	});

	it('is bounded: what is very long comes once only, and the latest count', async () => {
		const { sandbox, poller } = await begin({}, repeating);
		await poller.start();
		for (let index = 0; index < 8; index++) {
			sandbox.requestOffer({ id: `x${index}`, anchor: 'a'.repeat(100_000) });
		}
		expect(await poller.poll()).toHaveLength(8);
		expect(poller.savedBytes).toBeLessThan(1_000_000);
		expect(await poller.poll()).toHaveLength(4);
		sandbox.requestOffer({ id: 'y', anchor: 'a'.repeat(100_000) });
		sandbox.requestOffer({ id: 'z', anchor: 'a'.repeat(600_000) });
		expect(await poller.poll()).toHaveLength(6);
		expect(poller.savedBytes).toBeLessThan(1_000_000);
		expect(keys(await poller.poll())).toEqual(
			['x5', 'x6', 'x7', 'y'].map((id) => `exchange.requested:${id}`),
		);
	});
});
