/** What has happened to exchanges, poll after poll. */
import fc from 'fast-check';
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
const accepted = { status: 'accepted', accepted_at: time };
const live = { status: 'live', accepted_at: time, published_at: time };
const broken = { ...live, status: 'broken' };

it('a text that is no moment is no time', () => {
	const at = (text: string) => ({ status: 'live', published_at: text });
	const [july, august] = [at('the 1st of July 2026'), at('the 1st of August 2026')];
	expect(polls(july, august, live, august, august).slice(1)).toEqual([[], [], [], []]);
});

it('a time that was ahead and is corrected is no event; a later one than the corrected time is', () => {
	const acceptedOn = (day: number) => ({ ...accepted, accepted_at: `2026-07-0${day}T12:00:17Z` });
	expect(polls(acceptedOn(9), acceptedOn(1), acceptedOn(9)).slice(1)).toEqual([[], []]);
	const on = (day: number) => ({ ...live, published_at: `2026-07-0${day}T12:00:17Z` });
	expect(polls(on(9), on(2), on(2), on(4)).slice(1)).toEqual([[], [], ['published:x:1783166417']]);
});

it('a later acceptance counts at once, however often the link was published', () => {
	const later = { ...live, accepted_at: '2026-07-02T12:00:00Z' };
	const events = polls(live, broken, live, live, later, later);
	expect(events.slice(4)).toEqual([['accepted:x:1782993600'], []]);
});

it('a time that comes later, or is left out, is no other time; a later one than before is', () => {
	const without = { status: 'live' };
	expect(polls(without, live, without, without, live).slice(1)).toEqual([[], [], [], []]);
	const later = { ...live, published_at: '2026-07-02T12:00:00Z' };
	expect(polls(live, without, later).slice(1)).toEqual([[], ['published:x:1782993600']]);
});

it('a new time of publication counts at once, and its break is the first of it', () => {
	const later = { ...live, published_at: '2026-07-02T12:00:00Z' };
	const laterBroken = { ...later, status: 'broken' };
	const [published, isBroken] = ['published:x:1782993600', 'broken:x:1782993600'];
	expect(polls(live, broken, later, laterBroken).slice(2)).toEqual([[published], [isBroken]]);
	expect(polls(live, broken, laterBroken).slice(2)).toEqual([[published, isBroken]]);
	expect(polls(live, broken, live, live, laterBroken).slice(4)).toEqual([[published, isBroken]]);
});

it.each([
	['pending', accepted],
	['accepted', broken],
])('a stage is reached once: an old list (%s) makes nothing come again of %j', (status, known) => {
	const old = { status };
	expect(polls(known, old, old, old, known, known).slice(1).flat()).toEqual([]);
});

it('a link that breaks without having been published was not live, where times are shown at all', () => {
	const never = { ...accepted, published_at: null };
	const events = polls(never, { ...never, status: 'broken' }, live, live, broken);
	expect(events.slice(1)).toEqual([
		['broken:x'],
		[],
		['published:x:1782907217'],
		['broken:x:1782907217'],
	]);
	const liveWithoutTime = { ...never, status: 'live' };
	expect(polls(never, liveWithoutTime).slice(1)).toEqual([['published:x']]);
	const withoutTimes = { status: 'broken', accepted_at: null, published_at: null };
	expect(polls({ status: 'accepted' }, withoutTimes).slice(1)).toEqual([
		['published:x', 'broken:x'],
	]);
});

it('with a status that is not documented, a later time of publication says that the link is live again', () => {
	const later = { ...live, published_at: '2026-07-02T12:00:00Z' };
	const events = polls(broken, { ...later, status: 'checking' }, later, later);
	expect(events.slice(1)).toEqual([['published:x:1782993600'], [], []]);
});

it('a status that is not documented says nothing', () => {
	const checking = { ...broken, status: 'checking' };
	const events = polls(broken, checking, { ...broken, status: 'x' }, checking, broken, broken);
	expect(events.slice(1)).toEqual([[], [], [], [], []]);
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

interface State {
	status: 'pending' | 'accepted' | 'live' | 'broken';
	/** Epoch seconds. */
	acceptedAt?: number;
	publishedAt?: number;
}

/** How the service writes times; `volatile` writes them again at each poll. */
type Times = 'exact' | 'none' | 'volatile' | 'a text';

const start = Date.parse('2026-07-01T11:59:57Z') / 1000;
const stages = ['pending', 'accepted', 'live', 'broken'];

/** What happens next to an exchange; a link that broke comes back with a new time of publication, or with the old one. */
function next(state: State | undefined, keepsTime: boolean, now: number): State {
	if (state === undefined) return { status: 'pending' };
	if (state.status === 'pending') return { status: 'accepted', acceptedAt: now };
	if (state.status === 'live') return { ...state, status: 'broken' };
	const publishedAt = keepsTime ? (state.publishedAt ?? now) : now;
	return { ...state, status: 'live', publishedAt };
}

const forms: Array<(seconds: number) => unknown> = [
	(seconds) => seconds,
	(seconds) => seconds * 1000 + 123,
	(seconds) => String(seconds),
	(seconds) => new Date(seconds * 1000).toISOString(),
	(seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', 'Z'),
	(seconds) => new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ''),
	(seconds) => new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', ' UTC'),
	(seconds) => new Date((seconds + 7200) * 1000).toISOString().replace('.000Z', '+02:00'),
	(seconds) => new Date((seconds + 7200) * 1000).toISOString().replace('.000Z', ' +0200'),
	(seconds) => new Date(seconds * 1000).toUTCString(),
];

function write(seconds: number | undefined, times: Times, form: number, poll: number): unknown {
	if (seconds === undefined || times === 'none') return [null, undefined, ''][form % 3];
	if (times === 'volatile') return `${poll * 5 + form} minutes ago`;
	if (times === 'a text') return `on day ${seconds} of the year 2026`;
	return forms[form % forms.length]?.(seconds);
}

const step = fc.oneof(
	{
		weight: 1,
		arbitrary: fc.record({ kind: fc.constant('move' as const), keepsTime: fc.boolean() }),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('poll' as const),
			/** How many states it lags behind, or that it does not list the exchange; if the poll before did neither. */
			lag: fc.nat({ max: 3 }),
			isMissing: fc.boolean(),
			form: fc.nat({ max: 100 }),
		}),
	},
);

