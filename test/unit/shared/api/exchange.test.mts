/** How the status of an exchange is read from its records. */
import { describe, expect, test } from 'vitest';

import { Exchange } from '../../../../nodes/shared/api/exchange.ts';
import { fillInStatus, getStatus } from '../../../../nodes/shared/api/forms/exchangeStatus.ts';
import { OwnSites } from '../../../../nodes/shared/sites/ownSites.ts';

describe('getStatus', () => {
	test.each(['declined', 'Expired', ' withdrawn '])('reads %j as closed', (status) => {
		expect(getStatus({ status })).toBe('closed');
	});

	test.each(['pending', ' Live ', undefined, null, '', ' ', 3, {}])(
		"doesn't read %j as closed",
		(status) => {
			expect(getStatus({ status })).not.toBe('closed');
		},
	);
});

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

	test("has no direction, and takes from_site as the partner's", () => {
		const exchange = Exchange.parse([offer]);
		expect(exchange.id).toBe('7');
		expect([exchange.direction, exchange.certainDirection]).toEqual([undefined, undefined]);
		expect([exchange.partner.label, exchange.site.label]).toEqual([
			'partner.example',
			'mine.example',
		]);
		expect(exchange.route).toEqual(['partner.example', 'mine.example']);
	});

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

test('the route of an exchange leads from from_site to to_site, whichever is yours', () => {
	const ownSites = new OwnSites([{ id: 'site_1', url: 'https://mine.example' }]);
	for (const to of ['partner.example', 'some words', 'mine.example']) {
		const exchange = Exchange.parse([{ from_site: 'mine.example', to_site: to }], ownSites);
		expect(exchange.route).toEqual(['mine.example', to]);
	}
});

describe('fillInStatus', () => {
	test.each([undefined, null, ''])('replaces the status %j', (status) => {
		expect(fillInStatus({ id: 1, status }, 'live')).toEqual({ id: 1, status: 'live' });
	});

	test.each(['declined', 'pending', 3])('keeps the status %j', (status) => {
		expect(fillInStatus({ status }, 'live')).toEqual({ status });
	});
});
