/** Words as people type and paste them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	findInvisible,
	foldWords,
	stripInvisible,
	trimWords,
} from '../../../../nodes/shared/utils/text.ts';

const whole = [
	...['Health ❤️', '👩‍🌾', '👍🏽', '🏳️‍🌈', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', '©️', '葛󠄀', 'شاي', 'می‌خواهم'],
	...['ه‍', 'क्‍ष', 'க்ஷ', 'café', 'cafe\u0301', 'ﬁsh', '한\u1160'],
];

test.each(whole)('keeps %j whole, and removes the marks around it', (text) => {
	expect(trimWords(text)).toBe(text);
	for (const mark of ['\u200f', '\u200b', '\u00a0', '\ufeff', '\u2060', '\u202a', ' \t']) {
		expect(trimWords(`${mark}${text}${mark}`)).toBe(text);
		expect(stripInvisible(`${mark}${text}${mark}`)).toBe(text);
	}
	expect(findInvisible(`a ${text} b`.replace('1️⃣', ''))).toBeUndefined();
	expect(findInvisible(`a\u200b ${text}`)).toBe('U+200B');
});

test.each([
	['tea\u200d', 'tea'],
	['tea\ufe0f\u200c', 'tea'],
	['\u200d\ufe0ftea', 'tea'],
	['❤\ufe0f\ufe0f\ufe0f', '❤\ufe0f'],
	['\ufe0f', ''],
])('removes joiners and selectors that belong to no character: %j', (text, trimmed) => {
	expect(trimWords(text)).toBe(trimmed);
});

test.each([
	['café culture', 'cafe\u0301 culture'],
	['istanbul', 'İSTANBUL'],
	['istanbul', 'I\u0307stanbul'],
	['ısparta', 'ISPARTA'],
	['strasse', 'Straße'],
	['STRASSE', 'stra\u1e9ee'],
	['σοφος', 'ΣΟΦΟΣ'],
	['σοφος', 'σοφοσ'],
	['fish', 'ﬁsh'],
	['tea', 'ＴＥＡ'],
	['green tea', 'Green\u00a0\u3000Tea'],
	['health ❤', 'Health ❤️'],
	['가', '\u1100\u1161'],
	['tea', 't\u200bea\u00ad'],
])('%j and %j are the same words', (one, other) => {
	expect(foldWords(one)).toBe(foldWords(other));
});

test.each([
	['cafe', 'café'],
	['का', 'कि'],
	['かき', 'がぎ'],
	['tea', 'teas'],
])('%j and %j are not the same words', (one, other) => {
	expect(foldWords(one)).not.toBe(foldWords(other));
});

test('folds every form of the same words to the same text', () => {
	const forms = fc.constantFrom<(text: string) => string>(
		(text) => text.normalize('NFC'),
		(text) => text.normalize('NFD'),
		(text) => text.toLowerCase(),
		(text) => text.toUpperCase(),
		foldWords,
	);
	const words = fc.array(fc.constantFrom(...Array.from('aéßİıiſσςΐǰŉ가각か゛がﬁ ')), {
		maxLength: 8,
	});
	fc.assert(
		fc.property(words, forms, (letters, form) => {
			const text = letters.join('');
			expect(foldWords(form(text))).toBe(foldWords(text));
		}),
		{ numRuns: 2000 },
	);
});
