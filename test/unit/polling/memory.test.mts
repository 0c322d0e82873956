import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';

import { compare } from '../../../nodes/BacklinkExchangePollingTrigger/changes.ts';
import {
	fromStatic,
	mostAlerts,
	mostExchanges,
	toStatic,
} from '../../../nodes/BacklinkExchangePollingTrigger/memory.ts';
import { eventKey } from '../../../nodes/shared/events.ts';

type Memory = ReturnType<typeof fromStatic>;
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

function poll(records: IDataObject[], before: Memory) {
	const exchanges = new Map(records.map((each) => [each.id as string, each]));
	const { changes, memory, tooMany } = compare({ scope: '', exchanges }, before, false);
	// Saved and read again, as between two polls.
	const saved = JSON.stringify(toStatic(memory));
	const events = changes.map(
		({ event, data }) => `${event} ${Number((data.id as string).slice(4))}`,
	);
	return {
		events,
		memory: fromStatic(JSON.parse(saved)),
		bytes: Buffer.byteLength(saved),
		tooMany,
	};
}

describe('an account with more exchanges than are remembered', () => {
	const many = Array.from({ length: mostExchanges + 1000 }, (_, number) =>
		record(number, number % 2 === 0 ? 'broken' : 'live', {
			accepted: number,
			published: number + 10,
		}),
	);

	it('keeps the memory bounded, and gives out nothing again', () => {
		const first = poll(many, {});
		expect(first.events).toEqual([]);
		expect(first.memory.exchanges?.size).toBe(mostExchanges);
		expect(first.bytes).toBeLessThan(mostExchanges * 60);
		const second = poll(many, first.memory);
		expect(second.events).toEqual([]);
		expect(poll(many, second.memory).events).toEqual([]);
	});

	it('forgets the oldest broken ones first', () => {
		const { memory } = poll(many, {});
		expect(memory.exchanges?.has(idOf(0))).toBe(false);
		expect(memory.exchanges?.has(idOf(1))).toBe(true);
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
		expect([...second.events].sort()).toEqual([
			'exchange.accepted 90001',
			'exchange.published 0',
			'exchange.requested 90000',
			'exchange.requested 90001',
		]);
		expect(poll(next, second.memory).events).toEqual([]);
	});

	it('says so when there are too many that no time tells apart', () => {
		const offers = Array.from({ length: mostExchanges + 1 }, (_, number) =>
			record(number, 'pending'),
		);
		expect(poll(offers, {}).tooMany).toBe('exchanges');
		expect(poll(offers.slice(1), {}).tooMany).toBeUndefined();
	});
});

