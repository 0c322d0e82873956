/** The text as one line of at most `length` characters; no character is cut in half. */
export function shorten(text: string, length: number): string {
	const line = text.replace(/\s+/g, ' ').trim();
	const characters = [...line.slice(0, 2 * length + 2)];
	const isLonger = characters.length > length;
	return isLonger
		? `${characters
				.slice(0, length - 1)
				.join('')
				.trimEnd()}…`
		: line;
}
