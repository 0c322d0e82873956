// In a normalized anchor, a separator is a space if it has whitespace, otherwise a hyphen.
const optionalGap = '[ -]?';
const optionalHyphen = '-?';
/** For letters with a stroke, which Unicode doesn't decompose into a letter and a mark. */
const baseLetters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't' };
const letterOrDigit = '[\\p{L}\\p{N}]';
/** The space between two single letters, as in "c a s i n o". */
const spelledOutGap = new RegExp(
	`(?<=(?<!${letterOrDigit})${letterOrDigit}) (?=${letterOrDigit}(?!${letterOrDigit}))`,
	'gu',
);

/**
 * Normalizes an anchor text for comparison.
 *
 * Only letters and digits stay, in one case, without accents and invisible characters and with
 * compatibility forms (NFKD) replaced. Everything between them becomes a space if it contains
 * whitespace, otherwise a hyphen. The letters of a word that is spelled out (c a s i n o) are
 * separated by hyphens, too.
 *
 * @returns an empty string if the anchor isn't readable text
 */
export function normalizeAnchor(anchor: unknown): string {
	// U+FFFD marks bytes that weren't valid UTF-8.
	if (typeof anchor !== 'string' || anchor.includes('\ufffd')) return '';
	return (
		anchor
			// Remove marks first: normalize() sorts them, in time quadratic in their number.
			.replace(/[\p{M}\uff9e\uff9f]+/gu, '')
			.normalize('NFKD')
			// U+FEFF is invisible, although \s matches it.
			.replace(/(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]|\ufeff/gu, '')
			// Compose Hangul again: NFKD splits its syllables, but a syllable counts as a letter.
			.normalize('NFC')
			.replace(/[łøđħŧ]/gi, (letter) => baseLetters[letter.toLowerCase()] ?? letter)
			.toLowerCase()
			.toUpperCase()
			.replace(/[^\p{L}\p{N}]+/gu, (run) => (/\s/.test(run) ? ' ' : '-'))
			.replace(/^[ -]|[ -]$/g, '')
			.replace(spelledOutGap, '-')
	);
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
