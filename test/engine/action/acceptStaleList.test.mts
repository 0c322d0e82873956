/** What this process accepted within the last minute counts, although no list shows it yet. */
import { expect, test } from 'vitest';

import { useVirtualTime } from '../virtualTime.mts';
import { minute, mockExchanges, pending } from './acceptFixtures.mts';

const time = useVirtualTime();

/** A service whose list shows accepts too late, and that rejects a second accept. */
function mockStaleList() {
	const offers = [pending(), pending()];
	const accepted = new Set<string>();
	const service = mockExchanges({
		list: () => [pending({ status: 'live', accepted_at: '2020-01-01T00:00:00Z' }), ...offers],
		accept: (id) => {
			if (accepted.has(id)) return [409];
			accepted.add(id);
			return { id, status: 'accepted' };
		},
	});
	const [first = '', second = ''] = offers.map(({ id }) => id);
	return { ...service, first, second };
}

test('Accept returns an offer that was just accepted, without a second request', async () => {
	const { accept, postedIds, first } = mockStaleList();
	await accept(first);
	for (const wait of [0, minute - 5000]) {
		await time.wait(wait);
		const { item } = await accept(first, { includeRecord: true });
		expect(item).toMatchObject({ outcome: 'accepted', alreadyAccepted: true });
		expect(item?.record).not.toHaveProperty('status');
		expect(item).not.toHaveProperty('creditsSpent');
	}
	expect(postedIds).toEqual([first]);
	await time.wait(5000);
	await accept(first, {}, { continueOnFail: true });
	expect(postedIds).toEqual([first, first]);
});

test('Accept Many returns an offer that was just accepted, and counts it for Max per Day', async () => {
	const { accept, acceptMany, postedIds, first, second } = mockStaleList();
	await accept(second);
	const { decisions } = await acceptMany({ limits: { maxPerDay: 1 } });
	expect(decisions).toMatchObject([
		{
			exchangeId: first,
			outcome: 'skipped',
			reason: 'Max per Day (1) is reached, counting the last 24 hours',
		},
		{ exchangeId: second, outcome: 'accepted', alreadyAccepted: true },
	]);
	expect(postedIds).toEqual([second]);
});

test('Accept Many counts an unknown outcome of another execution for Max per Day', async () => {
	const offers = [pending(), pending()];
	const accepted = pending({ status: 'live', accepted_at: '2020-01-01T00:00:00Z' });
	const service = mockExchanges({
		list: () => [accepted, ...offers],
		accept: () => [500],
	});
	await service.accept(offers[1]?.id ?? '');
	const { outcomes } = await service.acceptMany({ limits: { maxPerDay: 1 } });
	expect(outcomes).toEqual(['skipped', 'unknown']);
	expect(service.postedIds.length).toBe(1);
});
