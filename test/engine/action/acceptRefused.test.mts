/** A refusal is believed as far as it can be: who accepted an offer that is accepted anyway is not known, and said so. */
import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, minute, post } from './accepts.mts';

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

test.each([
	// In the service's own words, "not pending"; from a proxy, anything.
	...[400, 404, 409, 410, 422].map((status) => [status, 'documented'] as const),
	...[401, 403, 405, 413, 451].map((status) => [status, 'html'] as const),
])(
	'HTTP %i (%s) for an accept that was carried out: accepted already, by whom is not claimed, and it counts',
	async (status, errorBody) => {
		const dialect = { ...charging, errorBody };
		const { sandbox, accept } = await testService({ credits: 1000, dialect });
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
});
