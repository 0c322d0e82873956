/** In Accept Many, one offer that fails leaves the others going; what cannot be read fails before anything is spent. */
import { expect, test } from 'vitest';

import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { list, post, posts } from './accepts.mts';

useVirtualTime();
const gone = '{"error":{"code":"offer_expired","message":"It is gone."}}';

test('refused by the service: failed, nothing was spent; in doubt: unknown', async () => {
	const service = await testService({ credits: 1000 });
	const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
	service.sandbox.addFault({ kind: 'answer-before-commit', status: 410, body: gone, ...post });
	service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
	const { decisions, error, outcomes } = await service.acceptMany();
	expect(error?.message).toBeUndefined();
	expect(outcomes).toEqual(['failed', 'unknown', 'accepted']);
	expect(decisions[1]?.reason).toContain('credits may still be spent');
	expect(offers.map(({ id }) => service.sandbox.books.acceptsOf(id))).toEqual([0, 0, 1]);
});

test.each([
	[404, ''],
	[403, '{"error":{"code":"not_yours","message":"This offer is your own."}}'],
])(
	'HTTP %i may be about this offer, since the list was read with the same key',
	async (status, body) => {
		const service = await testService({ credits: 1000 });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'answer-before-commit', status, body, ...post });
		const { outcomes } = await service.acceptMany();
		expect(outcomes).toEqual(['failed', 'accepted', 'accepted']);
		// It is asked for again, as if for the first time.
		expect((await service.acceptMany()).outcomes).toEqual(['accepted']);
	},
);

test.each(['402', '403'] as const)(
	'out of credits (HTTP %s) for one: the others go on, and three in a row end the run',
	async (status) => {
		const service = await testService({ credits: 15, dialect: { insufficientCredits: status } });
		for (const cost of [400, 400, 10, 10, 10, 10, 10]) service.sandbox.requestOffer({ cost });
		const { decisions, outcomes } = await service.acceptMany();
		const failed = ['failed', 'failed', 'failed'];
		expect(outcomes).toEqual(['failed', 'failed', 'accepted', ...failed, 'skipped']);
		expect(decisions.at(-1)?.reason).toBe('There are not enough credits');
		expect(posts(service).length).toBe(6);
	},
);

test.each([
	['a balance that cannot be read', 'not-json'],
	['HTTP 500 each time', 'error-before-commit'],
] as const)('under a floor, %s fails the run before anything is spent', async (_, kind) => {
	const service = await testService();
	for (let count = 0; count < 20; count++) service.sandbox.requestOffer();
	service.sandbox.addFault({
		kind,
		status: 500,
		method: 'GET',
		path: '/api/credits',
		times: 100,
	});
	const { error } = await service.acceptMany({ options: { minimumBalance: 5, maxAccepts: 20 } });
	expect(error).toBeDefined();
	expect(posts(service)).toEqual([]);
	expect(service.sandbox.books.requests().length).toBeLessThan(8);
});

test('a list that cannot be read, a wrong key, or a setting that is none fails before anything is spent', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	for (const after of [0, 1]) {
		service.sandbox.addFault({ kind: 'not-json', ...list, after });
		const { error } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(error?.message).toContain('could not be understood');
	}
	const credential = { baseUrl: service.sandbox.baseUrl, apiKey: 'wrong' };
	expect((await service.acceptMany({}, { credential })).error?.message).toContain('API key');
	const options = { refusedPartners: 'spam example' };
	expect((await service.acceptMany({ options })).error?.message).toContain('"Refused Partners"');
	expect(
		(await service.acceptMany({ acceptFrom: 'listed', allowedPartners: 'tea-blog,example' })).error
			?.message,
	).toContain('"Allowed Partners"');
	expect(posts(service)).toEqual([]);
});