describe('alerts', () => {
	function pollAlerts(alerts: IDataObject[], before: Memory) {
		const { changes, memory, tooMany } = compare({ scope: '', alerts }, before, false);
		return { count: changes.length, memory: fromStatic(toStatic(memory)), tooMany };
	}
	const alert = (number: number): IDataObject => ({
		id: `evt_${number}`,
		exchange_id: 'x',
		severity: 'high',
		type: 'gone',
		detail: '',
	});

	it('are remembered within a bound, those that are listed first', () => {
		const first = pollAlerts(
			Array.from({ length: mostAlerts }, (_, number) => alert(number)),
			{},
		);
		expect(first.tooMany).toBeUndefined();
		const second = pollAlerts([alert(mostAlerts), alert(0)], first.memory);
		expect(second.count).toBe(1);
		expect(second.memory.alerts?.size).toBe(mostAlerts);
		expect(pollAlerts([alert(mostAlerts), alert(0)], second.memory).count).toBe(0);
	});

	it('are too many when not even the listed ones can be remembered', () => {
		const listed = Array.from({ length: mostAlerts + 1 }, (_, number) => alert(number));
		expect(pollAlerts(listed, {}).tooMany).toBe('alerts');
	});

	it('one with an id may get further fields, another wording, and a place elsewhere in the list', () => {
		const { memory } = pollAlerts([alert(1), alert(2)], {});
		const again = [alert(2), { ...alert(1), resolved: true, detail: 'gone for 3 days' }];
		expect(pollAlerts(again, memory).count).toBe(0);
	});

	it('one whose severity rises is another event', () => {
		const { memory } = pollAlerts([alert(1)], {});
		expect(pollAlerts([{ ...alert(1), severity: 'critical' }], memory).count).toBe(1);
	});

	it('the id of the exchange is no id of the alert', () => {
		const plain = { ...alert(1), id: 'x', created_at: '2026-07-01 12:00:00' };
		const { memory } = pollAlerts([plain], {});
		const later = { ...plain, created_at: '2026-07-02T12:00:00Z' };
		expect(pollAlerts([plain, later], memory).count).toBe(1);
	});

	it('without id and time, a field that changes at every look makes nothing new; one more of the same does', () => {
		const at = (look: number) => ({ exchange_id: 'x', severity: 'high', checked_at: look });
		const { memory } = pollAlerts([at(1)], {});
		expect(pollAlerts([at(2)], memory).count).toBe(0);
		expect(pollAlerts([at(3), at(3)], memory).count).toBe(1);
	});

	it('without id and time, one that two looks did not show is gone, and the next is new', () => {
		const one = { exchange_id: 'x', severity: 'high' };
		const { memory } = pollAlerts([one], {});
		const once = pollAlerts([], memory).memory;
		expect(pollAlerts([one], once).count).toBe(0);
		const twice = pollAlerts([], once).memory;
		expect(pollAlerts([one], twice).count).toBe(1);
	});

	it('the same on two pages is one, also without an id', () => {
		const timed = { exchange_id: 'x', severity: 'high', created_at: '2026-07-01T12:00:00Z' };
		const { memory } = pollAlerts([timed], {});
		expect(pollAlerts([timed, timed], memory).count).toBe(0);
		expect(pollAlerts([timed, { ...timed, detail: 'another' }], memory).count).toBe(1);
	});
});

