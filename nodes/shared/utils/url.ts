/**
 * Parses a URL as browsers do, absolute or relative to `base`.
 *
 * Node.js 20: `URL.canParse` returns false for hosts such as bücher.example after some thousand
 * calls, so it isn't used.
 *
 * @returns `undefined` if the text isn't a URL
 */
export function tryParseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
