/** What the polling trigger remembers, and how much of it. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { isSameAccount } from '../../../nodes/BacklinkExchangeTrigger/changes.ts';
import { fromText, mostExchanges } from '../../../nodes/BacklinkExchangeTrigger/memory.ts';
import { comparePoll, type Memory } from './comparing.mts';

const start = Date.parse('2026-01-01T00:00:00Z');

function idOf(number: number): string {
	return `exc_${String(number).padStart(12, '0')}`;
}

function record(
	number: number,
	status: string,
	at?: { accepted?: number; published?: number },
): IDataObject {
	const time = (second: number | undefined) =>
		second === undefined ? null : new Date(start + second * 1000).toISOString();
	return {
		id: idOf(number),
		status,
		accepted_at: time(at?.accepted),
		published_at: time(at?.published),
	};
}

function exchangesOf(records: IDataObject[]) {
	return { exchanges: new Map(records.map((each) => [each.id as string, each])) };
}

function poll(records: IDataObject[], before: Memory, leave?: (record: IDataObject) => boolean) {
	const { changes, memory, text } = comparePoll(exchangesOf(records), before, leave);
	const events = changes.map(
		({ event, data }) => `${event} ${Number((data.id as string).slice(4))}`,
	);
	return { events, memory, bytes: Buffer.byteLength(text) };
}

/** Any order that is not the one of the numbers. */
function bySomething(one: IDataObject, other: IDataObject): number {
	const rank = ({ id }: IDataObject) => (Number((id as string).slice(4)) * 7919) % 10_007;
	return rank(one) - rank(other);
}

describe('an account with more exchanges than are remembered', () => {
	const many = Array.from({ length: mostExchanges + 1000 }, (_, number) =>
		record(number, number % 2 === 0 ? 'broken' : 'live', {
			accepted: number,
			published: number + 10,
		}),
	);

	it('is remembered within a bound: the oldest broken ones are forgotten, and do not come again', () => {
		const first = poll(many.toSorted(bySomething), {});
		expect(first.events).toEqual([]);
		expect(first.bytes).toBeLessThan(mostExchanges * 60);
		const forgotten = many.filter(({ id }) => first.memory.exchanges?.has(id as string) !== true);
		expect(forgotten).toEqual(many.filter(({ status }) => status === 'broken').slice(0, 1000));
		const second = poll(many, first.memory);
		expect(second.events).toEqual([]);
		expect(poll(many, second.memory).events).toEqual([]);
	});

	it('forgets before these what two polls in a row did not list, with or without a time', () => {
		const unlisted = [record(90_000, 'pending'), record(90_001, 'live', { accepted: 1e6 })];
		const listed = many.slice(0, mostExchanges - 2);
		const { memory } = poll([...unlisted, ...listed], {});
		const once = poll(many.slice(0, mostExchanges), memory).memory;
		const next = poll(many.slice(0, mostExchanges), once).memory;
		expect([...(next.exchanges?.keys() ?? [])].toSorted()).toEqual(
			many.slice(0, mostExchanges).map(({ id }) => id),
		);
		expect(next.forgottenUntil).toBe(start / 1000 + 1e6);
	});

	it('forgets no offer that one poll did not list', () => {
		const offers = Array.from({ length: 2000 }, (_, number) => record(10_000 + number, 'pending'));
		const { memory } = poll([...many, ...offers], {});
		const page = poll([...many, ...offers.slice(1000)], memory).memory;
		expect(poll([...many, ...offers], page).events).toEqual([]);
	});

	it('knows one that was forgotten by its time, also the last of them', () => {
		const accepted = Array.from({ length: mostExchanges + 1 }, (_, number) =>
			record(number, 'accepted', { accepted: 5 }),
		);
		const { memory } = poll(accepted, {});
		expect(memory.exchanges?.size).toBe(mostExchanges);
		expect(poll(accepted, memory).events).toEqual([]);
		// No time shows that it has broken since.
		const broken = poll(
			accepted.map((each) => ({ ...each, status: 'broken' })),
			memory,
		);
		expect(broken.events.filter((event) => event.includes('broken'))).toHaveLength(mostExchanges);
	});

	it.each([
		['a time in the future', { accepted: 5, published: 1e9 }],
		['an acceptance after the publication', { accepted: 8000, published: 5 }],
	])('takes nothing for forgotten, and nothing for new, because of %s', (_, at) => {
		const odd = record(90_000, 'broken', at);
		const live = many.map((each) => ({ ...each, status: 'live' }));
		const { memory } = poll([odd, ...live], {});
		const listed = [odd, ...live, record(90_001, 'accepted', { accepted: 9000 })];
		const next = poll(listed, memory);
		expect(next.events).toEqual(['exchange.requested 90001', 'exchange.accepted 90001']);
		expect(poll(listed, next.memory).events).toEqual([]);
	});

	it('still notices what is new, and a forgotten link that is published again', () => {
		const { memory } = poll(many, {});
		const later = mostExchanges + 5000;
		const next = [
			...many.slice(1),
			record(0, 'live', { accepted: 0, published: later }),
			record(90_000, 'pending'),
			record(90_001, 'accepted', { accepted: later }),
		];
		const second = poll(next, memory);
		const requested = [90_000, 90_001].map((number) => `exchange.requested ${number}`);
		expect([...second.events].sort()).toEqual([
			'exchange.accepted 90001',
			'exchange.published 0',
			...requested,
		]);
		expect(poll(next, second.memory).events).toEqual([]);
	});

	it('never forgets what is listed and no time distinguishes, also when it is too much', () => {
		const offers = Array.from({ length: mostExchanges + 1 }, (_, id) => record(id, 'pending'));
		expect(poll(offers, {}).memory.exchanges?.size).toBe(mostExchanges + 1);
		expect(poll(offers.slice(1), {}).memory.exchanges?.size).toBe(mostExchanges);
	});
});

