/** How a list looks in a JSON body and its headers, in the dialect that is set. */
import type { Dialect } from '../dialects.mts';
import type { Json } from './bodies.mts';

export interface Page {
	/** The number of the page, from 1. */
	number: number;
	/** Full address of the list, for the addresses of further pages. */
	address: URL;
}

/** A list in the dialect's shape, cut into pages where the dialect has them; `link` is the Link header's value. */
export function listBody(
	resource: 'sites' | 'exchanges' | 'watchdog',
	records: Json[],
	page: Page,
	dialect: Dialect,
): { body: unknown; link: string | undefined } {
	const key = resource === 'watchdog' ? dialect.watchdogKey : resource;
	const { pagination, pageSize } = dialect;
	if (pagination === 'none') {
		return { body: shaped(records, key, resource, dialect, {}), link: undefined };
	}
	const onPage = records.slice((page.number - 1) * pageSize, page.number * pageSize);
	const hasMore = page.number * pageSize < records.length;
	const next = new URL(page.address);
	next.searchParams.set('page', String(page.number + 1));
	if (pagination === 'link-other-origin') {
		next.hostname = next.hostname === 'localhost' ? '127.0.0.1' : 'localhost';
	}
	const inHeader = pagination === 'link' || pagination === 'link-other-origin';
	const signs: Json = inHeader ? {} : signsOfMore(pagination, hasMore, next.href, page.number + 1);
	return {
		body: shaped(onPage, key, resource, dialect, signs),
		link: inHeader && hasMore ? `<${next.href}>; rel="next"` : undefined,
	};
}

function signsOfMore(
	pagination: 'has-more' | 'next-url' | 'next-cursor' | 'next-page',
	hasMore: boolean,
	url: string,
	page: number,
): Json {
	switch (pagination) {
		case 'has-more':
			return { has_more: hasMore };
		case 'next-url':
			return { next: hasMore ? url : null };
		case 'next-cursor':
			return { next_cursor: hasMore ? String(page) : null };
		case 'next-page':
			return { next_page: hasMore ? page : null };
	}
}

/**
 * The list in the dialect's shape, with the signs of more; undefined: no body at all. An array cannot carry any signs, so then it
 * becomes an object with the resource's key.
 */
function shaped(
	records: Json[],
	key: string,
	resource: string,
	{ listShape, emptyList }: Dialect,
	signs: Json,
): unknown {
	if (resource === 'sites') return { sites: records, ...signs };
	if (records.length === 0 && emptyList === '204') return undefined;
	const list = records.length === 0 && emptyList === 'null' ? null : records;
	if (listShape === 'array' && list !== null && Object.keys(signs).length === 0) return list;
	const hasOwnKey = listShape === 'resource' || listShape === 'array';
	return { [hasOwnKey ? key : listShape]: list, ...signs };
}
