/** A refusal is believed as far as it can be: who accepted an offer that is accepted anyway is not known, and said so. */
import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, minute, pending, post, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

const refusing = singleVariants('acceptAgain').filter(
	({ settings }) => settings.acceptAgain !== '200-charged-again',
);

test.each(refusing)(
	'an offer that somebody accepts after the check: the answer is looked up: $name',
	async ({ settings }) => {
		const { sandbox, accept, offer } = await serviceWithOffer({ dialect: settings });
		sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 1000 });
		const running = accept(offer);
		await time.wait(500);
		sandbox.accept(offer.id);
		const { items, error } = await running;
		expect(error?.message).toBeUndefined();
		// A service that answers 200 again cannot be distinguished from one that accepted now.
		const expected =
			settings.acceptAgain === '200'
				? { outcome: 'accepted', confirmedBy: 'response' }
				: { outcome: 'alreadyAccepted', confirmedBy: 'readBack' };
		expect(items[0]?.json).toMatchObject(expected);
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	},
);

test.each([400, 404, 409, 410, 422])(
	'HTTP %i for an accept that was carried out: accepted already, by whom is not claimed, and it counts',
	async (status) => {
		const { sandbox, accept } = await testService({ credits: 1000, dialect: charging });
		const offers = [1, 2].map(() => sandbox.requestOffer({ cost: 10 }));
		sandbox.addFault({ kind: 'error-after-commit', status, ...post });
		const result = await accept(offers, {
			maxAccepts: 1,
			minimumBalance: 0,
			simplify: false,
		});
		const [first, second] = jsonOf(result);
		expect(first).toMatchObject({
			outcome: 'alreadyAccepted',
			confirmedBy: 'readBack',
			reason: expect.stringMatching(
				new RegExp(`^The service answered HTTP ${status}, .* is not known: credits may have been`),
			) as unknown,
			creditsSpent: 10,
			balance: 990,
			exchange: { id: offers[0]?.id, status: 'accepted' },
		});
		expect(second?.outcome).toBe('skipped');
		expect(result.hints.map(({ message }) => message)).toEqual([
			'At least one offer is accepted although the service refused the request. It is not known which request was carried out: see "reason".',
		]);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 0]);
	},
);

test('the same answer, when somebody else was faster: what was spent was not seen, so it is not reported', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ credits: 1000 }, { cost: 10 });
	sandbox.addFault({ kind: 'delay-before-commit', ...post, milliseconds: 1000 });
	const running = accept(offer, { minimumBalance: 0 });
	await time.wait(500);
	sandbox.setCredits(1010);
	sandbox.accept(offer.id);
	const { items } = await running;
	expect(items[0]?.json).toMatchObject({
		outcome: 'alreadyAccepted',
		confirmedBy: 'readBack',
		reason: expect.stringContaining('HTTP 409') as unknown,
		balance: 1000,
	});
	expect(items[0]?.json).not.toHaveProperty('creditsSpent');
});

test.each([401, 403, 405, 413, 451])(
	'HTTP %i from a proxy, whatever happened behind it: the list tells',
	async (status) => {
		const { sandbox, accept, offer } = await serviceWithOffer({
			dialect: { ...charging, errorBody: 'html' },
		});
		sandbox.addFault({ kind: 'error-after-commit', status, ...post });
		const { item } = await accept(offer);
		expect(item).toMatchObject({
			outcome: 'alreadyAccepted',
			confirmedBy: 'readBack',
			reason: expect.stringContaining(`HTTP ${status}`) as unknown,
		});
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	},
);

test('refused as not pending, after a request of this node that was in doubt: that one explains it', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ dialect: { settlement: 'never' } });
	await accept(offer);
	await time.wait(minute);
	sandbox.setDialect({ settlement: 'at-once' });
	sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
	const { item } = await accept(offer);
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
	expect(item).not.toHaveProperty('reason');
});

