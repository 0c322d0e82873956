/** The keys of events. */
import { expect, test } from 'vitest';

import { eventKey, readAt } from '../createEvent.mts';

test('the key of an event without an ID is a hash of its content', () => {
	expect(eventKey('watchdog.alert', { severity: 'high', note: 1 })).not.toBe(
		eventKey('watchdog.alert', { severity: 'high', note: 2 }),
	);
});

test.each([
	['exchange.requested', { id: 7 }, 'exchange.requested:7'],
	['exchange.accepted', { id: 'x' }, 'exchange.accepted:x'],
	[
		'exchange.published',
		{ id: 'x', published_at: 1_782_907_200 },
		'exchange.published:x:1782907200',
	],
	['exchange.broken', { id: 'x', published_at: 1_782_907_200 }, 'exchange.broken:x:1782907200'],
	['credits.low', { balance: 1, lifetime_spent: 70 }, `credits.low:${readAt}`],
])('the key of %s contains what identifies it: %j', (event, data, key) => {
	expect(eventKey(event, data)).toBe(key);
	expect(eventKey(event, data, 2)).toBe(`${key}#2`);
});

test('the key of an alert depends only on exchange, severity, type and detail', () => {
	const alert = { exchange_id: 'x', severity: 1, type: 'gone', detail: 'no link' };
	const key = eventKey('watchdog.alert', alert);
	expect(eventKey('watchdog.alert', { ...alert, severity: '1', note: 'new' })).toBe(key);
	for (const other of [{ severity: 2 }, { type: 'nofollow' }, { detail: 'a link' }]) {
		expect(eventKey('watchdog.alert', { ...alert, ...other })).not.toBe(key);
	}
});

test.each(['2026-07-01T12:00:00.900Z', 1_782_907_200_900])(
	'the key contains the documented time in whole seconds, truncated (%s)',
	(time) => {
		const data = { id: 'x', accepted_at: time };
		expect(eventKey('exchange.accepted', data)).toBe('exchange.accepted:x:1782907200');
	},
);
