/** Characters that are invisible or change the direction of text, including line breaks. */
const invisible = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
// A single class, and a lookbehind so that the run at the end is matched only from its first
// character: the time is linear in the length of the text.
const invisibleEnds = new RegExp(
	`^[\\s${invisible}]+|(?<![\\s${invisible}])[\\s${invisible}]+$`,
	'gu',
);
const invisibleStart = new RegExp(`^[\\s${invisible}]+`, 'u');
const invisibleRun = new RegExp(`(^|[^${invisible}])([${invisible}]+)`, 'gu');
const invisibleInWords = new RegExp(`(?!\\s)[${invisible}]|\\ufeff`, 'gu');

/** A variation selector or filler, then a joiner. */
const attachedSigns =
	/^(?:[\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u1160]?[\u200c\u200d]?)/u;
/** The letters of a region's flag, such as Scotland's. */
const flagTags = /^[\u{e0030}-\u{e007a}]{2,6}\u{e007f}|^\ufe0f?\u200d?/u;
const maxAttachedLength = 16;
/** A visible character for which such signs are made: an emoji, or a letter other than Latin. */
const takesSigns =
	/(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}])[\p{L}\p{M}])$/u;

const commas =
	',\\u055d\\u060c\\u07f8\\u1363\\u1802\\u1808\\u2e32\\u2e34\\u2e41\\u2e49\\u3001\\ua4fe\\ua60d\\ua6f5\\ufe10\\ufe11\\ufe50\\ufe51\\uff0c\\uff64';
const semicolons = ';\\u037e\\u061b\\u1364\\u204f\\u2e35\\ua6f6\\ufe14\\ufe54\\uff1b';
/** Everything that separates the entries of a list: commas, semicolons, bars, quotes and lines. */
export const listSeparator = new RegExp(
	`[${commas}${semicolons}|\uff5c"“”\uff02\\t\\n\\v\\f\\r\\u0085\\u2028\\u2029]`,
	'u',
);
/** Percent-encodes what separates the entries of a list. */
export function encodeSeparators(text: string): string {
	const encode = (character: string) =>
		listSeparator.test(character) ? encodeURIComponent(character) : character;
	return Array.from(text, encode).join('');
}

/**
 * Truncates a text to one line of at most `length` characters, without splitting surrogate pairs.
 */
export function truncate(text: string, length: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	const characters = [...line.slice(0, 2 * length + 2)];
	if (characters.length <= length) return line;
	const start = characters.slice(0, length - 1).join('');
	return `${start.trimEnd()}…`;
}

export function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Trims whitespace and all invisible characters, for values that can't contain them, such as URLs.
 */
export function trimInvisible(text: string): string {
	return text.replace(invisibleEnds, '');
}

/**
 * Trims whitespace and invisible characters, which copy and paste adds, from words. A variation
 * selector or joiner that belongs to the last character stays: without it, ❤️ is another text.
 */
export function trimWords(text: string): string {
	const start = text.length - text.replace(invisibleStart, '').length;
	const trimmed = trimInvisible(text);
	const end = start + trimmed.length;
	return trimmed + getAttached(trimmed.slice(-2), text.slice(end, end + maxAttachedLength));
}

/**
 * Removes invisible characters and joins all lines into one. Those that belong to a visible
 * character stay: emoji sequences, and joiners between letters that connect.
 */
export function stripInvisible(text: string): string {
	return text.replace(/\s+/g, ' ').replace(invisibleRun, keepAttached).trim();
}

/**
 * Returns the first invisible character inside a text, as `U+200B`. Variation selectors and joiners
 * that belong to a visible character don't count.
 *
 * @returns `undefined` if there is none
 */
export function findInvisible(text: string): string | undefined {
	const words = trimInvisible(text).replace(/\s/g, '');
	for (const [, before = '', run = ''] of words.matchAll(invisibleRun)) {
		const character = run.slice(getAttached(before, run).length).codePointAt(0);
		if (character !== undefined) {
			return `U+${character.toString(16).toUpperCase().padStart(4, '0')}`;
		}
	}
	return undefined;
}

/**
 * Folds words for comparison, in searches, filters and rules: case (İ, ı and i are one letter, ß is
 * ss), composed and decomposed letters, compatibility forms such as full-width letters, whitespace
 * and invisible characters make no difference. Accents do.
 */
export function foldWords(text: string): string {
	return (
		text
			.replace(invisibleInWords, '')
			// normalize() sorts marks, in time quadratic in their number.
			.replace(/(\p{M}{20})\p{M}+/gu, '$1')
			.normalize('NFKC')
			.toLowerCase()
			.toUpperCase()
			.normalize('NFKD')
			.replaceAll('I\u0307', 'I')
			.normalize('NFC')
			.replace(/\s+/g, ' ')
	);
}

function keepAttached(
	found: string,
	before: string,
	run: string,
	offset: number,
	text: string,
): string {
	const isKeycap = run === '\ufe0f' && text[offset + found.length] === '\u20e3';
	return isKeycap ? found : before + getAttached(before, run);
}

/**
 * Returns the beginning of a run of invisible characters that belongs to the character before it.
 */
function getAttached(before: string, run: string): string {
	const isFlag = before.endsWith('\u{1f3f4}');
	if (!isFlag && !takesSigns.test(before)) return '';
	return (isFlag ? flagTags : attachedSigns).exec(run)?.[0] ?? '';
}
