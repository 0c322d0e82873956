/** The state of a listed offer is read in one way, however it is written; what cannot be read is neither accepted nor sent. */
import { expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

/** Accepts an offer that the list shows in these entries. */
async function acceptListed(entries: object[]) {
	const id = `exc_${Math.random()}`;
	const { accept, asked } = await localService((request, response) => {
		const list = entries.map((entry) => ({ id, anchor: 'tea', ...entry }));
		json(list)(request, response);
	});
	const run = await accept(id);
	const posts = asked.filter(({ method }) => method === 'POST').length;
	return { ...run, posts };
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
	const { item, posts } = await acceptListed(entries);
	expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'check' });
	expect(posts).toBe(0);
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
	const { item, error, posts } = await acceptListed(entries);
	expect(item).toBeUndefined();
	expect(error?.message).toMatch(/^The state of the offer .* cannot be read/);
	expect(error?.description).toContain(read);
	expect(posts).toBe(0);
});
