/** Detection of new alerts in a list. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import {
	diffAlerts as diff,
	type KnownAlerts,
	maxTrackedAlerts,
} from '../../../nodes/BacklinkExchangeTrigger/sources/alerts.ts';
import { parseAlert } from '../../../nodes/shared/api/alert.ts';
import { getEventKey } from '../../../nodes/shared/events/events.ts';
import { newAlert } from '../../../nodes/shared/events/newAlert.ts';

/** Nothing but an empty list was seen before. */
const nothing: KnownAlerts = { identified: [], listed: {}, missing: {}, seen: {} };

function diffAlerts(list: IDataObject[], previous: KnownAlerts) {
	const { changes, known } = diff(list.map(parseAlert), previous);
	const newAlerts = changes.map(({ record, count }) => ({ alert: record, occurrence: count }));
	return { newAlerts, known };
}

function eventKey(_: string, record: IDataObject, count = 1): string {
	const alert = parseAlert(record);
	return getEventKey({ type: newAlert, data: { record, alert, count } });
}

const plain = { exchange_id: 'x', severity: 'high', type: 'gone', detail: '' };
const withId = (number: number): IDataObject => ({ ...plain, id: `evt_${number}` });
const at = (minute: number): IDataObject => ({
	...plain,
	created_at: `2026-07-01T12:${String(minute).padStart(2, '0')}:00Z`,
});

/**
 * Compares these lists of consecutive polls, after a first one.
 *
 * @returns the new alerts of each
 */
function newIn(...lists: IDataObject[][]): IDataObject[][] {
	let known = nothing;
	const found = lists.map((list) => {
		const comparison = diffAlerts(list, known);
		known = comparison.known;
		return comparison.newAlerts.map(({ alert }) => alert);
	});
	return found.slice(1);
}

test('identifies an alert by its ID and severity, ignoring other changes', () => {
	const moreSevere = { ...withId(1), severity: 'critical' };
	const reworded = { ...withId(1), detail: 'other words' };
	expect(newIn([withId(1)], [reworded, withId(2)])).toEqual([[withId(2)]]);
	expect(newIn([withId(1)], [moreSevere])).toEqual([[moreSevere]]);
	expect(newIn([], [withId(1), withId(1)])).toEqual([[withId(1)]]);
});

test('identifies an alert without an ID by its content and time', () => {
	const exchangeAlert = (minute: number) => ({ ...at(minute), id: 'x' });
	for (const alert of [at, exchangeAlert]) {
		expect(newIn([alert(1)], [alert(1), alert(2)])).toEqual([[alert(2)]]);
	}
	const other = { ...at(1), detail: 'another' };
	expect(newIn([at(1)], [other, at(1)])).toEqual([[other]]);
});

test('counts equal alerts without ID and time, and forgets them after two polls without them', () => {
	const other = { ...plain, severity: 'low' };
	expect(newIn([plain, other], [plain, plain, other])).toEqual([[plain]]);
	expect(newIn([plain, other], [other], [plain, other])).toEqual([[], []]);
	expect(newIn([plain, other], [other], [other], [plain, other])).toEqual([[], [], [plain]]);
});

test('forgets alerts without ID and time after two empty lists, and no others', () => {
	for (const list of [[withId(1)], [at(1)]]) {
		expect(newIn(list, [], [], [], list)).toEqual([[], [], [], []]);
	}
	expect(newIn([plain], [], [plain])).toEqual([[], []]);
	expect(newIn([plain], [], [], [plain])).toEqual([[], [], [plain]]);
});

test('gives each alert its own key, with numbers for equal content', () => {
	let known = nothing;
	const keys: string[] = [];
	const show = (...alerts: IDataObject[]) => {
		const comparison = diffAlerts(alerts, known);
		known = comparison.known;
		for (const { alert, occurrence } of comparison.newAlerts) {
			keys.push(eventKey('watchdog.alert', alert, occurrence));
		}
	};
	const other = { ...plain, type: 'other' };
	show(plain, other);
	for (let poll = 0; poll < 3; poll++) show(other);
	show(plain, other);
	show(plain, plain, other);
	const key = eventKey('watchdog.alert', plain);
	expect(keys).toEqual([key, eventKey('watchdog.alert', other), `${key}#2`, `${key}#3`]);
});

test('remembers the listed alerts first, up to the maximum', () => {
	const list = Array.from({ length: maxTrackedAlerts }, (_, number) => withId(number));
	const first = diffAlerts(list, nothing).known;
	const known = diffAlerts([withId(-1), ...list.slice(1)], first).known;
	expect(known.identified).toHaveLength(maxTrackedAlerts);
	expect(diffAlerts([withId(-1)], known).newAlerts).toEqual([]);
});

test('finds each alert with ID or time once, with its own key, in any order and on any pages', () => {
	const poll = fc.record({
		more: fc.nat({ max: 3 }),
		isListed: fc.func(fc.boolean()),
		isReversed: fc.boolean(),
		asNumbers: fc.boolean(),
	});
	const last = { more: 0, isListed: () => true, isReversed: false, asNumbers: false };
	fc.assert(
		fc.property(fc.boolean(), fc.array(poll, { maxLength: 12 }), (hasId, polls) => {
			let known = nothing;
			let count = 0;
			const keys = new Map<unknown, string>();
			for (const { more, isListed, isReversed, asNumbers } of [...polls, last]) {
				count += more;
				const identified = (number: number): IDataObject => {
					if (!hasId) return { ...at(number), number };
					return { ...plain, id: asNumbers ? number + 100 : String(number + 100), number };
				};
				const all = Array.from({ length: count }, (_, number) => identified(number));
				const list = all.filter(isListed);
				if (isReversed) list.reverse();
				const comparison = diffAlerts(list, known);
				known = comparison.known;
				for (const { alert, occurrence } of comparison.newAlerts) {
					expect(keys.has(alert.number)).toBe(false);
					keys.set(alert.number, eventKey('watchdog.alert', alert, occurrence));
				}
			}
			expect(keys.size).toBe(count);
			expect(new Set(keys.values()).size).toBe(count);
			expect(known.identified).toHaveLength(count);
		}),
	);
});
