/** What the list shows before a request decides whether it is sent; what cannot be read there is neither accepted nor sent. */
import { expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, pending, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

/** Accepts an offer that the list shows in these entries. */
async function acceptListed(entries: object[]) {
	const id = `exc_${Math.random()}`;
	const { accept, asked } = await localService((request, response) => {
		const list = entries.map((entry) => ({ id, anchor: 'tea', ...entry }));
		json(list)(request, response);
	});
	const run = await accept(id, { minimumBalance: 0 });
	return { ...run, asked };
}

test.each([
	[[{ status: 'ACCEPTED' }]],
	[[{ status: ' Live ' }]],
	[[{ status: { name: 'accepted' } }]],
	[[{ state: 'accepted' }]],
	[[{ status: null, state: { name: 'LIVE' } }]],
	[[{ status: 'pending' }, { status: 'accepted' }]],
	[[{ status: 'live' }, { status: 'pending' }]],
	[[{ status: 'pending' }, { status: 'accepted' }, { status: 'archived' }]],
])('%j is accepted already, and not sent', async (entries) => {
	const { item, hints, asked } = await acceptListed(entries);
	expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'check' });
	expect(hints.map(({ message }) => message)).toEqual(['At least one offer was already accepted.']);
	// The list alone: nothing was spent that the balance could show.
	expect(asked.length).toBe(1);
});

test.each([
	[[{ status: 'archived' }], '"status": "archived"'],
	[[{}], 'no "status"'],
	[[{ status: 7 }], '"status": 7'],
	[[{ status: ['pending'] }], '"status": ["pending"]'],
	[[{ status: { code: 'pending' } }], '"status": {"code":"pending"}'],
	[[{ status: 'pending', state: 'accepted' }], '"status": "pending" and "state": "accepted"'],
	[[{ status: 'pending' }, { status: 'archived' }], '"status": "archived"'],
])('%j cannot be read: neither accepted nor sent, and said', async (entries, read) => {
	const { item, error, asked } = await acceptListed(entries);
	expect(item).toBeUndefined();
	expect(error?.message).toMatch(/^The state of the offer .* cannot be read/);
	expect(error?.description).toContain(read);
	expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('where the whole list holds only what is pending, the lists of other states are no older', async () => {
	const service = await testService({
		dialect: { ...charging, exchangeList: 'pending-unless-filtered' },
	});
	const { sandbox } = service;
	const ids = Array.from({ length: 5 }, () => sandbox.requestOffer().id);
	const [, accepted = '', , , last = ''] = ids;
	// After two seconds all lists are read for the second offer, after more than five for the fourth one only the whole list.
	sandbox.accept(accepted);
	for (const milliseconds of [2000, 3500]) {
		sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds });
	}
	const run = service.accept(ids.map((id) => ({ id })));
	await time.wait(4000);
	sandbox.accept(last);
	const { items } = await run;
	expect(items.at(-1)?.json.outcome).toBe('alreadyAccepted');
	expect(sandbox.books.acceptsOf(last)).toBe(1);
});

test('what a list that was read for another offer shows as accepted is not asked for', async () => {
	const offer = pending();
	const service = await serviceByHand({
		// Somebody accepts it after the whole list was read, and before the lists per status are, for the unknown one.
		list: (reads) => [{ ...offer, status: reads === 1 ? 'pending' : 'accepted' }],
		accept: (_id, response) => void response.writeHead(404).end(),
	});
	const { items } = await service.accept(
		[{ id: 'exc_none' }, { id: offer.id }],
		{},
		{ continues: true },
	);
	expect(items[1]?.json.outcome).toBe('alreadyAccepted');
	expect(service.posted).toEqual(['exc_none']);
});

test.each([
	['a list of twelve pages that take half a second each', { pageSize: 1, latency: 500 }, {}],
	[
		'a floor, and answers that take five seconds',
		{ pageSize: 20, latency: 5100 },
		{ minimumBalance: 1 },
	],
])('however long the reading takes, the offer is accepted: %s', async (_, slow, options) => {
	const { sandbox, accept } = await testService({
		latencyMilliseconds: slow.latency,
		dialect: { pagination: 'link', pageSize: slow.pageSize },
	});
	const [id = ''] = Array.from({ length: 12 }, () => sandbox.requestOffer().id);
	expect((await accept(id, options)).outcomes).toEqual(['accepted']);
});

test('however long the balance takes, what somebody else accepts meanwhile is not paid again', async () => {
	const { sandbox, accept } = await testService({ credits: 100, dialect: charging });
	const { id } = sandbox.requestOffer({ cost: 10 });
	const balance = { method: 'GET', path: '/api/credits' } as const;
	sandbox.addFault({ kind: 'delay-after-commit', milliseconds: 25_000, ...balance });
	const running = accept(id, { minimumBalance: 10 });
	await time.wait(10_000);
	sandbox.accept(id);
	expect((await running).outcomes).toEqual(['alreadyAccepted']);
	expect(sandbox.books.acceptsOf(id)).toBe(1);
});
