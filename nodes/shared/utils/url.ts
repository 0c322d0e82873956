/**
 * A URL as browsers read it, complete or relative to another one; undefined where the text is none. It does not ask
 * `URL.canParse`, which in Node 20 answers false for hosts such as bücher.example after some thousand calls.
 */
export function tryParseUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
