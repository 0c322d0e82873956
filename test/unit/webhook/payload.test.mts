/** The events in a delivery, in whatever wrapper. */
import { expect, it } from 'vitest';

import { readEvents } from '../../../nodes/BacklinkExchangeWebhookTrigger/payload.ts';

const data = { id: 'x', accepted_at: 1782907200 };

function eventsOf(json: unknown, header?: string) {
	return readEvents(json, header)?.map((read) => [read.event, read.data]);
}

it.each([
	[{ id: 'x', live_url: 'https://x.example' }, 'exchange.published'],
	[{ id: 'x', published_at: 1782907200 }, 'exchange.published'],
	[{ id: 'x', accepted_at: 1782907200 }, 'exchange.accepted'],
	[{ id: 'x', from_site: 'a' }, 'exchange.requested'],
	[{ id: 'x', to_site: 'a' }, 'exchange.requested'],
	[{ id: 'x', anchor: 'a' }, 'exchange.requested'],
	[{ exchange_id: 'x', detail: '' }, 'watchdog.alert'],
	[{ id: 'x' }, 'unknown'],
	[{ exchange_id: 'x', note: 'a' }, 'unknown'],
	[{ live_url: 'https://x.example', anchor: 'a' }, 'unknown'],
	[{}, 'unknown'],
])('a bare payload %j is %s', (payload, event) => {
	expect(eventsOf(payload)).toEqual([[event, payload]]);
});

it.each([
	['event before what the fields show', { event: 'exchange.published' }, 'exchange.published'],
	['event before type', { event: 'exchange.published', type: 'x' }, 'exchange.published'],
	['a type that is documented', { type: 'exchange.published' }, 'exchange.published'],
	['a type that is not', { type: 'exchange.lost' }, 'exchange.accepted'],
	['an event that is no name', { event: '', type: 5 }, 'exchange.accepted'],
	['an event of 100 characters', { event: 'e'.repeat(100) }, 'e'.repeat(100)],
	['an event that is longer', { event: 'e'.repeat(101) }, 'exchange.accepted'],
])('in a flat object, %s counts', (_what, names, event) => {
	const flat = { ...data, ...names };
	expect(eventsOf(flat)).toEqual([[event, flat]]);
});

it.each([
	[
		'with a payload of its own, any type is a name',
		{ type: 'credit.low', payload: data },
		'credit.low',
	],
	[
		'the payload is what has its fields',
		{ data: { attempt: 1 }, payload: data },
		'exchange.accepted',
	],
	['an empty list beside it is no batch', { events: [], payload: [], data }, 'exchange.accepted'],
])('in a wrapper, %s', (_what, wrapper, event) => {
	expect(eventsOf(wrapper)).toEqual([[event, data]]);
});

it('a test event whose payload has no fields, and is written as a list, is one event; an empty batch is none', () => {
	const test = { event: 'webhook.test', data: [] };
	expect(eventsOf(test)).toEqual([['webhook.test', test]]);
	for (const event of ['exchange.requested', undefined]) {
		expect(eventsOf({ event, data: [] })).toBeUndefined();
	}
});

it('the header, which is not signed, names only what the body neither names nor shows', () => {
	const bare = { id: 'x' };
	expect(eventsOf(bare, 'exchange.published')).toEqual([['exchange.published', bare]]);
	expect(eventsOf(data, 'exchange.published')).toEqual([['exchange.accepted', data]]);
	expect(eventsOf(data, 'exchange.extended')).toEqual([['exchange.accepted', data]]);
	const named = { event: 'credit.low', data };
	expect(eventsOf(named, 'exchange.extended')).toEqual([['credit.low', data]]);
});

it.each([
	{ exchange_id: 'x', type: 'link_removed', data: { code: 404 } },
	{ event: 'watchdog.alert', exchange_id: 'x', type: 'link_removed', payload: { code: 404 } },
	{ exchange_id: 'x', severity: 'low', data: [{ id: 'x', anchor: 'y' }] },
])('an object or a list among the fields of a payload is no payload: %j', (alert) => {
	expect(eventsOf(alert)).toEqual([['watchdog.alert', alert]]);
});

const batch = [{ id: 'a' }, { id: 'b' }];
const named = batch.map((each) => ({ event: 'exchange.accepted', data: each }));

it.each([
	{ type: 'batch', events: named },
	{ type: 'batch', data: named },
	{ type: 'batch', payload: named },
	{ event: 'exchange.accepted', data: batch },
	{ type: 'exchange.accepted', payload: batch },
	[{ type: 'exchange.accepted', data: batch }],
	named.map((each) => [each]),
	{ events: [{ events: named }] },
	{ events: [{ event: 'exchange.accepted', data: batch }] },
	[{ events: named }, 5, null],
])('in a batch %j, each has the name that stands nearest', (body) => {
	expect(eventsOf(body)).toEqual(batch.map((each) => ['exchange.accepted', each]));
});

it('the type of a list of events names none of them', () => {
	expect(eventsOf({ type: 'batch', events: [data] })).toEqual([['exchange.accepted', data]]);
});

it.each([{ events: [] }, { data: [1, 2] }, { event: 'exchange.accepted', data: [null] }, [], 5])(
	'there is no event in %j',
	(body) => {
		expect(eventsOf(body)).toBeUndefined();
	},
);
