/** The events in a delivery, in whatever wrapper, and what the log says of one that holds none. */
import { expect, it } from 'vitest';

import { readEvents } from '../../../nodes/BacklinkExchangeWebhookTrigger/payload.ts';

function eventsOf(json: unknown, header?: string) {
	return readEvents(json, header)?.map(({ event, data }) => [event, data]);
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
	const flat = { id: 'x', accepted_at: 1782907200, ...names };
	expect(eventsOf(flat)).toEqual([[event, flat]]);
});

it('with a payload of its own, any type is the name of the event', () => {
	const data = { id: 'x', accepted_at: 1782907200 };
	expect(eventsOf({ type: 'credit.low', payload: data })).toEqual([['credit.low', data]]);
});

it('the header, which is not signed, names only what the body neither names nor shows', () => {
	const data = { id: 'x', accepted_at: 1782907200 };
	expect(eventsOf({ id: 'x' }, 'exchange.published')).toEqual([
		['exchange.published', { id: 'x' }],
	]);
	expect(eventsOf(data, 'exchange.published')).toEqual([['exchange.accepted', data]]);
	expect(eventsOf(data, 'exchange.extended')).toEqual([['exchange.accepted', data]]);
	expect(eventsOf({ event: 'credit.low', data }, 'exchange.extended')).toEqual([
		['credit.low', data],
	]);
});

it.each([
	{ exchange_id: 'x', type: 'link_removed', data: { code: 404 } },
	{ event: 'watchdog.alert', exchange_id: 'x', type: 'link_removed', payload: { code: 404 } },
])('an object among the fields of a payload is no payload: %j', (alert) => {
	expect(eventsOf(alert)).toEqual([['watchdog.alert', alert]]);
});

it('the payload is what has its fields, of two objects beside each other', () => {
	const payload = { id: 'x', accepted_at: 1782907200 };
	expect(eventsOf({ data: { attempt: 1 }, payload })).toEqual([['exchange.accepted', payload]]);
});

it.each(['events', 'data', 'payload'])(
	'in a batch under %s, the names of its events count',
	(key) => {
		const data = { id: 'x', accepted_at: 1782907200 };
		const batch = { type: 'batch', [key]: [{ event: 'exchange.accepted', data }] };
		expect(eventsOf(batch)).toEqual([['exchange.accepted', data]]);
	},
);

it.each([{ event: 'exchange.accepted' }, { type: 'exchange.accepted' }])(
	'each payload in a batch that is named (%j) has its name',
	(name) => {
		const [one, other] = [{ id: 'a' }, { id: 'b' }];
		expect(eventsOf({ ...name, data: [one, other] })).toEqual([
			['exchange.accepted', one],
			['exchange.accepted', other],
		]);
	},
);

it('batches may be in an array, or in each other', () => {
	const [one, other] = ['a', 'b'].map((id) => ({ id, accepted_at: 1782907200 }));
	const batch = { type: 'exchange.accepted', data: [one, other] };
	const expected = [one, other].map((data) => ['exchange.accepted', data]);
	for (const body of [[batch], [[one], [other]], { events: [batch] }, [{ events: [one, other] }]]) {
		expect(eventsOf(body)).toEqual(expected);
	}
});

it.each(['events', 'payload'])('%s may be empty beside a payload', (list) => {
	const data = { id: 'x', accepted_at: 1782907200 };
	expect(eventsOf({ [list]: [], data })).toEqual([['exchange.accepted', data]]);
});
