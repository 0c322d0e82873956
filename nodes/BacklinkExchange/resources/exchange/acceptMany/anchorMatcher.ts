import { findInvisible, foldWords } from '../../../../shared/utils/text';

// In a normalized anchor, a separator is a space if it has whitespace, otherwise a hyphen.
const optionalGap = '[ -]?';
const optionalHyphen = '-?';
/** For letters with a stroke, which Unicode doesn't decompose into a letter and a mark. */
const baseLetters: Record<string, string> = { Ł: 'L', Ø: 'O', Đ: 'D', Ħ: 'H', Ŧ: 'T' };
const letterOrDigit = '[\\p{L}\\p{N}]';
/** Four or more single letters. Three, such as "a β c", aren't a word. */
const spelledOutWord = new RegExp(
	`(?<!${letterOrDigit})\\p{L}(?:[^\\p{L}\\p{N}]+\\p{L}(?!${letterOrDigit})){3,}`,
	'gu',
);
/** The space between two single letters, as in "c a s i n o". */
const spelledOutGap = new RegExp(
	`(?<=(?<!${letterOrDigit})${letterOrDigit}) (?=${letterOrDigit}(?!${letterOrDigit}))`,
	'gu',
);

/** Marks and invisible characters. U+FEFF is one of them, although \s matches it. */
const invisible = /(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]|\ufeff/gu;

/** The characters that escaping replaces. */
const escapes: Record<string, string> = {
	...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" },
};

/**
 * Names of character references that browsers read without a semicolon, too (WHATWG HTML, 13.5).
 */
const legacyNames =
	'AElig|AMP|Aacute|Acirc|Agrave|Aring|Atilde|Auml|COPY|Ccedil|ETH|Eacute|Ecirc|Egrave|Euml|GT|Iacute|Icirc|Igrave|Iuml|LT|Ntilde|Oacute|Ocirc|Ograve|Oslash|Otilde|Ouml|QUOT|REG|THORN|Uacute|Ucirc|Ugrave|Uuml|Yacute|aacute|acirc|acute|aelig|agrave|amp|aring|atilde|auml|brvbar|ccedil|cedil|cent|copy|curren|deg|divide|eacute|ecirc|egrave|eth|euml|frac12|frac14|frac34|gt|iacute|icirc|iexcl|igrave|iquest|iuml|laquo|lt|macr|micro|middot|nbsp|not|ntilde|oacute|ocirc|ograve|ordf|ordm|oslash|otilde|ouml|para|plusmn|pound|quot|raquo|reg|sect|shy|sup1|sup2|sup3|szlig|thorn|times|uacute|ucirc|ugrave|uml|uuml|yacute|yen|yuml';

/** A tag, a comment, or a character reference. */
const markup = new RegExp(`<|&(?:#[xX]?[\\da-fA-F]|[a-zA-Z][a-zA-Z\\d]*;|${legacyNames})`);

/** Returns the text of an anchor that may be escaped. */
export function unescapeAnchor(anchor: string): string {
	return anchor.replace(/&(?:amp|lt|gt|quot|#39);/g, (escape) => escapes[escape] ?? escape);
}

/**
 * Returns why readers may see something else in an anchor than the text that is compared with
 * words.
 *
 * @param anchor from `unescapeAnchor`
 * @returns `undefined` for plain text
 */
export function findDisguise(anchor: string): string | undefined {
	if (markup.test(anchor)) return 'The anchor text contains HTML';
	const character = findInvisible(anchor);
	if (character !== undefined) {
		return `The anchor text contains the invisible character ${character}`;
	}
	return hasMixedScripts(anchor)
		? 'A word in the anchor text mixes Latin letters with Cyrillic or Greek ones, which look alike'
		: undefined;
}

/**
 * Returns whether a run of letters mixes Latin with Cyrillic or Greek letters, many of which look
 * alike. The letters of a word that is spelled out (c a s i n o) are a run, too.
 */
export function hasMixedScripts(text: string): boolean {
	return text
		.replace(invisible, '')
		.replace(spelledOutWord, (word) => word.replace(/[^\p{L}]+/gu, ''))
		.split(/[^\p{L}]+/u)
		.some(isMixed);
}

/**
 * Normalizes an anchor text for comparison.
 *
 * Only letters and digits stay, folded (`foldWords`) and without accents. Everything between them
 * becomes a space if it contains whitespace, otherwise a hyphen. The letters of a word that is
 * spelled out (c a s i n o) are separated by hyphens, too.
 *
 * @returns an empty string if the anchor isn't readable text
 */
export function normalizeAnchor(anchor: string): string {
	// U+FFFD marks bytes that weren't valid UTF-8.
	if (anchor.includes('\ufffd')) return '';
	return foldWords(withoutMarks(anchor))
		.replace(/[ŁØĐĦŦ]/g, (letter) => baseLetters[letter] ?? letter)
		.replace(/[^\p{L}\p{N}]+/gu, (run) => (/\s/.test(run) ? ' ' : '-'))
		.replace(/^[ -]|[ -]$/g, '')
		.replace(spelledOutGap, '-');
}

/**
 * Creates a function that returns whether an anchor from `normalizeAnchor` contains the words.
 *
 * "free spins" is in "get free-spins now" and in "freespins", "casino" is in "ca-sino" and in
 * "online casinos". A match doesn't extend across two words: "loan" isn't in "halo and".
 *
 * @returns `undefined` if the words have no letters or digits
 */
export function createWordMatcher(words: string): ((text: string) => boolean) | undefined {
	const parts = normalizeAnchor(words).split(/[ -]/);
	if (parts[0] === '') return undefined;
	const plainPattern = parts.join(optionalGap);
	// With hyphens between its letters, a match must start at a word: "loan" isn't in "halo-and".
	const hyphenatedPattern = parts.map((part) => [...part].join(optionalHyphen)).join(optionalGap);
	const pattern = new RegExp(`${plainPattern}|(?<!${letterOrDigit})${hyphenatedPattern}`, 'u');
	return (text) => pattern.test(text);
}

function withoutMarks(text: string): string {
	// Remove marks first: normalize() sorts them, in time quadratic in their number.
	const unmarked = text.replace(/[\p{M}\uff9e\uff9f]+/gu, '').normalize('NFKD');
	return unmarked.replace(invisible, '');
}

function isMixed(letters: string): boolean {
	// U+00B5 is the sign of a unit, as in µm; NFKD makes a Greek letter of it.
	const text = letters.replaceAll('\u00b5', '').normalize('NFKD');
	return /\p{Script=Latin}/u.test(text) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(text);
}
