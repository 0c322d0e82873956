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
