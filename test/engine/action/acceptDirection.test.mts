/** Accept and Accept Many where the list also shows offers that the account made to partners. */
import { describe, expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { minute, mockExchanges, pending } from './acceptFixtures.mts';

const time = useVirtualTime();

const mine = 'https://mine.example';
const sites = () => ({ sites: [{ id: 'site_1', url: mine }] });
const incoming = (fields: object = {}) =>
	pending({ from_site: 'https://partner.example', to_site: mine, ...fields });
const outgoing = (fields: object = {}) =>
	pending({ from_site: mine, to_site: 'https://partner.example', ...fields });
const unavailable = () => [500] as const;

describe('Accept Many', () => {
	test('leaves out your own offers, whatever the rules are, and a hint counts them', async () => {
		const offer = incoming();
		const list = [
			outgoing(),
			offer,
			outgoing({ anchor: 'casino' }),
			outgoing({ status: 'ACCEPTED' }),
		];
		const service = mockExchanges({ list: () => list, sites });
		const { decisions, hints } = await service.acceptMany({ options: { offersToReturn: 'all' } });
		expect(decisions).toMatchObject([{ exchangeId: offer.id, outcome: 'accepted' }]);
		expect(service.postedIds).toEqual([offer.id]);
		expect(hints.map(({ message }) => message)).toEqual([
			'2 of your own offers are waiting for partners.',
			'1 offer was accepted for 10 credits. You have 990 credits left.',
		]);
	});

	test('counts for Max per Day only what you accepted', async () => {
		const now = new Date().toISOString();
		const accepted = { status: 'accepted', accepted_at: now };
		const listed = [outgoing(accepted), outgoing(accepted), incoming()];
		const service = mockExchanges({ list: () => listed, sites });
		const limits = { maxPerDay: 1 };
		expect((await service.acceptMany({ dryRun: true, limits })).outcomes).toEqual(['wouldAccept']);
		listed.push(incoming(accepted));
		expect((await service.acceptMany({ dryRun: true, limits })).outcomes).toEqual(['skipped']);
	});
});

describe('Accept', () => {
	test.each(['pending', 'accepted'])(
		'fails for your own offer that is %s, and sends no request for it',
		async (status) => {
			const offer = outgoing({ status });
			const service = mockExchanges({ list: () => [offer], sites });
			const { error, items } = await service.accept(offer.id);
			expect(items).toEqual([]);
			expect(error?.message).toContain("it's your own offer");
			expect(error?.description).toContain('no credits were spent');
			expect(service.postedIds).toEqual([]);
		},
	);

	test('leaves an offer that no list shows to the service', async () => {
		const service = mockExchanges({
			list: () => [],
			sites: unavailable,
		});
		expect((await service.accept('exc_1')).outcomes).toEqual(['accepted']);
	});
});

test.each(['accept', 'acceptMany'] as const)(
	'%s reports a failed GET /sites and sends nothing, unless your sites are known',
	async (operation) => {
		let isAvailable = false;
		const offers = [incoming(), incoming()];
		const service = mockExchanges({
			list: () => offers,
			sites: () => (isAvailable ? sites() : unavailable()),
		});
		const run = async (index: number) =>
			operation === 'accept'
				? await service.accept(offers[index]?.id ?? '')
				: await service.acceptMany({ maxAccepts: 1 });
		const { text, items } = await run(0);
		expect(items).toEqual([]);
		expect(text).toContain('list the sites');
		expect(service.postedIds).toEqual([]);
		isAvailable = true;
		await time.wait(minute);
		expect((await run(0)).outcomes).toContain('accepted');
		// After an hour, the sites are fetched again.
		isAvailable = false;
		await time.wait(61 * minute);
		expect((await run(1)).outcomes).toContain('accepted');
		expect(service.postedIds.length).toBe(2);
	},
);