it('an account with as many exchanges as are remembered loses none', () => {
	for (const count of [mostExchanges - 1, mostExchanges]) {
		const records = Array.from({ length: count }, (_, number) =>
			record(number, 'broken', { accepted: number, published: number }),
		);
		expect(poll(records, {}).memory.exchanges?.size).toBe(count);
	}
});

it('what is saved has no blanks at its end', () => {
	const exchanges = new Map([['x', { id: 'x', status: 'pending' }]]);
	expect(comparePoll({ exchanges }, {}).text).toBe('{"exchanges":{"x":"pending   0"}}');
});

it.each([
	undefined,
	null,
	'x',
	1,
	'[]',
	'{"exchanges":"x","alerts":5,"credits":true}',
	'{"exchanges":null}',
])('anything else in the static data is an empty memory (%j)', (value) => {
	expect(fromText(value)).toEqual({});
});

describe('what is left for the next poll', () => {
	it('is found again, whether it was known or not', () => {
		const { memory: first } = poll([record(1, 'pending')], {});
		const now = [record(1, 'accepted', { accepted: 5 }), record(2, 'pending')];
		const { memory: second, events } = poll(now, first, () => true);
		expect(events).toEqual([]);
		expect(poll(now, second).events).toEqual(['exchange.requested 2', 'exchange.accepted 1']);
	});

	it('makes nothing come again that is forgotten meanwhile', () => {
		const many = Array.from({ length: mostExchanges + 1000 }, (_, number) =>
			record(number, 'broken', { accepted: number, published: number }),
		);
		const { memory: first } = poll(many, {});
		const now = [...many, record(90_000, 'pending'), record(90_001, 'pending')];
		const second = poll(now, first, ({ id }) => id === idOf(90_001));
		expect(second.events).toEqual(['exchange.requested 90000']);
		const third = poll(now, second.memory);
		expect(third.events).toEqual(['exchange.requested 90001']);
		expect(third.memory.exchanges?.size).toBe(mostExchanges);
		expect(poll(now, third.memory).events).toEqual([]);
	});
});

describe('a new API key', () => {
	const shown = (...numbers: number[]) =>
		exchangesOf(numbers.map((number) => record(number, 'pending')));

	it('is of the same account if at least half of what it lists was seen', () => {
		const { memory } = comparePoll(shown(1, 2, 3), {});
		expect(isSameAccount(shown(1, 2, 3), memory)).toBe(true);
		expect(isSameAccount(shown(3, 4), memory)).toBe(true);
		expect(isSameAccount(shown(3, 4, 5), memory)).toBe(false);
		expect(isSameAccount(shown(7), memory)).toBe(false);
		expect(isSameAccount(shown(), memory)).toBe(false);
	});

	it('alerts count, too', () => {
		const alerts = [{ id: 'a', exchange_id: 'x' }];
		const { memory } = comparePoll({ alerts }, {});
		expect(isSameAccount({ alerts }, memory)).toBe(true);
		expect(isSameAccount({ alerts: [{ id: 'b', exchange_id: 'x' }] }, memory)).toBe(false);
	});
});

it.each([
	{
		balances: [80, 49, 20, 49, 50, 49, 49],
		events: [0, 1, 0, 0, 0, 1, 0],
		lasting: [1, 1, 0, 0, 1, 1, 0],
	},
	{ balances: [20, 19, 80], events: [1, 0, 0], lasting: [1, 0, 1] },
])(
	'credits are low once per fall, from the beginning on, and again after a recovery, which must not be forgotten',
	({ balances, events, lasting }) => {
		let memory: Memory = {};
		const results = balances.map((balance) => {
			const result = comparePoll({ credits: { balance } }, memory);
			memory = result.memory;
			return result;
		});
		expect(results.map(({ changes }) => changes.length)).toEqual(events);
		expect(results.map(({ isLasting }) => Number(isLasting))).toEqual(lasting);
	},
);
