/** What is returned of an offer, and the sentence about it. Whether it is accepted: decide.test.mts. */
import { expect, test } from 'vitest';

import { toItem } from '../../../nodes/BacklinkExchange/resources/exchange/decision.ts';

const isSimple = true;

test('what is not known is left out, and the record is a copy', () => {
	const exchange = { id: 'x', site: { url: 'https://a.example' } };
	const item = toItem(
		{ id: 'x', outcome: 'accepted', reason: undefined, creditsSpent: 10, exchange },
		{ isSimple: false },
	);
	expect(Object.entries(item)).toEqual([
		['id', 'x'],
		['outcome', 'accepted'],
		['message', 'Accepted exchange "x": 10 credits'],
		['creditsSpent', 10],
		['exchange', exchange],
	]);
	expect((item.exchange as typeof exchange).site).not.toBe(exchange.site);
});

test.each<[unknown, string | undefined]>([
	['https://tea.example/', 'https://tea.example/'],
	[{ id: 'site_1', url: 'https://tea.example' }, 'https://tea.example'],
	[{ id: 'site_1', name: 'Tea' }, 'Tea'],
	[{ id: 17 }, '17'],
	...[null, '', ' ', {}, [], true, { url: {} }].map((none): [unknown, undefined] => [
		none,
		undefined,
	]),
])('a table can show the sites and the anchor, whatever they are: %j', (given, shown) => {
	const exchange = { from_site: given, to_site: given } as object;
	const item = toItem({ id: 'x', outcome: 'skipped', exchange: { ...exchange } }, { isSimple });
	expect([item.partner, item.site]).toEqual([shown, shown]);
	const { anchor } = toItem({ id: 'x', outcome: 'skipped', exchange: { anchor: 7 } }, { isSimple });
	expect(anchor).toBe('7');
	expect(item).not.toHaveProperty('exchange');
});

test('what is too long for a table is cut off', () => {
	const exchange = { anchor: 'x'.repeat(10_000) };
	const { anchor } = toItem({ id: 'x', outcome: 'skipped', exchange }, { isSimple });
	expect(anchor).toMatch(/^x{490,500}…$/);
});

test('the message says why, what was spent and what is left; a record in which nothing stands is none', () => {
	const known = { reason: 'The list is old', creditsSpent: 10, balance: 90, exchange: {} };
	const { message, exchange } = toItem(
		{ id: 'x', outcome: 'unknown', ...known },
		{ isSimple: false },
	);
	expect(message).toBe(
		'Credits may have been spent on exchange "x": The list is old, 10 credits, 90 left',
	);
	expect(exchange).toBeUndefined();
});

test('one credit is not called credits', () => {
	const { message } = toItem({ id: 'x', outcome: 'accepted', creditsSpent: 1 }, { isSimple: true });
	expect(message).toBe('Accepted exchange "x": 1 credit');
});
