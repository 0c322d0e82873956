import { readUrl } from '../url';

/** One link of the header (RFC 8288): the address in angle brackets, and the parameters behind it. */
const link = /<([^>]*)>([^<]*)/g;

/**
 * The next page (`Link: <…>; rel="next"`), resolved against the page's own address; undefined when the header names none, empty
 * when it names one that cannot be read.
 */
export function readNextLink(headers: Record<string, string>, pageUrl: string): string | undefined {
	for (const [, target = '', parameters = ''] of (headers.link ?? '').matchAll(link)) {
		if (!/;\s*rel\s*=\s*"?([^";,]*\s)?next\b/i.test(parameters)) continue;
		return readUrl(target, pageUrl)?.href.replace(/#.*$/, '') ?? '';
	}
	return undefined;
}
