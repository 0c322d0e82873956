/** In Accept Many, one offer that fails leaves the others going; what cannot be read fails before anything is spent. */
import { expect, test } from 'vitest';

import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { list, post, posts } from './accepts.mts';

useVirtualTime();

const refusal = (code: string) =>
	JSON.stringify({ error: { code, message: 'It is not for you.' } });
test.each([
	[410, refusal('offer_expired')],
	// May be about this offer alone, since the list was read with the same key.
	[403, refusal('not_yours')],
	[404, ''],
])('refused with HTTP %i: failed, nothing was spent; in doubt: unknown', async (status, body) => {
	const service = await testService({ credits: 1000 });
	const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
	service.sandbox.addFault({ kind: 'answer-before-commit', status, body, ...post });
	service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
	const { decisions, error, outcomes } = await service.acceptMany();
	expect(error?.message).toBeUndefined();
	expect(outcomes).toEqual(['failed', 'unknown', 'accepted']);
	expect(decisions[1]?.reason).toContain('credits may still be spent');
	expect(offers.map(({ id }) => service.sandbox.books.acceptsOf(id))).toEqual([0, 0, 1]);
	// What was refused is asked for again, as if for the first time.
	expect((await service.acceptMany()).outcomes).toEqual(['accepted', 'unknown']);
});

test('a list that cannot be read, or a setting that is none, fails before anything is spent', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	for (const after of [0, 1]) {
		service.sandbox.addFault({ kind: 'not-json', ...list, after });
		const { error } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(error?.message).toContain('could not be understood');
	}
	const options = { refusedPartners: 'spam example' };
	expect((await service.acceptMany({ options })).error?.message).toContain('"Refused Partners"');
	expect(posts(service)).toEqual([]);
});
