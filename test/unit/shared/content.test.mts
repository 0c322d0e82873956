import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	listKeys,
	type ListName,
	readList,
	readRecord,
} from '../../../nodes/shared/reading/content.ts';

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
