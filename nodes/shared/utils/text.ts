/** Characters that cannot be seen, or that reverse the text around them; a line break is one of them. */
const invisible = '\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}';
// One class, and the run at the end is looked for from its first character alone: the time grows with the length of the text.
const invisibleEnds = new RegExp(
	`^[\\s${invisible}]+|(?<![\\s${invisible}])[\\s${invisible}]+$`,
	'gu',
);
const invisibleCharacter = new RegExp(`[${invisible}]`, 'gu');

/** The text as one line of at most `length` characters; no character is cut in half. */
export function truncate(text: string, length: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	const characters = [...line.slice(0, 2 * length + 2)];
	if (characters.length <= length) return line;
	const start = characters.slice(0, length - 1).join('');
	return `${start.trimEnd()}…`;
}

/** The text without blanks, and without what cannot be seen, at its ends: both come along when something is copied. */
export function trimInvisible(text: string): string {
	return text.replace(invisibleEnds, '');
}

/** The text on one line, without what cannot be seen in it. */
export function stripInvisible(text: string): string {
	return text.replace(/\s+/g, ' ').replace(invisibleCharacter, '').trim();
}

/** The first character within a text that cannot be seen, as `U+200B`; undefined where there is none. */
export function findInvisible(text: string): string | undefined {
	const [character] = trimInvisible(text).replace(/\s/g, '').match(invisibleCharacter) ?? [];
	const code = character?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
	return code === undefined ? undefined : `U+${code}`;
}