/** The events that a series of states shows to somebody who sees every one of them. */
function eventsBetween(states: State[]): string[] {
	return states.flatMap((state, index) => {
		const before = states[index - 1];
		if (before === undefined) return [];
		const [stage, stageBefore] = [stages.indexOf(state.status), stages.indexOf(before.status)];
		const isAnew = state.publishedAt !== before.publishedAt && before.publishedAt !== undefined;
		return [
			...(stage >= 1 && stageBefore < 1 ? ['exchange.accepted'] : []),
			...(stage >= 2 && (stageBefore < 2 || isAnew || (stage === 2 && stageBefore === 3))
				? ['exchange.published']
				: []),
			...(stage === 3 && (stageBefore < 3 || isAnew) ? ['exchange.broken'] : []),
		];
	});
}

function count(names: string[], name: string): number {
	return names.filter((each) => each === name).length;
}

/** Any history of an exchange, shown by lists that lag, write times in any way and have fields that change at every poll. */
it('in any history each event comes once, and each that two polls in a row have shown', () => {
	const steps = fc.array(step, { minLength: 5, maxLength: 40 });
	const times = fc.constantFrom<Times>('exact', 'none', 'volatile', 'a text');
	fc.assert(
		fc.property(steps, times, (steps, times) => {
			const history: State[] = [];
			/** By poll: the place in the history of what was shown. */
			const shown: Array<{ index: number; isFresh: boolean } | undefined> = [];
			const given: string[] = [];
			const keys: string[] = [];
			let memory = rememberedOf({ exchanges: new Map() });
			for (const [number, each] of steps.entries()) {
				if (each.kind === 'move') {
					history.push(next(history.at(-1), each.keepsTime, start + number * 7));
					continue;
				}
				const last = history.length - 1;
				const mayLag = shown.at(-1)?.isFresh === true;
				const index = Math.max(0, last - (mayLag ? each.lag : 0));
				const state = mayLag && each.isMissing ? undefined : history[index];
				shown.push(state && { index, isFresh: index === last });
				const record = (state: State) => ({
					id: 'x',
					status: state.status,
					accepted_at: write(state.acceptedAt, times, each.form, number) as string,
					published_at: write(state.publishedAt, times, each.form + 1, number) as string,
					checked_at: number,
				});
				const result = comparePoll({ exchanges: new Map(state && [['x', record(state)]]) }, memory);
				memory = result.memory;
				for (const { event, data, occurrence } of result.changes) {
					given.push(event);
					keys.push(eventKey(event, data, occurrence));
				}
			}

			if (times === 'exact' || times === 'none') {
				expect(new Set(keys).size, `a key came twice: ${keys.join(' ')}`).toBe(keys.length);
				for (const key of keys) {
					const [, base = '', number = ''] = /^(.*)#(\d+)$/.exec(key) ?? [];
					const previous = number === '2' ? base : `${base}#${Number(number) - 1}`;
					if (number !== '') expect(keys).toContain(previous);
				}
			}
			// At most what really happened, and at least what two polls in a row have shown.
			const happened = eventsBetween([{ status: 'pending' }, ...history]);
			const certain = shown.flatMap((seen, poll) => {
				const before = shown[poll - 1];
				const isTwice = seen?.isFresh && before?.isFresh && before.index === seen.index;
				const state = isTwice ? history[seen.index] : undefined;
				if (state === undefined) return [];
				// Times that cannot be read do not distinguish one publication from another.
				return [times === 'exact' ? state : { ...state, publishedAt: undefined }];
			});
			const least = eventsBetween([{ status: 'pending' }, ...certain]);
			for (const name of ['exchange.accepted', 'exchange.published', 'exchange.broken']) {
				expect(count(given, name), name).toBeLessThanOrEqual(count(happened, name));
				expect(count(given, name), name).toBeGreaterThanOrEqual(count(least, name));
			}
			expect(count(given, 'exchange.requested')).toBe(shown.some(Boolean) ? 1 : 0);
		}),
		{ numRuns: 6000 },
	);
});
