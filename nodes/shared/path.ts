/**
 * Why a text cannot be a segment of a path, undefined when it can. Percent-encoding does not help with these: "." and
 * ".." change the path even when encoded (WHATWG URL Standard, "double-dot URL path segment"), an empty one makes it
 * another address, and half of a surrogate pair has no UTF-8.
 */
export function whyNotASegment(text: string): string | undefined {
	if (text.trim() === '') return 'it is empty';
	if (text === '.' || text === '..') return 'it would change the address of the request';
	if (/\p{Surrogate}/u.test(text)) return 'it contains half of a character';
	return undefined;
}

/** The path of an endpoint, such as /exchanges/exc_1/accept; each segment stays one segment. */
export function pathOf(segments: readonly string[]): string {
	return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
}
