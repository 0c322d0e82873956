/** Signs between two letters, in what `comparableWords` returns: with a blank among them, and without. */
const optionalGap = '[ -]?';
const optionalHyphen = '-?';
/** Letters whose stroke is no mark of its own in Unicode. */
const baseLetters: Record<string, string> = { ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ŧ: 't' };
const letterOrDigit = '[\\p{L}\\p{N}]';
const spelledOutGap = new RegExp(
	`(?<=(?<!${letterOrDigit})${letterOrDigit}) (?=${letterOrDigit}(?!${letterOrDigit}))`,
	'gu',
);

/**
 * An anchor text for comparing: letters and digits alone, without accents and invisible characters, compatible forms alike,
 * in one case. Each run of anything else is a blank where it has one, otherwise a hyphen, as between the letters of a word
 * that is spelled out (c a s i n o).
 * @returns empty when nothing can be read
 */
export function normalizeAnchor(anchor: unknown): string {
	// U+FFFD stands for what is no UTF-8.
	if (typeof anchor !== 'string' || anchor.includes('\ufffd')) return '';
	return (
		anchor
			// Marks go before they are put in order, which takes a time that grows with the square of their number.
			.replace(/[\p{M}\uff9e\uff9f]+/gu, '')
			.normalize('NFKD')
			// U+FEFF is invisible, although JavaScript counts it among the blanks.
			.replace(/(?!\s)[\p{C}\p{M}\p{Default_Ignorable_Code_Point}]|\ufeff/gu, '')
			// The letters of Hangul, which NFKD has taken apart, are its syllables.
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
 * The result tells whether a text of `comparableWords` contains these words: "free spins" is in "get free-spins now" and in
 * "freespins", "casino" in "ca-sino" and in "online casinos". It is not found across two words: "loan" is not in "halo and".
 * @returns undefined for words without letters and digits
 */
export function createWordMatcher(words: string): ((text: string) => boolean) | undefined {
	const parts = normalizeAnchor(words).split(/[ -]/);
	if (parts[0] === '') return undefined;
	const plainPattern = parts.join(optionalGap);
	// Words with signs between their letters have to begin where a word begins: "loan" is not in "halo-and" either.
	const hyphenatedPattern = parts.map((part) => [...part].join(optionalHyphen)).join(optionalGap);
	const pattern = new RegExp(`${plainPattern}|(?<!${letterOrDigit})${hyphenatedPattern}`, 'u');
	return (text) => pattern.test(text);
}
