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

describe('fillInStatus', () => {
	test.each([undefined, null, ''])('replaces the status %j', (status) => {
		expect(fillInStatus({ id: 1, status }, 'live')).toEqual({ id: 1, status: 'live' });
	});

	test.each(['declined', 'pending', 3])('keeps the status %j', (status) => {
		expect(fillInStatus({ status }, 'live')).toEqual({ status });
	});
});
