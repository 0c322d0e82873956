/** How the status of an exchange is read from its records. */
import { describe, expect, test } from 'vitest';

import {
	fillInStatus,
	getMostAdvanced,
	isClosed,
} from '../../../../nodes/shared/api/exchangeStatus.ts';

describe('isClosed', () => {
	test.each(['declined', 'Expired', ' withdrawn '])('is true for the status %j', (status) => {
		expect(isClosed({ status })).toBe(true);
	});

	test.each(['pending', ' Live ', undefined, null, '', ' ', 3, {}])(
		'is false for the status %j',
		(status) => {
			expect(isClosed({ status: status })).toBe(false);
		},
	);
});

describe('getMostAdvanced', () => {
	const winners: Array<[unknown[], winner: unknown, status: unknown]> = [
		[['declined', 'pending'], 'declined', undefined],
		[['pending', 'declined'], 'declined', undefined],
		[['declined', undefined], 'declined', undefined],
		[['accepted', 'declined'], 'accepted', 'accepted'],
		[['pending', undefined], undefined, undefined],
		[['live', undefined], 'live', 'live'],
		[['pending', 'pending'], 'pending', 'pending'],
	];
	test.each(winners)('of %j returns the record with %j', (statuses, winner, status) => {
		const found = getMostAdvanced(statuses.map((each) => ({ status: each as string })));
		expect(found).toEqual({ record: { status: winner }, ...(status !== undefined && { status }) });
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
