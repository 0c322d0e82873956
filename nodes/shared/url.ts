/**
 * A URL as browsers read it, complete or relative to another one; undefined for what is none. Not by `URL.canParse`: that of
 * Node 20 answers false for hosts such as bücher.example once it has been called some thousand times.
 */
export function readUrl(text: string, base?: string): URL | undefined {
	try {
		return new URL(text, base);
	} catch {
		return undefined;
	}
}
