/** Where in a body the list or the record is, the error if it is one, and what to call a body that is neither. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	describeBody,
	listKeys,
	type ListName,
	readError,
	readList,
	readRecord,
} from '../../../../nodes/shared/reading/content.ts';
import { parseJson } from '../../../../nodes/shared/service/body.ts';

const offers = [{ id: 'exc_1' }, { id: 'exc_2' }];

test.each([
	['the bare array', offers],
	["the resource's name", { exchanges: offers }],
	['data', { data: offers }],
	['items', { items: offers }],
	['results', { results: offers, total: 2 }],
	['the name in data', { data: { exchanges: offers } }],
	['items in data', { data: { items: offers } }],
	['deep in data', { data: { data: { data: offers } } }],
	['the name in _embedded', { _embedded: { exchanges: offers }, _links: {} }],
])('a list is found: %s', (_, body) => {
	expect(readList(body, 'exchanges')).toEqual(offers);
});

test.each([
	['nothing', undefined],
	['null', null],
	['a text', 'exchanges'],
	['an object without a list', { exchanges: { id: 'exc_1' } }],
	['another list', { sites: offers }],
	['entries that are no objects', { exchanges: ['exc_1'] }],
	['an entry that is null', { exchanges: [null] }],
	['a list too deep', { data: { data: { data: { data: offers } } } }],
])('what is no list is not taken for an empty one: %s', (_, body) => {
	expect(readList(body, 'exchanges')).toBeUndefined();
});

const anything = fc.jsonValue({ maxDepth: 4 });
const listName = fc.constantFrom(...(Object.keys(listKeys) as ListName[]));

test('any JSON is read as a list of objects, or as none: nothing in between', () => {
	fc.assert(
		fc.property(anything, listName, (json, name) => {
			const list = readList(json, name);
			return (
				list === undefined ||
				list.every((entry) => Object.prototype.toString.call(entry) === '[object Object]')
			);
		}),
	);
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

test('the documented error body is read, and nothing is made up for another', () => {
	const error = { code: 'insufficient_credits', message: 'You need 10 credits and have 3.' };
	expect(readError({ error })).toEqual(error);
	for (const body of [
		undefined,
		'text',
		{},
		{ error: 'text' },
		{ error: { code: 1, message: 2 } },
	]) {
		expect(readError(body)).toEqual({});
	}
});

test.each([
	[' \n', 'an empty body'],
	[' <html>', 'a web page (HTML), content type "text/html"'],
	['oops <b>', 'text that is not JSON, content type "text/html"'],
	['[1,2]', 'a list of 2 entries'],
	['{"a":1,"b":2}', 'an object with a, b'],
	['{"a":{"b":1},"c":{},"d":[1]}', 'an object with a (b), c (), d'],
	['{"näme\\u0000":1}', 'an object with n?me?'],
	['{}', 'an object with no fields'],
	['42', 'a single number'],
	['null', 'a single null'],
])('a body is described in a line: %s', (text, expected) => {
	const given = {
		url: '',
		askedAt: 0,
		receivedAt: 0,
		statusCode: 200,
		headers: { 'content-type': 'text/html' },
	};
	expect(describeBody({ ...given, text, json: parseJson(text) })).toBe(expected);
});
