import { expect, test } from 'vitest';

import { toItem } from '../../../nodes/BacklinkExchange/resources/exchange/decision.ts';

test('what is not known is left out, and the record is a copy', () => {
	const exchange = { id: 'x', site: { url: 'https://a.example' } };
	const item = toItem({ id: 'x', outcome: 'accepted', reason: undefined, exchange });
	expect(Object.entries(item)).toEqual([
		['id', 'x'],
		['outcome', 'accepted'],
		['message', 'Accepted exchange "x"'],
		['exchange', exchange],
	]);
	expect((item.exchange as typeof exchange).site).not.toBe(exchange.site);
});