test.each([
	["in the service's own words: believed", 'documented', [], /^The service declined[^;]*$/],
	['in the words of a proxy', 'html', [], /credits may have been spent/],
	['and the list cannot be read then', 'documented', '?', /credits may have been spent/],
	['and the list shows it as accepted then', 'documented', [{ status: 'accepted' }], /^alreadyAc/],
] as const)('an offer that no list has shown is refused %s', async (_, words, listed, said) => {
	const { id } = pending();
	const service = await serviceByHand({
		list: () => {
			if (service.posted.length === 0) return [];
			return typeof listed === 'string' ? listed : listed.map((entry) => ({ id, ...entry }));
		},
		accept: (_id, response) => {
			const error = JSON.stringify({ error: { code: 'conflict', message: 'No' } });
			return void response.writeHead(409).end(words === 'html' ? '<html>' : error);
		},
	});
	const { item, error } = await service.accept(id);
	expect(item?.outcome ?? error?.message).toMatch(said);
});

test('the same offer with other options: after a refusal, the list that was read before it says nothing any more', async () => {
	const offer = pending();
	const service = await serviceByHand({
		list: (reads) => [{ ...offer, status: reads === 1 ? 'pending' : 'accepted' }],
		accept: (_id, response) => {
			const error = {
				code: 'insufficient_credits',
				message: 'Too few',
				required: 10,
				available: 3,
			};
			response.writeHead(402).end(JSON.stringify({ error }));
		},
	});
	const { items } = await service.accept(
		[1, 2].map((most) => ({ id: offer.id, most })),
		{ maxAccepts: '={{ $json.most }}' },
		{ continues: true },
	);
	expect(items[1]?.json.outcome).toBe('alreadyAccepted');
	expect(service.posted).toEqual([offer.id]);
});

describe('a refusal that the list does not confirm', () => {
	test.each([
		[403, 'html'],
		[404, 'html'],
		[409, 'html'],
		[410, 'text'],
	] as const)(
		'HTTP %i in %s, carried out anyway, and the list hides it',
		async (status, errorBody) => {
			const service = await serviceWithOffer({
				dialect: { exchangeList: 'pending-only', errorBody, ...charging },
			});
			service.sandbox.addFault({ kind: 'error-after-commit', status, ...post });
			const { error } = await service.accept(service.offer);
			expect(error?.context?.code).toBe('outcome_unknown');
			await time.wait(2 * minute);
			await service.accept(service.offer);
			expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
		},
	);
	test("in the service's own words, nothing was spent: one that is gone leaves no doubt, and does not stop the others", async () => {
		const offers = [pending(), pending(), pending()];
		const [gone] = offers;
		const service = await serviceByHand({
			list: () =>
				offers
					.filter(({ id }) => service.posted.length === 0 || id !== gone?.id)
					.map((offer) => ({
						...offer,
						status: service.posted.includes(offer.id) ? 'accepted' : 'pending',
					})),
			accept: (id, response) => {
				if (id !== gone?.id) return { id, status: 'accepted' };
				const error = { code: 'offer_expired', message: 'It is gone.' };
				return void response.writeHead(404).end(JSON.stringify({ error }));
			},
			balance: () => ({ balance: 1000 - 10 * Math.max(0, service.posted.length - 1) }),
		});
		const { outcomes } = await service.acceptMany({ options: { minimumBalance: 5 } });
		expect(outcomes).toEqual(['failed', 'accepted', 'accepted']);
	});
	test("in the service's own words, carried out anyway, and the list hides it: the refusal is believed (decision 0003)", async () => {
		const { sandbox, accept, offer } = await serviceWithOffer({
			dialect: { exchangeList: 'pending-only' },
		});
		sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
		const { error } = await accept(offer);
		expect(error?.message).toBeDefined();
		expect(error?.context?.code).not.toBe('outcome_unknown');
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
		sandbox.setDialect({ exchangeList: 'all' });
		expect((await accept(offer)).item).toMatchObject({ outcome: 'alreadyAccepted' });
	});
	test('a proxy refuses, and the state cannot be read then', async () => {
		const offer = pending();
		let isAsked = false;
		const service = await serviceByHand({
			list: () => [{ ...offer, status: isAsked ? 'processing' : 'pending' }],
			accept: (_id, response) => {
				isAsked = true;
				response.writeHead(403).end('<html>');
				return undefined;
			},
		});
		const { outcomes } = await service.acceptMany();
		expect(outcomes).toEqual(['unknown']);
	});
});