describe('one exchange, look after look', () => {
	function looks(...shown: Array<Record<string, string | number | null>>): string[][] {
		let memory: Memory = poll([], {}).memory;
		return shown.map((fields) => {
			const exchanges = new Map([['x', { id: 'x', ...fields }]]);
			const result = compare({ scope: '', exchanges }, memory, false);
			memory = fromStatic(JSON.parse(JSON.stringify(toStatic(result.memory))));
			return result.changes.map(({ event, data, occurrence }) =>
				eventKey(event, data, occurrence).replace('exchange.', ''),
			);
		});
	}
	const time = '2026-07-01T12:00:17Z';
	const live = { status: 'live', accepted_at: time, published_at: time };
	const broken = { ...live, status: 'broken' };
	const first = ['requested:x', 'accepted:x:1782907217', 'published:x:1782907217'];

	it.each([
		'2026-07-01 12:00:17',
		'2026-07-01 12:00:17 UTC',
		'2026/07/01 12:00:17',
		'2026-07-01T14:00:17.999+02:00',
		'2026-07-01 07:00:17-0500',
		'Wed, 01 Jul 2026 12:00:17 GMT',
		1782907217,
		1782907217000,
	])('a time written as %j is the same moment, at every look and in the key', (written) => {
		const record = { ...live, accepted_at: written, published_at: written };
		expect(looks(record, record, live, record)).toEqual([first, [], [], []]);
	});

	it.each(['5 minutes ago', 'yesterday', '', 12, 'soon', '{}'])(
		'a text that is no moment (%j) may change at every look',
		(written) => {
			const volatile = (look: number) => ({
				status: 'live',
				accepted_at: `${look}${written}`,
				published_at: `${written} ${look}`,
			});
			expect(looks(volatile(1), volatile(2), volatile(3))).toEqual([
				['requested:x', 'accepted:x', 'published:x'],
				[],
				[],
			]);
		},
	);

	it('a text that names a year stays in the key, on one line', () => {
		const record = { status: 'live', accepted_at: null, published_at: 'the 1st of July  2026' };
		expect(looks(record, record)).toEqual([
			['requested:x', 'accepted:x', 'published:x:the_1st_of_July_2026'],
			[],
		]);
	});

	it.each(['2026-07-01', '2026-07-01T12:00', '2026-07-01 12:00Z'])(
		'a time that is now and then written more coarsely (%s) is no other time',
		(coarse) => {
			const record = { ...live, accepted_at: coarse, published_at: coarse };
			expect(looks(live, record, record, live).slice(1)).toEqual([[], [], []]);
			expect(looks(record, live, record, live).slice(1)).toEqual([[], [], []]);
		},
	);

	it('once the exact time has been seen, another on the same day is another', () => {
		const day = { ...live, published_at: '2026-07-01' };
		const evening = { ...live, published_at: '2026-07-01T18:00:00Z' };
		expect(looks(day, live, evening).slice(1)).toEqual([[], ['published:x:1782928800']]);
	});

	it('a later acceptance counts at once', () => {
		const acceptedAt = (moment: string) => ({ status: 'accepted', accepted_at: moment });
		const events = looks(acceptedAt(time), acceptedAt('2026-07-02T12:00:00Z'));
		expect(events.slice(1)).toEqual([['accepted:x:1782993600']]);
	});

	it('a time that comes later, or is left out, is no other time', () => {
		const without = { status: 'live' };
		expect(looks(without, live, without, live).slice(1)).toEqual([[], [], []]);
	});

	it('a link that breaks, is repaired and breaks again is two of each, though its time stays', () => {
		expect(looks(live, broken, live, live, broken, broken, live, live)).toEqual([
			first,
			['broken:x:1782907217'],
			// The first look that shows it again might be a list that lags.
			[],
			['published:x:1782907217#2'],
			[],
			['broken:x:1782907217#2'],
			[],
			['published:x:1782907217#3'],
		]);
	});

	it('a link that was broken when it was first seen has broken once', () => {
		const events = looks(broken, live, live, broken, broken);
		expect(events.slice(1).flat()).toEqual(['published:x:1782907217#2', 'broken:x:1782907217#2']);
	});

	it('a link whose publication has no time is published once', () => {
		const acceptedOnly = { status: 'accepted', accepted_at: time };
		expect(looks(acceptedOnly, { ...acceptedOnly, status: 'live' }).slice(1)).toEqual([
			['published:x'],
		]);
	});

	it('the same without any time', () => {
		const [up, down] = [{ status: 'live' }, { status: 'broken' }];
		expect(looks(up, down, up, up, down, down).slice(1)).toEqual([
			['broken:x'],
			[],
			['published:x#2'],
			[],
			['broken:x#2'],
		]);
	});

	it('a new time of publication counts at once, and its break is the first of it', () => {
		const later = { ...live, published_at: '2026-07-02T12:00:00Z' };
		expect(looks(live, broken, later, { ...later, status: 'broken' }).slice(2)).toEqual([
			['published:x:1782993600'],
			['broken:x:1782993600'],
		]);
	});

	it('a list that lags for a look repeats nothing', () => {
		const pending = { status: 'pending' };
		const acceptedOnly = { status: 'accepted', accepted_at: time };
		expect(looks(live, pending, live, acceptedOnly, live, broken, live, broken).slice(1)).toEqual([
			[],
			[],
			[],
			[],
			['broken:x:1782907217'],
			[],
			[],
		]);
	});

	it('an offer that is pending again and accepted with the same time was accepted once', () => {
		const pending = { status: 'pending' };
		const acceptedOnly = { status: 'accepted', accepted_at: time };
		const events = looks(acceptedOnly, pending, pending, acceptedOnly, acceptedOnly);
		expect(events.slice(1)).toEqual([[], [], [], []]);
	});

	it('a status that is not documented says nothing', () => {
		const events = looks(live, { ...live, status: 'checking' }, { ...live, status: 'x' }, live);
		expect(events.slice(1)).toEqual([[], [], []]);
	});
});

it('what is saved has no blanks at its end', () => {
	const exchanges = new Map([['x', { id: 'x', status: 'pending' }]]);
	const { memory } = compare({ scope: '', exchanges }, {}, false);
	expect(toStatic(memory)).toEqual({ exchanges: { x: 'pending' } });
});

it('anything else in the static data is an empty memory', () => {
	for (const value of [
		undefined,
		null,
		'x',
		1,
		{ exchanges: 'x', alerts: 5 },
		{ exchanges: null },
	]) {
		expect(fromStatic(value)).toEqual({});
	}
});
