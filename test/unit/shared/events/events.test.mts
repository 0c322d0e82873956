/** The table of events, and everything that must agree with it. */

import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { properties as pollingProperties } from '../../../../nodes/BacklinkExchangeTrigger/parameters.ts';
import { properties as webhookProperties } from '../../../../nodes/BacklinkExchangeWebhookTrigger/parameters.ts';
import { events as allEvents } from '../../../../nodes/shared/events/events.ts';
import { read } from '../../../repository.mts';
import { eventKey, readAt } from '../createEvent.mts';

const documented = read('sandbox/service-api.md');
const all = [...allEvents]
	.sort((one, other) => (one.label < other.label ? -1 : 1))
	.map(({ name, label, description, payload }) => ({
		event: name,
		name: label,
		description,
		hasWebhook: payload !== undefined,
	}));

function choices(properties: INodeProperties[]) {
	const field = properties.find(({ name }) => name === 'events');
	return { options: field?.options ?? [], chosen: field?.default };
}

test("the service's documentation lists exactly the events by webhook", () => {
	const section = documented.slice(documented.indexOf('## Events'));
	const found = section.matchAll(/^\| ((?:exchange|watchdog)\.\w+) \|/gm);
	const named = [...found].map(([, name]) => name).sort();
	expect(
		all
			.filter(({ hasWebhook }) => hasWebhook)
			.map(({ event }) => event)
			.sort(),
	).toEqual(named);
});

describe.each([
	['webhook', webhookProperties, all.filter(({ hasWebhook }) => hasWebhook)],
	['polling', pollingProperties, all],
] as const)('the %s trigger', (_name, properties, expected) => {
	test('offers its events alphabetically; all are selected except the optional ones', () => {
		const { options, chosen } = choices(properties);
		expect(options).toEqual(
			expected.map(({ event, name, description }) => ({ name, value: event, description })),
		);
		const onRequest = ['credits.low', 'exchange.recovered', 'site.verified'];
		const selectedByDefault = expected.filter(({ event }) => !onRequest.includes(event));
		expect(chosen).toEqual(selectedByDefault.map(({ event }) => event));
		expect(options.map(({ name }) => name)).toEqual(expected.map(({ name }) => name).sort());
	});
});

test('the page on polling lists each event', () => {
	const rows = [
		...read('docs/polling-trigger.md').matchAll(/^\| \*\*(.+)\*\* +\| `([a-z]+\.[a-z]+)` +\|/gm),
	];
	expect(rows.map(([, name, event]) => [event, name])).toEqual(
		all.map(({ event, name }) => [event, name]),
	);
});

test('the key of an event without an ID is a hash of its content', () => {
	const getKey = (event: string, data: object) => eventKey(event, data as never);
	expect(getKey('watchdog.alert', { severity: 'high', note: 1 })).not.toBe(
		getKey('watchdog.alert', { severity: 'high', note: 2 }),
	);
	expect(getKey('exchange.accepted', { exchange_id: 'x', note: 1 })).not.toBe(
		getKey('exchange.accepted', { exchange_id: 'x', note: 2 }),
	);
	expect(getKey('exchange.accepted', { a: 1, b: { c: 2, d: 3 } })).toBe(
		getKey('exchange.accepted', { b: { d: 3, c: 2 }, a: 1 }),
	);
	expect(getKey('exchange.accepted', { a: null })).not.toBe(getKey('exchange.accepted', {}));
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
