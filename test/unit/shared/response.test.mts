import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	describeBody,
	parseJson,
	readError,
	readList,
	readNextLink,
	readRecord,
	saysThereIsMore,
} from '../../../nodes/shared/response.ts';

const offers = [{ id: 'exc_1' }, { id: 'exc_2' }];

test.each([
	['the bare array', offers],
	["the resource's name", { exchanges: offers }],
	['data', { data: offers }],
	['items', { items: offers }],
	['results', { results: offers, total: 2 }],
	['the name in data', { data: { exchanges: offers } }],
	['items in data', { data: { items: offers } }],
])('a list is found: %s', (_, body) => {
	expect(readList(body, 'exchanges')).toEqual(offers);
});

test('an empty list is a list', () => {
	expect(readList([], 'exchanges')).toEqual([]);
	expect(readList({ exchanges: [] }, 'exchanges')).toEqual([]);
});

test.each([
	['nothing', undefined],
	['null', null],
	['a text', 'exchanges'],
	['an object without a list', { exchanges: { id: 'exc_1' } }],
	['another list', { sites: offers }],
	['entries that are no objects', { exchanges: ['exc_1'] }],
	['an entry that is null', { exchanges: [null] }],
	['a list too deep', { data: { data: { data: offers } } }],
])('what is no list is not taken for an empty one: %s', (_, body) => {
	expect(readList(body, 'exchanges')).toBeUndefined();
});

test.each([
	['bare', { id: 'exc_1' }],
	['in an envelope', { exchange: { id: 'exc_1' } }],
	['in data', { data: { id: 'exc_1' } }],
	['in an envelope in data', { data: { exchange: { id: 'exc_1' } } }],
])('a record is found: %s', (_, body) => {
	expect(readRecord(body, 'exchange')).toEqual({ id: 'exc_1' });
});

test.each([undefined, [], 'text', { ok: true }, { exchange: null }])('no record: %j', (body) => {
	expect(readRecord(body, 'exchange')).toBeUndefined();
});

const page = 'https://service.example/api/exchanges?status=pending';

test.each([
	['</api/exchanges?page=2>; rel="next"', 'https://service.example/api/exchanges?page=2'],
	['<https://service.example/x>; rel=next', 'https://service.example/x'],
	['<?page=2>; REL="Next"', 'https://service.example/api/exchanges?page=2'],
	['</first>; rel="first", </two>; title="a"; rel="next last"', 'https://service.example/two'],
	['</prev>; rel="prev"', undefined],
	['</x>; rel="nextpage"', undefined],
	['next', undefined],
	['<http://[>; rel="next"', undefined],
	[`<${'a'.repeat(9000)}>; rel="next"`, undefined],
])('the next page of the header %s', (link, expected) => {
	expect(readNextLink({ link }, page)).toBe(expected);
});

test('a header of any form is read without a throw and in no time', () => {
	fc.assert(
		fc.property(fc.string({ maxLength: 5000 }), (link) => {
			readNextLink({ link }, page);
		}),
	);
});

test.each([
	{ exchanges: [], has_more: true },
	{ data: [], hasNext: true },
	{ data: [], meta: { next_cursor: 'abc' } },
	{ items: [], next: 'https://service.example/x' },
	{ data: [], pagination: { nextPage: 2 } },
	{ data: { exchanges: [], next_page: 2 } },
])('a sign of more is seen: %j', (body) => {
	expect(saysThereIsMore(body)).toBe(true);
});

test.each([
	[],
	{ exchanges: [], has_more: false },
	{ data: [], next: null },
	{ data: [], meta: { next_cursor: '' } },
	{ exchanges: [{ next: 'of the record' }] },
])('no sign of more: %j', (body) => {
	expect(saysThereIsMore(body)).toBe(false);
});

test('JSON is read with a byte order mark; anything else is undefined', () => {
	expect(parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
	for (const text of ['', '  ', '<html>', '{', 'undefined']) {
		expect(parseJson(text)).toBeUndefined();
	}
});

test('the documented error body is read, and nothing is made up for another', () => {
	const error = { code: 'insufficient_credits', message: 'You need 10 credits and have 3.' };
	expect(readError({ error })).toEqual(error);
	for (const body of [undefined, 'text', {}, { error: 'text' }, { error: { code: 1 } }]) {
		expect(readError(body)).toEqual({});
	}
});

test.each([
	['', 'an empty body'],
	['<html>', 'a web page (HTML), content type "text/html"'],
	['oops', 'text that is not JSON, content type "text/html"'],
	['[1,2]', 'a list of 2 entries'],
	['{"a":1,"b":2}', 'an object with a, b'],
	['{}', 'an empty object'],
	['42', 'a single number'],
])('a body is described in a line: %s', (text, expected) => {
	const headers = { 'content-type': 'text/html' };
	const response = { url: '', statusCode: 200, headers, text, json: parseJson(text) };
	expect(describeBody(response)).toBe(expected);
});
