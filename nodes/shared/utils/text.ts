/** Characters that are invisible or change the direction of text, including line breaks. */
const invisible = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
// A single class, and a lookbehind so that the run at the end is matched only from its first
// character: the time is linear in the length of the text.
const invisibleEnds = new RegExp(
	`^[\\s${invisible}]+|(?<![\\s${invisible}])[\\s${invisible}]+$`,
	'gu',
);
const invisibleCharacter = new RegExp(`[${invisible}]`, 'gu');

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

/** Trims whitespace and invisible characters, which copy and paste adds. */
export function trimInvisible(text: string): string {
	return text.replace(invisibleEnds, '');
}

/** Removes invisible characters and joins all lines into one. */
export function stripInvisible(text: string): string {
	return text.replace(/\s+/g, ' ').replace(invisibleCharacter, '').trim();
}

/**
 * Returns the first invisible character inside a text, as `U+200B`.
 *
 * @returns `undefined` if there is none
 */
export function findInvisible(text: string): string | undefined {
	const [character] = trimInvisible(text).replace(/\s/g, '').match(invisibleCharacter) ?? [];
	const code = character?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
	return code === undefined ? undefined : `U+${code}`;
}
