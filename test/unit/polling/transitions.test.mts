/** What has happened to one exchange, poll after poll. */
import { expect, it } from 'vitest';

import { eventKey } from '../../../nodes/shared/events.ts';
import { comparePoll, rememberedOf } from './comparing.mts';

function polls(...shown: Array<Record<string, string | number | null>>): string[][] {
	let memory = rememberedOf({ exchanges: new Map() });
	return shown.map((fields) => {
		const exchanges = new Map([['x', { id: 'x', ...fields }]]);
		const result = comparePoll({ exchanges }, memory);
		memory = result.memory;
		return result.changes.map(({ event, data, occurrence }) =>
			eventKey(event, data, occurrence).replace('exchange.', ''),
		);
	});
}
const time = '2026-07-01T12:00:17Z';
const live = { status: 'live', accepted_at: time, published_at: time };
const broken = { ...live, status: 'broken' };

it.each([
	['the 1st of July 2026', 'the 1st of August 2026'],
	['1 de julio de 2026', '1 de agosto de 2026'],
])(
	'another text that names the same year is another time (%s, %s), once two polls show it',
	(july, august) => {
		const at = (text: string) => ({ status: 'live', published_at: text });
		expect(polls(at(july), at(august), at(august)).slice(1)).toEqual([
			[],
			[`published:x:${august.replaceAll(' ', '_')}`],
		]);
	},
);

it('a text instead of a moment, or the other way round, is another time, once two polls show it', () => {
	const text = { ...live, published_at: 'the 1st of July 2026' };
	expect(polls(live, text, text, live, live).slice(1)).toEqual([
		[],
		['published:x:the_1st_of_July_2026'],
		[],
		['published:x:1782907217'],
	]);
});

it('two polls that show different times do not confirm each other', () => {
	const on = (day: string) => ({ status: 'live', published_at: `the ${day} of July 2026` });
	expect(polls(on('1st'), on('2nd'), on('3rd'), on('3rd')).slice(1)).toEqual([
		[],
		[],
		['published:x:the_3rd_of_July_2026'],
	]);
});

it('once the exact time has been seen, another on the same day is another', () => {
	const day = { ...live, published_at: '2026-07-01' };
	const evening = { ...live, published_at: '2026-07-01T18:00:00Z' };
	expect(polls(day, live, evening).slice(1)).toEqual([[], ['published:x:1782928800']]);
	expect(polls(live, day, evening).slice(1)).toEqual([[], ['published:x:1782928800']]);
});

it('a later acceptance counts at once', () => {
	const acceptedAt = (moment: string) => ({ status: 'accepted', accepted_at: moment });
	const later = acceptedAt('2026-07-02T12:00:00Z');
	const events = polls(acceptedAt(time), later, later, later);
	expect(events.slice(1)).toEqual([['accepted:x:1782993600'], [], []]);
});

it('a time that comes later, or is left out, is no other time', () => {
	const without = { status: 'live' };
	expect(polls(without, live, without, without, live).slice(1)).toEqual([[], [], [], []]);
});

it('a link that was broken when it was first seen has broken once', () => {
	const events = polls(broken, live, live, broken, broken);
	expect(events.slice(1).flat()).toEqual(['published:x:1782907217#2', 'broken:x:1782907217#2']);
});

it('a new time of publication counts at once, and its break is the first of it', () => {
	const later = { ...live, published_at: '2026-07-02T12:00:00Z' };
	expect(polls(live, broken, later, { ...later, status: 'broken' }).slice(2)).toEqual([
		['published:x:1782993600'],
		['broken:x:1782993600'],
	]);
});

it('an offer that is pending again and accepted with the same time was accepted once', () => {
	const pending = { status: 'pending' };
	const acceptedOnly = { status: 'accepted', accepted_at: time };
	const events = polls(acceptedOnly, pending, pending, acceptedOnly, acceptedOnly);
	expect(events.slice(1)).toEqual([[], [], [], []]);
});

it('an offer that is pending again and accepted again, without times, was accepted twice', () => {
	const [pending, accepted] = [{ status: 'pending' }, { status: 'accepted' }];
	const events = polls(accepted, pending, pending, accepted, accepted);
	expect(events.slice(1)).toEqual([[], [], [], ['accepted:x#2']]);
});

it.each([live, broken])('a status that is not documented says nothing (%j)', (known) => {
	const checking = { ...known, status: 'checking' };
	const events = polls(known, checking, { ...known, status: 'x' }, checking, known, known);
	expect(events.slice(1)).toEqual([[], [], [], [], []]);
});

it.each([
	'0001-01-01T00:00:00Z',
	'1899-12-30',
	'1970-01-01T00:00:00Z',
	'1970-01-01 00:00',
	0,
	'9999-12-31',
	'9999-12-31T23:59:59.999Z',
])('%s is no time', (none) => {
	const [pending, accepted] = ['checking', 'accepted'].map((status) => ({
		status,
		accepted_at: none,
		published_at: none,
	}));
	expect(polls({ ...pending }, { ...accepted, accepted_at: time }, live, broken)).toEqual([
		['requested:x'],
		['accepted:x:1782907217'],
		['published:x:1782907217'],
		['broken:x:1782907217'],
	]);
});

it('where the status is not documented, the times show how far it is', () => {
	const checking = { status: 'checking' };
	const acceptedAt = { ...checking, accepted_at: time };
	const publishedAt = { ...acceptedAt, published_at: time };
	expect(polls(checking, acceptedAt, publishedAt, publishedAt)).toEqual([
		['requested:x'],
		['accepted:x:1782907217'],
		['published:x:1782907217'],
		[],
	]);
	expect(polls({ ...checking, published_at: time })).toEqual([
		['requested:x', 'accepted:x', 'published:x:1782907217'],
	]);
});

it('a link that is published again and breaks between two polls is one more of each', () => {
	const later = { ...broken, published_at: '2026-07-02T12:00:00Z' };
	expect(polls(live, broken, later, later).slice(2)).toEqual([
		['published:x:1782993600', 'broken:x:1782993600'],
		[],
	]);
});

it('a link that is not live any more, and then live with the same time, is published again', () => {
	const acceptedOnly = { ...live, status: 'accepted' };
	const events = polls(live, acceptedOnly, acceptedOnly, live, live);
	expect(events.slice(1)).toEqual([[], [], [], ['published:x:1782907217#2']]);
});

it('a time of acceptance that was ahead and is corrected is no event', () => {
	const on = (day: number) => ({
		status: 'accepted',
		accepted_at: `2026-07-0${day}T12:00:17Z`,
	});
	expect(polls(on(9), on(1), on(1), on(1)).slice(1)).toEqual([[], [], []]);
});
