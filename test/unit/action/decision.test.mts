import { expect, test } from 'vitest';

import { toItem } from '../../../nodes/BacklinkExchange/resources/exchange/decision.ts';

test('what is not known is left out, and the record is a copy', () => {
	const exchange = { id: 'x', site: { url: 'https://a.example' } };
	const item = toItem({
		id: 'x',
		outcome: 'accepted',
		reason: undefined,
		creditsSpent: 10,
		exchange,
	});
	expect(Object.entries(item)).toEqual([
		['id', 'x'],
		['outcome', 'accepted'],
		['message', 'Accepted exchange "x": 10 credits'],
		['creditsSpent', 10],
		['exchange', exchange],
	]);
	expect((item.exchange as typeof exchange).site).not.toBe(exchange.site);
});

test('the message says why, what was spent and what is left; a record in which nothing stands is none', () => {
	const known = { reason: 'The list is old', creditsSpent: 10, balance: 90, exchange: {} };
	const { message, exchange } = toItem({ id: 'x', outcome: 'unknown', ...known });
	expect(message).toBe(
		'Credits may have been spent on exchange "x": The list is old, 10 credits, 90 left',
	);
	expect(exchange).toBeUndefined();
});
