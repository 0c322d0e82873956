/** Bodies and headers of lists. */
import type { Dialect } from '../dialects.mts';
import type { Json } from './bodies.mts';

/**
 * Builds a list response, split into pages if the dialect has them.
 *
 * @param url of the request; its query contains the page
 * @returns the body (`undefined`: none) and the value of the Link header
 */
export function listBody(
	resource: 'sites' | 'exchanges' | 'watchdog',
	records: Json[],
	url: URL,
	dialect: Dialect,
): { body: unknown; link?: string } {
	const key = resource === 'watchdog' ? 'events' : resource;
	const { pagination, pageSize } = dialect;
	if (pagination === 'none') return { body: wrapList(records, key, dialect, {}) };
	const page = Number(url.searchParams.get('page') ?? 1);
	const onPage = records.slice((page - 1) * pageSize, page * pageSize);
	const hasMore = page * pageSize < records.length;
	const next = new URL(url);
	next.searchParams.set('page', String(page + 1));
	if (pagination === 'link-other-origin') {
		next.hostname = next.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
	}
	const linkHeader = { body: {}, link: hasMore ? `<${next.href}>; rel="next"` : undefined };
	const pageFields: Record<typeof pagination, { body: Json; link?: string }> = {
		link: linkHeader,
		'link-other-origin': linkHeader,
		'has-more': { body: { has_more: hasMore } },
		'next-url': { body: { next: hasMore ? next.href : null } },
		'next-cursor': { body: { next_cursor: hasMore ? String(page + 1) : null } },
		'next-page': { body: { next_page: hasMore ? page + 1 : null } },
	};
	const { body, link } = pageFields[pagination];
	return { body: wrapList(onPage, key, dialect, body), link };
}

/**
 * Wraps a list and its pagination fields.
 *
 * An array can't carry fields, so with pagination it becomes an object with the resource's key.
 */
function wrapList(
	records: Json[],
	key: string,
	{ listShape, emptyList }: Dialect,
	pageFields: Json,
): unknown {
	if (key === 'sites') return { sites: records, ...pageFields };
	if (records.length === 0 && emptyList === '204') return undefined;
	const list = records.length === 0 && emptyList === 'null' ? null : records;
	if (listShape === 'array' && list !== null && Object.keys(pageFields).length === 0) return list;
	const hasOwnKey = listShape === 'resource' || listShape === 'array';
	return { [hasOwnKey ? key : listShape]: list, ...pageFields };
}
