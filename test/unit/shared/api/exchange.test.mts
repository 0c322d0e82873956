/** How the status of an exchange is read from its records. */
import { describe, expect, test } from 'vitest';

import { Exchange } from '../../../../nodes/shared/api/exchange.ts';
import { OwnSites } from '../../../../nodes/shared/sites/ownSites.ts';

describe('Exchange', () => {
	const winners: Array<[unknown[], winner: unknown, status: unknown]> = [
		[['declined', 'pending'], 'declined', 'closed'],
		[['pending', 'declined'], 'declined', 'closed'],
		[['declined', undefined], 'declined', 'closed'],
		[['accepted', 'declined'], 'accepted', 'accepted'],
		[['pending', undefined], undefined, undefined],
		[['live', undefined], 'live', 'live'],
		[['pending', 'pending'], 'pending', 'pending'],
	];
	test.each(winners)('of %j returns the record with %j', (statuses, winner, status) => {
		const records = statuses.map((each) => ({ status: each as string }));
		const exchange = Exchange.parse(records, new OwnSites([]));
		expect([exchange.record, exchange.status]).toEqual([{ status: winner }, status]);
	});
});

describe('Exchange of a delivery', () => {
	const offer = { id: 7, from_site: 'partner.example', to_site: 'mine.example' };

	test('adds the documented fields of a payload to that of the list, if they have a value', () => {
		const ownSites = new OwnSites([{ url: 'https://mine.example' }]);
		const listed = Exchange.parse([{ ...offer, status: 'accepted', anchor: 'tea' }], ownSites);
		const page = 'https://partner.example/tea';
		const payload = { id: 8, anchor: '', live_url: page, published_at: 1_782_907_200, status: 5 };
		const exchange = listed.withPayload(payload);
		expect(exchange).toMatchObject({ id: '7', status: 'accepted', publishedAt: 1_782_907_200 });
		expect(exchange).toMatchObject({ anchor: 'tea', pageUrl: page, direction: 'incoming' });
		expect(listed.pageUrl).toBeUndefined();
	});
});
