/** How a list looks in a JSON body and its headers, in the dialect that is set. */
import type { Dialect } from '../dialects.mts';
import type { Json } from './bodies.mts';

/**
 * A list in the dialect's shape, cut into pages where the dialect has them; a body that is undefined is none at all, and `link` is
 * the Link header's value.
 *
 * @param address of this page, in whose query is its number
 */
export function listBody(
	resource: 'sites' | 'exchanges' | 'watchdog',
	records: Json[],
	address: URL,
	dialect: Dialect,
): { body: unknown; link?: string } {
	const key = resource === 'watchdog' ? dialect.watchdogKey : resource;
	const { pagination, pageSize } = dialect;
	if (pagination === 'none') return { body: shaped(records, key, dialect, {}) };
	const page = Number(address.searchParams.get('page') ?? 1);
	const onPage = records.slice((page - 1) * pageSize, page * pageSize);
	const hasMore = page * pageSize < records.length;
	const next = new URL(address);
	next.searchParams.set('page', String(page + 1));
	if (pagination === 'link-other-origin') {
		next.hostname = next.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
	}
	const inHeader = { body: {}, link: hasMore ? `<${next.href}>; rel="next"` : undefined };
	const signs: Record<typeof pagination, { body: Json; link?: string }> = {
		link: inHeader,
		'link-other-origin': inHeader,
		'has-more': { body: { has_more: hasMore } },
		'next-url': { body: { next: hasMore ? next.href : null } },
		'next-cursor': { body: { next_cursor: hasMore ? String(page + 1) : null } },
		'next-page': { body: { next_page: hasMore ? page + 1 : null } },
	};
	const { body, link } = signs[pagination];
	return { body: shaped(onPage, key, dialect, body), link };
}

/** The list with the signs of more. An array cannot carry any signs, so then it becomes an object with the resource's key. */
function shaped(
	records: Json[],
	key: string,
	{ listShape, emptyList }: Dialect,
	signs: Json,
): unknown {
	if (key === 'sites') return { sites: records, ...signs };
	if (records.length === 0 && emptyList === '204') return undefined;
	const list = records.length === 0 && emptyList === 'null' ? null : records;
	if (listShape === 'array' && list !== null && Object.keys(signs).length === 0) return list;
	const hasOwnKey = listShape === 'resource' || listShape === 'array';
	return { [hasOwnKey ? key : listShape]: list, ...signs };
}
