/** Which alerts of a list are new. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { diffAlerts, maxTrackedAlerts } from '../../../nodes/BacklinkExchangeTrigger/diffAlerts.ts';
import { eventKey } from '../../../nodes/shared/descriptions/events.ts';

const plain = { exchange_id: 'x', severity: 'high', type: 'gone', detail: '' };
const withId = (number: number): IDataObject => ({ ...plain, id: `evt_${number}` });
const at = (minute: number): IDataObject => ({
	...plain,
	created_at: `2026-07-01T12:${String(minute).padStart(2, '0')}:00Z`,
});

/** Shows these lists at polls in a row, after a first one, and returns what was new at each. */
function newIn(...lists: IDataObject[][]): IDataObject[][] {
	let known: string[] = [];
	const found = lists.map((list) => {
		const comparison = diffAlerts(list, known);
		known = comparison.known;
		return comparison.newAlerts.map(({ alert }) => alert);
	});
	return found.slice(1);
}

it('an alert is its ID and severity, however the rest of it changes', () => {
	const worse = { ...withId(1), severity: 'critical' };
	const reworded = { ...withId(1), detail: 'other words' };
	expect(newIn([withId(1)], [reworded, withId(2)])).toEqual([[withId(2)]]);
	expect(newIn([withId(1)], [worse])).toEqual([[worse]]);
	expect(newIn([], [withId(1), withId(1)])).toEqual([[withId(1)]]);
});

it('without an ID of its own it is its content and time', () => {
	const ofExchange = (minute: number) => ({ ...at(minute), id: 'x' });
	for (const alert of [at, ofExchange]) {
		expect(newIn([alert(1)], [alert(1), alert(2)])).toEqual([[alert(2)]]);
	}
	const other = { ...at(1), detail: 'another' };
	expect(newIn([at(1)], [other, at(1)])).toEqual([[other]]);
});

it('without both it is counted among its equals, and gone after two polls that do not show it', () => {
	const other = { ...plain, severity: 'low' };
	expect(newIn([plain, other], [plain, plain, other])).toEqual([[plain]]);
	expect(newIn([plain, other], [other], [plain, other])).toEqual([[], []]);
	expect(newIn([plain, other], [other], [other], [plain, other])).toEqual([[], [], [plain]]);
});

it('an empty list changes nothing', () => {
	for (const list of [[plain], [withId(1)], [at(1)]]) {
		expect(newIn(list, [], [], [], list)).toEqual([[], [], [], []]);
	}
});

it('each has a key of its own: those of the same content are numbered', () => {
	let known: string[] = [];
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

it('as many are remembered as the trigger can watch, those that are listed first, in 40 bytes each', () => {
	const list = Array.from({ length: maxTrackedAlerts }, (_, number) => withId(number));
	const first = diffAlerts(list, []).known;
	const known = diffAlerts([withId(-1), ...list.slice(1)], first).known;
	expect(known).toHaveLength(maxTrackedAlerts);
	expect(Math.max(...known.map((text) => text.length))).toBeLessThan(40);
	expect(diffAlerts([withId(-1)], known).newAlerts).toEqual([]);
});

it('with ID or time, each comes once, with a key of its own, in whatever order and on whatever pages it is listed', () => {
	const poll = fc.record({
		more: fc.nat({ max: 3 }),
		isListed: fc.func(fc.boolean()),
		isReversed: fc.boolean(),
		asNumbers: fc.boolean(),
	});
	const last = { more: 0, isListed: () => true, isReversed: false, asNumbers: false };
	fc.assert(
		fc.property(fc.boolean(), fc.array(poll, { maxLength: 12 }), (hasId, polls) => {
			let known: string[] = [];
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
			expect(known).toHaveLength(count);
		}),
	);
});
