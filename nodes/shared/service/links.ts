import { readUrl } from '../url';

/**
 * The next page by RFC 8288 (`Link: <…>; rel="next"`), resolved against the page's own address; undefined when the
 * header names none, empty when it names one that cannot be read. Links about something else than the page (`anchor`) do
 * not count (section 3.2).
 */
export function readNextLink(headers: Record<string, string>, pageUrl: string): string | undefined {
	for (const { target, parameters } of readLinks(headers.link ?? '')) {
		const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/);
		if (!relations.includes('next') || parameters.has('anchor')) continue;
		const url = target === undefined ? undefined : readUrl(target, pageUrl);
		return url?.href.replace(/#.*$/, '') ?? '';
	}
	return undefined;
}

interface Link {
	/** Where the link leads; undefined when the address does not stand in angle brackets. */
	target: string | undefined;
	/** The values, by the parameters' names in lower case; of a repeated one the first counts (RFC 8288, section 3.3). */
	parameters: Map<string, string>;
}

/** The parts of a Link header: a target or what stands in its place, `;` and `,`, and parameters with their values. */
const part =
	/<(?<target>[^>]*)>|(?<separator>[;,])|(?<name>[^\s"<>;,=]+)(?:\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)(?:"|$)|(?<token>[^\s"<>;,]+)))?|[^\s]/gs;

function readLinks(header: string): Link[] {
	const links: Link[] = [];
	let link: Link | undefined;
	for (const { groups = {} } of header.matchAll(part)) {
		if (groups.separator === ',') {
			link = undefined;
			continue;
		}
		if (link === undefined) {
			link = { target: undefined, parameters: new Map() };
			links.push(link);
		}
		if (groups.target !== undefined) link.target ??= groups.target;
		const name = groups.name?.toLowerCase();
		if (name !== undefined && !link.parameters.has(name)) {
			const value = groups.token ?? groups.quoted?.replace(/\\(.)/gs, '$1') ?? '';
			link.parameters.set(name, value);
		}
	}
	return links;
}
