/** Which alerts of a list are new. */
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { mostAlerts } from '../../../nodes/BacklinkExchangePollingTrigger/alerts.ts';
import { comparePoll, type Memory } from './comparing.mts';

function pollAlerts(alerts: IDataObject[], before: Memory) {
	const { changes, memory, tooMany, text } = comparePoll({ alerts }, before);
	return { count: changes.length, data: changes.map(({ data }) => data), memory, tooMany, text };
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
	expect(second.memory.alerts?.length).toBe(mostAlerts);
	const longest = Math.max(...[...(second.memory.alerts ?? [])].map((entry) => entry.length));
	expect(longest).toBeLessThan(40);
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

it('one with an id that was not listed for a while is known', () => {
	let { memory } = pollAlerts([alert(1)], {});
	for (let polls = 0; polls < 3; polls++) memory = pollAlerts([], memory).memory;
	const again = pollAlerts([alert(1)], memory);
	expect(again.count).toBe(0);
	expect(again.memory.alerts?.length).toBe(1);
});

it.each(['created_at', 'detected_at', 'occurred_at'])(
	'without an id, one with another %s is another',
	(field) => {
		const at = (day: string) => ({ exchange_id: 'x', [field]: `2026-07-${day}T12:00:00Z` });
		const { memory } = pollAlerts([at('01')], {});
		expect(pollAlerts([at('02')], memory).count).toBe(1);
	},
);

it('without id and time, those that read differently are counted apart', () => {
	const saying = (detail: string) => ({ exchange_id: 'x', severity: 'high', detail });
	const { memory } = pollAlerts([saying('gone'), saying('nofollow')], {});
	expect(pollAlerts([saying('nofollow')], memory).count).toBe(0);
	expect(pollAlerts([saying('moved')], memory).count).toBe(1);
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
	expect(twice.alerts).toEqual([]);
	expect(pollAlerts([one], twice).count).toBe(1);
});

it('the same on two pages is one, also without an id', () => {
	const timed = { exchange_id: 'x', severity: 'high', created_at: '2026-07-01T12:00:00Z' };
	const { memory } = pollAlerts([timed], {});
	expect(pollAlerts([timed, timed], memory).count).toBe(0);
	expect(pollAlerts([timed, { ...timed, detail: 'another' }], memory).count).toBe(1);
});
