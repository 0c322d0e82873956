/** Which alerts of a list are new. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it, onTestFinished, vi } from 'vitest';

import { mostAlerts } from '../../../nodes/BacklinkExchangeTrigger/alerts.ts';
import { eventKey } from '../../../nodes/shared/fields/events.ts';
import { randomNumbers } from '../../randomNumbers.mts';
import { comparePoll, type Memory, rememberedOf } from './comparing.mts';

function pollAlerts(alerts: IDataObject[], before: Memory) {
	const { changes, memory, text } = comparePoll({ alerts }, before);
	return { count: changes.length, data: changes.map(({ data }) => data), memory, text };
}
const alert = (number: number): IDataObject => ({
	id: `evt_${number}`,
	exchange_id: 'x',
	severity: 'high',
	type: 'gone',
	detail: '',
});

it('are remembered within a bound, those that are listed first, and all of these', () => {
	const first = pollAlerts(
		Array.from({ length: mostAlerts }, (_, number) => alert(number)),
		{},
	);
	expect(first.memory.alerts?.length).toBe(mostAlerts);
	const second = pollAlerts([alert(mostAlerts), alert(0)], first.memory);
	expect(second.count).toBe(1);
	expect(second.memory.alerts?.length).toBe(mostAlerts);
	const longest = Math.max(...[...(second.memory.alerts ?? [])].map((entry) => entry.length));
	expect(longest).toBeLessThan(40);
	expect(pollAlerts([alert(mostAlerts), alert(0)], second.memory).count).toBe(0);
	const all = Array.from({ length: mostAlerts + 1 }, (_, number) => alert(number));
	expect(pollAlerts(all, {}).memory.alerts?.length).toBe(mostAlerts + 1);
});

it('two alerts of one moment are two, whatever names their exchange, and one that is listed twice is one', () => {
	const time = '2026-07-01T12:00:00Z';
	const [one, other] = ['a', 'b'].map((id) => ({
		severity: 'high',
		exchange: { id },
		created_at: time,
	}));
	const first = pollAlerts([one ?? {}, other ?? {}, { ...one }], rememberedOf({ alerts: [] }));
	expect(first.data).toEqual([one, other]);
	expect(pollAlerts([other ?? {}, one ?? {}], first.memory).count).toBe(0);
	// Where the exchange or an id is named, fields that are not described make no other alert of it.
	const namedBy = [{}, { exchange_id: undefined }, { id: undefined, created_at: time }];
	for (const named of namedBy.map((fields) => ({ ...alert(1), ...fields }))) {
		const pages = [named, { ...named, checked_at: 'a moment later' }];
		expect(pollAlerts(pages, rememberedOf({ alerts: [] })).count).toBe(1);
	}
});

it('an alert is its id with its severity, or else its content and its time', () => {
	const newAfter = (before: IDataObject[], now: IDataObject[]) =>
		pollAlerts(now, pollAlerts(before, {}).memory).count;
	expect(newAfter([alert(1)], [{ ...alert(1), severity: 'critical' }])).toBe(1);
	const at = (day: number, field = 'created_at') => ({
		...{ exchange_id: 'x', severity: 'high', [field]: `2026-07-0${day}T12:00:00Z` },
	});
	for (const field of ['created_at', 'detected_at', 'occurred_at']) {
		expect(newAfter([at(1, field)], [at(2, field)])).toBe(1);
	}
	expect(newAfter([at(1)], [at(1), { ...at(1), detail: 'another' }])).toBe(1);
	// Of the exchange, not of the alert.
	const id = 'x';
	expect(
		newAfter(
			[{ ...at(1), id }],
			[1, 2].map((day) => ({ ...at(day), id })),
		),
	).toBe(1);
	// On two pages.
	expect(newAfter([at(1)], [at(1), at(1)])).toBe(0);
});

const plain = (severity: string) => ({ exchange_id: 'x', severity });

it('without id and time, one that two polls did not show is gone, and the next is new', () => {
	const [one, other] = [plain('high'), plain('low')];
	const { memory } = pollAlerts([one, other], {});
	const once = pollAlerts([other], memory).memory;
	expect(pollAlerts([one, other], once).count).toBe(0);
	const twice = pollAlerts([other], once).memory;
	expect(pollAlerts([one, other], twice).data).toEqual([one]);
});

it('what disappears all at once is kept for a day', () => {
	vi.useFakeTimers({ now: Date.parse('2026-07-01T12:00:00Z') });
	onTestFinished(() => {
		vi.useRealTimers();
	});
	const all = [plain('high'), plain('low')];
	let { memory } = pollAlerts([], {});
	const showNoneFor = (hours: number) => {
		for (let hour = 0; hour < hours; hour++) {
			memory = pollAlerts([], memory).memory;
			vi.advanceTimersByTime(3_600_000);
		}
	};
	// That nothing was there before does not count.
	showNoneFor(30);
	({ memory } = pollAlerts(all, memory));
	showNoneFor(23);
	expect(pollAlerts(all, memory).count).toBe(0);
	showNoneFor(4);
	expect(pollAlerts(all, memory).count).toBe(2);
});

it('without id and time, one that reads as others before it has a key of its own', () => {
	const listed = { ...alert(0), id: '' };
	const other = { ...alert(9), detail: 'always there' };
	let { memory } = pollAlerts([other], {});
	const keys: string[] = [];
	const show = (...alerts: IDataObject[]) => {
		const after = comparePoll({ alerts: [...alerts, other] }, memory);
		memory = after.memory;
		keys.push(
			...after.changes.map(({ event, data, occurrence }) => eventKey(event, data, occurrence)),
		);
	};
	show(listed);
	// It leaves the list before it is raised again.
	for (let poll = 0; poll < 4; poll++) show();
	show(listed);
	show(listed, listed, { ...alert(3), detail: 'other words' });
	const plain = eventKey('watchdog.alert', listed);
	expect(keys).toEqual([plain, `${plain}#2`, `${plain}#3`, expect.not.stringContaining('#')]);
});

it.each([
	['id', alert],
	['time', (number: number) => ({ ...alert(0), id: '', created_at: 1782907200 + number * 60 })],
])(
	'known by its %s, those that read the same come once, with keys of their own, whichever are listed and however few fit',
	(_what, numbered) => {
		const poll = fc.record({
			more: fc.nat({ max: 3 }),
			isListed: fc.func(fc.boolean()),
			room: fc.nat({ max: 2 }),
			isReversed: fc.boolean(),
		});
		const last = { more: 0, isListed: () => true, room: Infinity, isReversed: false };
		fc.assert(
			fc.property(fc.array(poll, { maxLength: 12 }), (polls) => {
				let { memory } = pollAlerts([], {});
				let count = 0;
				const keys = new Map<unknown, string>();
				for (const { more, isListed, room, isReversed } of [...polls, last]) {
					count += more;
					const all = Array.from({ length: count }, (_, number) => ({
						...numbered(number),
						number,
					}));
					const list = all.filter(isListed);
					if (isReversed) list.reverse();
					const fitting = comparePoll({ alerts: list }, memory).changes.slice(0, room);
					const taken = new Set(fitting.map(({ data }) => data));
					const result = comparePoll({ alerts: list }, memory, (data) => !taken.has(data));
					memory = result.memory;
					for (const { event, data, occurrence } of result.changes) {
						expect(keys.has(data.number)).toBe(false);
						keys.set(data.number, eventKey(event, data, occurrence));
					}
				}
				// What was left came later, and what was known is remembered once.
				expect(keys.size).toBe(count);
				expect(memory.alerts).toHaveLength(count);
				const plain = eventKey('watchdog.alert', alert(0));
				for (const [index, key] of [...keys.values()].entries()) {
					expect(key).toBe(index === 0 ? plain : `${plain}#${index + 1}`);
				}
			}),
		);
	},
);

it.each([
	['whatever a service changes about how it writes alerts', false],
	['if its list lags', true],
])('%s, each comes once', (_what, lags) => {
	const step = fc.record({
		/** Alerts that have come up since the poll before. */
		more: fc.nat({ max: 3 }),
		/** How many of the newest the list lacks, if the one before lacked none. */
		lag: fc.nat({ max: 2 }),
		asNumbers: fc.boolean(),
		isRounded: fc.boolean(),
		isReworded: fc.boolean(),
		seed: fc.nat(),
	});
	const service = fc.record({ hasId: fc.boolean(), hasTime: fc.boolean(), areAlike: fc.boolean() });
	fc.assert(
		fc.property(fc.array(step, { minLength: 2, maxLength: 15 }), service, (steps, service) => {
			const { hasId, hasTime, areAlike } = service;
			let memory: Memory = pollAlerts([], {}).memory;
			let [count, most] = [0, 0];
			let lagged = false;
			for (const [poll, { more, lag, asNumbers, isRounded, isReworded, seed }] of steps.entries()) {
				count += more;
				const shown: number = lagged || !lags ? count : Math.max(0, count - lag);
				lagged = shown < count;
				const list = Array.from({ length: shown }, (_, number): IDataObject => {
					const second = isRounded ? 18 : 17;
					const day = hasId && isReworded ? 2 : 1;
					const at = new Date(Date.UTC(2026, 6, day, 12, number * 2, second)).toISOString();
					const wording = areAlike ? 'wording' : `wording ${number}`;
					return {
						exchange_id: asNumbers ? 5 : '5',
						severity: asNumbers ? 3 : '3',
						type: 'gone',
						detail: hasId && isReworded ? `${wording} of poll ${poll}` : wording,
						checked_at: poll,
						...(hasId && { id: asNumbers ? number + 100 : String(number + 100) }),
						...(hasTime && { created_at: at }),
					};
				});
				const random = randomNumbers(seed);
				list.sort(() => random() - 0.5);
				const result = pollAlerts(list, memory);
				memory = result.memory;
				expect(result.count).toBe(Math.max(0, shown - most));
				most = Math.max(most, shown);
			}
		}),
		{ numRuns: 2000 },
	);
});
