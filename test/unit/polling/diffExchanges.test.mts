/** Events of exchanges between two polls. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	diffExchanges as diff,
	type KnownExchanges,
	maxTrackedExchanges,
} from '../../../nodes/BacklinkExchangeTrigger/sources/exchanges.ts';
import { Exchange } from '../../../nodes/shared/api/exchange.ts';
import { events, getEventKey } from '../../../nodes/shared/events/events.ts';

function diffExchanges(listed: Map<string, IDataObject>, previous?: KnownExchanges) {
	const exchanges = new Map([...listed].map(([id, record]) => [id, Exchange.parse([record])]));
	const { changes, known } = diff(exchanges, previous);
	const exchangeEvents = events.filter(({ source }) => source === 'exchanges');
	const keys = exchangeEvents.flatMap((type) =>
		changes
			.filter(({ stage }) => stage === type.stage)
			.map((data) => getEventKey({ type, data }).replace('exchange.', '')),
	);
	return { keys, known };
}

const day = (number: number) => `2026-07-0${number}T12:00:00Z`;
const seconds = (number: number) => Date.parse(day(number)) / 1000;

/**
 * Compares these records of one exchange at consecutive polls, after a first one.
 *
 * @returns the keys of the events
 */
function found(...shown: Array<IDataObject | undefined>): string[][] {
	let known: ReturnType<typeof diffExchanges>['known'] | undefined;
	const keys = shown.map((record) => {
		const listed = new Map(record === undefined ? [] : [['x', { id: 'x', ...record }]]);
		const comparison = diffExchanges(listed, known);
		known = comparison.known;
		return comparison.keys;
	});
	return keys.slice(1);
}

const pending = { status: 'pending', accepted_at: null, published_at: null };
const accepted = { ...pending, status: 'accepted', accepted_at: day(1) };
const live = { ...accepted, status: 'live', published_at: day(2) };
const broken = { ...live, status: 'broken' };
const acceptedKey = `accepted:x:${seconds(1)}`;
const publishedKey = `published:x:${seconds(2)}`;
const brokenKey = `broken:x:${seconds(2)}`;

describe('an exchange', () => {
	test('at the first poll is no event; each later stage is one', () => {
		expect(found(pending, accepted, live, live, broken)).toEqual([
			[acceptedKey],
			[publishedKey],
			[],
			[brokenKey],
		]);
	});

	test('with several new stages between two polls emits an event for each', () => {
		const all = ['requested:x', acceptedKey, publishedKey, brokenKey];
		expect(found(undefined, broken)).toEqual([all]);
		expect(found(pending, live)).toEqual([[acceptedKey, publishedKey]]);
	});

	test('that broke without a time of publication was never live', () => {
		expect(found(accepted, { ...accepted, status: 'broken' })).toEqual([['broken:x']]);
	});

	test.each([
		['at an earlier stage', live, accepted],
		['with an earlier time', { ...live, published_at: day(3) }, broken],
	])("in an outdated list %s doesn't change", (_, newer, older) => {
		expect(found(newer, older, newer, older, newer)).toEqual([[], [], [], []]);
	});

	test('with a later time has started again, at any stage', () => {
		const again = { ...live, published_at: day(4) };
		expect(found(broken, again)).toEqual([[`published:x:${seconds(4)}`]]);
		expect(found(broken, { ...again, status: 'broken' })).toEqual([
			[`published:x:${seconds(4)}`, `broken:x:${seconds(4)}`],
		]);
		const acceptedAgain = { ...accepted, accepted_at: day(3) };
		expect(found(broken, acceptedAgain, again)).toEqual([
			[`accepted:x:${seconds(3)}`],
			[`published:x:${seconds(4)}`],
		]);
		const rounded = { ...live, published_at: '2026-07-02T12:00:01Z' };
		expect(found(live, rounded, live)).toEqual([[], []]);
	});

	test('that was broken and is live at two polls in a row is republished, and can break again', () => {
		expect(found(broken, live, live, live, broken)).toEqual([
			[],
			[`${publishedKey}#2`],
			[],
			[`${brokenKey}#2`],
		]);
		expect(found(broken, live, broken, live, broken)).toEqual([[], [], [], []]);
	});

	test('without times is tracked by its stages', () => {
		const statuses = ['pending', 'accepted', 'live', 'broken', 'live', 'live', 'broken'];
		const keys = ['accepted:x', 'published:x', 'broken:x', 'published:x#2', 'broken:x#2'];
		expect(found(...statuses.map((status) => ({ status }))).flat()).toEqual(keys);
	});

	test('with an undocumented status is closed until it has a documented one', () => {
		const closed = { ...live, status: 'under review' };
		expect(found(pending, closed, live)).toEqual([[], [acceptedKey, publishedKey]]);
	});

	test("that leaves the list and returns hasn't changed", () => {
		expect(found(live, undefined, undefined, live, broken)).toEqual([[], [], [], [brokenKey]]);
	});
});

test('is remembered up to the maximum, those that are listed first', () => {
	const ids = Array.from({ length: maxTrackedExchanges }, (_, number) => `exc_${number}_0123456`);
	const listed = new Map<string, IDataObject>(ids.map((id) => [id, live]));
	const first = diffExchanges(listed, undefined);
	const other = new Map([...listed.entries()].slice(1)).set('new', pending);
	const second = diffExchanges(other, first.known);
	const known = second.known;
	expect(second.keys).toHaveLength(1);
	expect(Object.keys(known)).toHaveLength(maxTrackedExchanges);
});
