/** What has happened to one exchange, poll after poll. */
import { expect, it } from 'vitest';

import { eventKey } from '../../../nodes/shared/fields/events.ts';
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

it('a text that is no moment is no time', () => {
	const at = (text: string) => ({ status: 'live', published_at: text });
	const [july, august] = [at('the 1st of July 2026'), at('the 1st of August 2026')];
	expect(polls(july, august, live, august, august).slice(1)).toEqual([[], [], [], []]);
});

it('a time of publication that was ahead and is corrected is no event; a later one than the corrected time is', () => {
	const on = (day: number) => ({ ...live, published_at: `2026-07-0${day}T12:00:17Z` });
	expect(polls(on(9), on(2), on(2), on(4)).slice(1)).toEqual([[], [], ['published:x:1783166417']]);
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

it.each([
	['pending', { status: 'accepted', accepted_at: time }],
	['pending', { status: 'accepted' }],
	['accepted', live],
	['accepted', broken],
	['pending', broken],
])('a stage is reached once: an old list (%s) makes nothing come again of %j', (status, known) => {
	const old = { status };
	expect(polls(known, old, old, old, known, known).slice(1).flat()).toEqual([]);
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

it('a time of acceptance that was ahead and is corrected is no event', () => {
	const on = (day: number) => ({
		status: 'accepted',
		accepted_at: `2026-07-0${day}T12:00:17Z`,
	});
	expect(polls(on(9), on(1), on(1), on(1)).slice(1)).toEqual([[], [], []]);
});
