/** Blocked anchor words, matched as users intend them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	createWordMatcher,
	findDisguise,
	hasMixedScripts,
	normalizeAnchor,
	unescapeAnchor,
} from '../../../nodes/BacklinkExchange/resources/exchange/acceptMany/anchorMatcher.ts';

const isIn = (words: string, anchor: string) =>
	createWordMatcher(words)?.(normalizeAnchor(anchor)) ?? false;
/** Returns only the letters and digits of a text: the oracle. */
const normalize = (text: string) => text.replace(/[^a-z\d]/gi, '').toLowerCase();

const word = fc.stringMatching(/^[a-p\d]{2,8}$/);
const signs = fc.array(fc.constantFrom(...Array.from(' -_/.,!&|·•–—\u00a0\n\t+*#\'"🎲→')), {
	minLength: 1,
});
const separator = signs.map((run) => run.join(''));
const disguise = fc.constantFrom<(text: string) => string>(
	(text) => text,
	(text) => text.toUpperCase(),
	(text) => Array.from(text).join('\u0301'),
	(text) => Array.from(text).join('\u200b'),
	(text) => text.replace(/[a-p]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
);

test('finds several words with any text between and around them', () => {
	const words = fc.array(word, { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(
			words,
			separator,
			separator,
			disguise,
			disguise,
			(parts, one, other, disguiseText, or) => {
				const blockedWords = disguiseText(parts.join(one));
				const anchor = `get ${or(parts.join(other))} now`;
				expect(isIn(blockedWords, anchor), JSON.stringify([blockedWords, anchor])).toBe(true);
				expect(isIn(blockedWords, parts.join(''))).toBe(true);
			},
		),
		{ numRuns: 500 },
	);
});

test('finds a word with punctuation between its letters, or spelled out', () => {
	const sign = separator.filter((run) => !/\s/.test(run));
	fc.assert(
		fc.property(word, sign, fc.nat(), (text, run, at) => {
			const splitAt = 1 + (at % (text.length - 1));
			expect(isIn(text, `a ${text.slice(0, splitAt)}${run}${text.slice(splitAt)}s`)).toBe(true);
			expect(isIn(text, `now ${Array.from(text).join(run)} now`)).toBe(true);
			expect(isIn(text, `now ${Array.from(text).join(' ')} now`)).toBe(true);
		}),
	);
});

test('does not match across word boundaries ("loan" in "halo and")', () => {
	const longer = word.filter((text) => text.length > 2);
	fc.assert(
		fc.property(longer, separator, fc.nat(), (text, run, at) => {
			const splitAt = 1 + (at % (text.length - 1));
			const [one, other] = [text.slice(0, splitAt), text.slice(splitAt)];
			// No letter of a word is an x.
			expect(isIn(text, `xx${one}${run}${other}xx`)).toBe(false);
			expect(isIn(text, `${one} ${run}${other}`)).toBe(false);
		}),
		{ numRuns: 500 },
	);
});

test("finds nothing that isn't there", () => {
	const texts = fc.array(fc.oneof(word, separator)).map((parts) => parts.join(''));
	fc.assert(
		fc.property(texts, texts, (blockedWords, anchor) => {
			if (isIn(blockedWords, anchor)) expect(normalize(anchor)).toContain(normalize(blockedWords));
		}),
		{ numRuns: 1000 },
	);
});

test('parses an anchor of a million characters', () => {
	const anchor = 'c-'.repeat(500_000);
	expect(isIn('casino', anchor)).toBe(false);
	expect(isIn('c c', anchor)).toBe(true);
});

test.each(['<a ', '<!--', '&', '&#', '&amp;', 'a ', '\u0430a '])(
	'an anchor of a million characters is checked: %j …',
	(part) => {
		const isPlain = ['&', '&#', '&amp;', 'a '].includes(part);
		expect(findDisguise(unescapeAnchor(part.repeat(1_000_000 / part.length))) === undefined).toBe(
			isPlain,
		);
	},
);

test.each([
	['casino', 'cas\ufeffino online'],
	['casino', 'c\u3164asino'],
	['casino', 'CASİNO online'],
	['casino', 'CASıNO ONLINE'],
	['casino', 'casinò'],
	['casino', 'ᶜᵃˢⁱⁿᵒ'],
	['카지노', '온라인 카 지 노'],
	['łódź', 'hotel lodz'],
	['sovn', 'Søvn'],
])('%s is in %j', (words, anchor) => {
	expect(isIn(words, anchor)).toBe(true);
});

test("doesn't find a syllable in another one with the same start", () => {
	expect(isIn('주', '죽 레시피')).toBe(false);
});

test('takes four single letters for a word that is spelled out, but not three', () => {
	expect(hasMixedScripts('play p \u043E k e')).toBe(true);
	expect(hasMixedScripts('a \u03B2 c')).toBe(false);
});
