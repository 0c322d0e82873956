/**
 * What a stranger may write without an end is read in a time that grows with its length: where it grew with the square, these
 * would take minutes, and n8n would stand still.
 */
import { expect, test } from 'vitest';

import { comparableWords } from '../../../nodes/BacklinkExchange/resources/exchange/acceptMany/words.ts';
import { saysThereIsMore } from '../../../nodes/shared/reading/signsOfMore.ts';
import { siteName } from '../../../nodes/shared/site.ts';

const length = 400_000;

test('slashes in the address of a site', () => {
	const path = `${'/'.repeat(length)}x`;
	expect(siteName(`https://evil.example${path}//`)).toBe(`evil.example${path}`);
});

test('the name of a field', () => {
	const response = { statusCode: 200, headers: {}, json: { sites: [], ['a'.repeat(length)]: 1 } };
	expect(saysThereIsMore(response, 'sites', { entries: 0, pages: 1 })).toBe(false);
});

test('marks in an anchor text', () => {
	expect(comparableWords(`a${'\u0301\u0316'.repeat(length)}b`)).toBe('AB');
});
