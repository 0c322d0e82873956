/** More events, larger ones, and more exchanges than the trigger works on or keeps at once: none is lost, and none takes the room of others. */
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { mostAlerts } from '../../../nodes/BacklinkExchangeTrigger/alerts.ts';
import { mostExchanges } from '../../../nodes/BacklinkExchangeTrigger/memory.ts';
import { useVirtualTime } from '../virtualTime.mts';
import { beginWith, keys, names, onlyOffers, pollFor, started, withItems } from './begin.mts';

const clock = useVirtualTime();

const minute = 60_000;

it('many events run a few at a time, and those that take long do not hold up the others', async () => {
	const { sandbox, poller } = await started();
	for (let offer = 0; offer < 12; offer++) sandbox.requestOffer({ id: `x${offer}` });
	poller.ending = () => 'silent';
	await poller.poll();
	expect(withItems(poller)).toHaveLength(5);
	for (const [seconds, count] of [
		[55, 5],
		[6, 10],
		[61, 12],
	] as const) {
		await clock.wait(seconds * 1000);
		await poller.poll();
		expect(withItems(poller)).toHaveLength(count);
	}
});

it('the end of each event makes room for the next, so that one poll is enough for all of them', async () => {
	const { sandbox, poller } = await started();
	for (let offer = 0; offer < 12; offer++) sandbox.requestOffer({ id: `x${offer}` });
	poller.takes = () => 10_000;
	await poller.poll();
	expect(withItems(poller)).toHaveLength(5);
	await clock.wait(minute);
	expect(withItems(poller)).toHaveLength(12);
});

it('events are not started one after the other where n8n starts none, as when the workflow was unpublished', async () => {
	const { sandbox, poller } = await started({}, onlyOffers);
	for (let offer = 0; offer < 50; offer++) sandbox.requestOffer({ id: `x${offer}` });
	poller.ending = () => 'not started';
	await poller.poll();
	await clock.wait(minute / 2);
	expect(withItems(poller)).toHaveLength(5);
});

it('events wait in the service when none succeeds and there is no room for more; none is lost', async () => {
	const { sandbox, poller } = await started({}, { ...onlyOffers, output: 'digest' });
	let works = false;
	poller.ending = ([item]) => (item === undefined || works ? 'success' : 'error');
	for (let offer = 0; offer < 990; offer++) sandbox.requestOffer();
	await poller.poll();
	poller.parameters = { ...poller.parameters, output: 'items' };
	await poller.start('update');
	for (let offer = 0; offer < 20; offer++) sandbox.requestOffer();
	await poller.poll();
	expect(poller.warnings.at(-1)).toContain('1000 events are waiting');
	expect(poller.warnings.at(-1)).toContain('no room for 10 more');
	expect(poller.savedBytes).toBeLessThan(1_500_000);
	works = true;
	poller.executions.length = 0;
	await pollFor(poller, 12);
	const all = withItems(poller).flatMap(([item = {}]) => (item.events ?? [item]) as IDataObject[]);
	expect(new Set(keys(all)).size).toBe(1010);
	expect(all).toHaveLength(1010);
});

it('no more events than there is room for wait for a head start, also without redelivery; none is lost', async () => {
	const { sandbox, poller } = await started({}, { options: { redeliver: false, headStart: 10 } });
	for (let offer = 0; offer < 1010; offer++) sandbox.requestOffer();
	await poller.poll();
	expect(poller.warnings.at(-1)).toContain('no room for 10 more');
	await pollFor(poller, 25);
	expect(withItems(poller).map(({ length }) => length)).toEqual([1000, 10]);
});

it('events are not held up by one that is large and fails: it is shortened, and says so', async () => {
	const { sandbox, poller } = await started();
	const large = { id: 'x', anchor: 'x'.repeat(1_200_000) };
	sandbox.requestOffer(large);
	sandbox.accept('x');
	for (let offer = 0; offer < 500; offer++) sandbox.requestOffer({ id: `y${offer}` });
	poller.ending = ([item]) => (item?.shortened === true ? 'error' : 'success');
	const items = await poller.poll();
	expect(new Set(keys(items)).size).toBe(502);
	const short = items.filter(({ shortened }) => shortened === true);
	expect(names(short)).toEqual(['exchange.requested', 'exchange.accepted']);
	for (const { data } of short) {
		expect(data).toMatchObject({ id: 'x', anchor: `${'x'.repeat(299)}…` });
		expect(JSON.stringify(data).length).toBeLessThan(2500);
	}
	expect(poller.savedBytes).toBeLessThan(100_000);
});

/** What the workflow gets for an offer whose record has these fields as well. */
async function itemFor(fields: IDataObject): Promise<IDataObject | undefined> {
	let shown: IDataObject[] = [];
	const poller = await beginWith(() => shown, onlyOffers);
	await poller.start();
	shown = [{ id: 'x', status: 'pending', ...fields }];
	return (await poller.poll())[0];
}

it('a record is shortened if it has more than 2500 characters', async () => {
	const length = 2500 - JSON.stringify({ id: 'x', status: 'pending', note: '' }).length;
	expect(await itemFor({ note: 'n'.repeat(length) })).not.toHaveProperty('shortened');
	expect(await itemFor({ note: 'n'.repeat(length + 1) })).toMatchObject({ shortened: true });
});

it('a record of very many or strange fields is shortened, whatever they are', async () => {
	const fields = Object.fromEntries(
		Array.from({ length: 5000 }, (_, number) => [`field ${number}`, [number, null]]),
	) as IDataObject;
	const deep = [['y'.repeat(9000)]] as never;
	const item = await itemFor({ __proto__x: null, ['n'.repeat(5000)]: 1, deep, ...fields });
	expect(item).toMatchObject({ shortened: true, eventKey: 'exchange.requested:x' });
	expect(item?.data).toMatchObject({ id: 'x', status: 'pending', 'field 0': [0, null] });
	expect(JSON.stringify(item).length).toBeLessThan(3500);
});

it.each([
	['exchanges', 'exchange.requested', mostExchanges, 'pending exchange offers', '5,000'],
	['events', 'watchdog.alert', mostAlerts, 'watchdog events', '20,000'],
])('too many %s', async (list, event, most, what, figure) => {
	let count = 2;
	const entry = (number: number) => ({ id: `x${number}`, exchange_id: 'x', status: 'pending' });
	const poller = await beginWith(
		() => ({ [list]: Array.from({ length: count }, (_, number) => entry(number)) }),
		{ events: [event], options: { redeliver: false } },
	);
	expect(await poller.start()).toEqual([]);
	count = most + 1;
	await expect(poller.poll()).rejects.toMatchObject({
		message: `The account has too many ${what} to watch`,
		description: expect.stringContaining(figure) as unknown,
	});
	count = 3;
	expect((await poller.poll()).map(({ data }) => data)).toEqual([entry(2)]);
	count = most;
	expect((await poller.poll()).length).toBe(most - 3);
});
