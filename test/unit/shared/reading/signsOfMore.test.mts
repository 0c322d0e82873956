/** Whether an answer says that its list goes on. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { ListName } from '../../../../nodes/shared/reading/content.ts';
import { saysThereIsMore } from '../../../../nodes/shared/reading/signsOfMore.ts';

const read = { entries: 2, pages: 1 };
const list = [{ id: 1 }, { id: 2 }];

interface Circumstances {
	headers?: Record<string, string>;
	statusCode?: number;
	name?: ListName;
}

function says(
	json: unknown,
	{ headers = {}, statusCode = 200, name = 'exchanges' }: Circumstances = {},
): boolean {
	return saysThereIsMore({ statusCode, headers, json }, name, read);
}

test.each([
	{ exchanges: list, has_more: true },
	{ data: list, hasNext: true },
	{ data: list, hasMore: 'true' },
	{ data: list, has_more: 1 },
	{ data: list, meta: { next_cursor: 'abc' } },
	{ items: list, next: 'https://service.example/x' },
	{ data: list, pagination: { nextPage: 2 } },
	{ data: { exchanges: list, next_page: 2 } },
	{ _embedded: { exchanges: list }, _links: { next: { href: '/x' } } },
	{ data: list, links: { next: '/x' } },
	{ data: list, links: { next: { href: '/x', meta: {} } } },
	{ data: list, pageInfo: { hasNextPage: true, endCursor: 'x' } },
	{ data: { exchanges: list, page_info: { has_next_page: true } } },
	{ data: list, total: 3, balance: 5 },
	{ data: list, count: '3' },
	{ results: list, count: 120, next: null },
	{ data: list, meta: { pagination: { total: 30, per_page: 2 } } },
	{ data: list, meta: { total_count: 3 } },
	{ data: list, current_page: 1, last_page: 2 },
	{ data: list, page: { number: 0, size: 2, totalElements: 9, totalPages: 5 } },
	{ items: list, last: false },
	{ items: list, isTruncated: true },
	{ data: list, nextPageToken: 'x' },
	{ data: list, cursors: { next: 'x' } },
	{ data: { data: { data: { has_more: true } } } },
	{ data: list, '@odata.nextLink': 'https://service.example/x' },
	{
		data: list,
		links: [
			{ rel: 'self', href: '/1' },
			{ rel: 'next', href: '/2' },
		],
	},
	{ data: list, pages: { next: { page: 2 } } },
	{ data: list, result_info: { page: 1, total_pages: 2 } },
])('a sign of more is seen: %j', (body) => {
	expect(says(body)).toBe(true);
});

test.each([
	list,
	undefined,
	{ exchanges: list, has_more: false },
	{ data: list, next: null },
	{ data: list, next: false, next_page: [], next_cursor: 'none' },
	{ data: list, meta: { next_cursor: '' } },
	{ data: list, _links: { self: { href: '/x' }, next: { href: null } } },
	{ data: list, links: { next: {} } },
	{ exchanges: [{ next: 'of the record', total: 9, has_more: true }] },
	{ data: list, total: 2, count: 2, page: 1, last_page: 1, per_page: 50 },
	{ data: list, total: [3], count: { toString: null }, last_page: null },
	{ data: list, total: 'many' },
	{ data: list, pageInfo: { hasNextPage: false, endCursor: 'x' } },
	{ items: list, last: true },
	{ data: list, user: { total: 99, next: 'x' } },
	{ data: list, has_more: 'untrue' },
	{ data: list, links: [{ rel: 'prev', href: '/0' }, { rel: 'self' }, null, 'next'] },
	{ data: list, has_more: '11' },
	{ data: { data: { data: { data: { has_more: true } } } } },
])('no sign of more: %j', (body) => {
	expect(says(body)).toBe(false);
});

test.each<[name: string, more: string, none: string[]]>([
	['x-total-count', '3', ['2', 'many']],
	['x-total', ' 3 ', ['2']],
	['x-next-page', '2', ['']],
	['x-total-pages', '2', ['1']],
	['x-has-more', 'true', ['false']],
	['x-next-cursor', 'abc', ['', 'none']],
	['x-has-next-page', '1', ['0']],
	['total-count', '3', ['2']],
	['x-page-count', '2', ['1']],
	['content-range', 'items 0-1/30', ['items 0-1/2', 'items 0-1/*', 'items 0-1/3,x']],
])('the header %s is a sign of more as "%s", and none as %j', (name, more, none) => {
	expect(says(list, { headers: { [name]: more } })).toBe(true);
	for (const value of none) expect(says(list, { headers: { [name]: value } })).toBe(false);
});

test('no other header is a sign of more', () => {
	const headers = { 'x-nextjs-cache': 'HIT', 'content-length': '200', count: '7' };
	expect(says(list, { headers })).toBe(false);
});

test('a partial answer goes on', () => {
	expect(says(list, { statusCode: 206 })).toBe(true);
});

test('what a balance says of credits is no sign of more ledger entries; what it says of pages is', () => {
	const balance = { balance: 5, ledger: list };
	const ledger = (more: object) => says({ ...balance, ...more }, { name: 'ledger' });
	expect(ledger({ total: 500, count: 9, next_payout: '2026-08-01' })).toBe(false);
	expect(says({ data: { ...balance, total: 500 } }, { name: 'ledger' })).toBe(false);
	expect(ledger({ has_more: true })).toBe(true);
	expect(ledger({ next_cursor: 'x' })).toBe(true);
	expect(ledger({ total_entries: 3 })).toBe(true);
	expect(ledger({ meta: { total: 3 } })).toBe(true);
});

test('a total is compared with what was read, wherever it stands and however it is spelt', () => {
	const key = fc.constantFrom('total', 'total_count', 'totalCount', 'TotalItems', 'count');
	const place = fc.constantFrom('', 'meta', 'pagination', 'paging', '_meta', 'data', 'page');
	fc.assert(
		fc.property(
			key,
			place,
			fc.nat(20),
			fc.nat(20),
			fc.boolean(),
			(name, where, total, came, asText) => {
				const value = { [name]: asText ? String(total) : total };
				const json = where === '' ? value : { [where]: value };
				const response = { statusCode: 200, headers: {}, json };
				expect(saysThereIsMore(response, 'sites', { entries: came, pages: 1 })).toBe(total > came);
			},
		),
	);
});
