import { isObject, type ListName, type ServiceResponse } from './response';

/** What has been read of a list so far, this page included. */
interface ReadSoFar {
	entries: number;
	pages: number;
}

/** Parts of a body in which services write about its pages, besides the body itself. */
const parts =
	/^_?(data|meta|metadata|pagination|paging|pager|page|pageinfo|links|cursors?|response|result)$/;
/** How deep such parts may lie in each other. */
const deepest = 3;

/** Names are compared without case, `_` and `-`. */
const flags =
	/^(has(more|next)(page|pages|results|items)?|more|moreavailable|istruncated|truncated)$/;
const lastFlags = /^(last|islast|islastpage|lastpage)$/;
const nextValues = /^next/;
const nextPages =
	/^next(page|pageurl|pagetoken|url|uri|link|href|cursor|token|offset|key|marker|start)?$/;
const totals = /^total(count|results|items|entries|elements|records|rows)$/;
const looseTotals = /^(total|count)$/;
const pageTotals = /^(totalpages|lastpage|pagecount|pages|numpages)$/;

/**
 * Whether an answer says that its list goes on, in one of the ways that services use and this one does not document
 * (service-api.md, "Endpoints": pagination is not shown). Asked of the last page that could be followed.
 */
export function saysThereIsMore(
	{ statusCode, headers, json }: Pick<ServiceResponse, 'statusCode' | 'headers' | 'json'>,
	name: ListName,
	read: ReadSoFar,
): boolean {
	return statusCode === 206 || headersSayMore(headers, read) || partSaysMore(json, name, read, 0);
}

function headersSayMore(headers: Record<string, string>, read: ReadSoFar): boolean {
	const header = (...names: string[]) => names.map((name) => headers[name]).find(Boolean);
	const ofRange = /\/\s*(\d+)\s*$/.exec(headers['content-range'] ?? '')?.[1];
	return (
		exceeds(header('x-total-count', 'x-total', 'total-count'), read.entries) ||
		exceeds(ofRange, read.entries) ||
		exceeds(header('x-total-pages', 'x-page-count'), read.pages) ||
		isNext(headers['x-next-page']) ||
		isTrue(headers['x-has-more'])
	);
}

function partSaysMore(part: unknown, list: ListName, read: ReadSoFar, depth: number): boolean {
	if (!isObject(part)) return false;
	// The ledger comes with the balance: there, "total" may be credits and "next…" a date.
	const isBalance = list === 'ledger' && 'balance' in part;
	return Object.entries(part).some(([key, value]) => {
		const name = key.toLowerCase().replace(/[_-]/g, '');
		if (flags.test(name) && isTrue(value)) return true;
		if (lastFlags.test(name) && value === false) return true;
		if ((isBalance ? nextPages : nextValues).test(name) && isNext(value)) return true;
		if (totals.test(name) && exceeds(value, read.entries)) return true;
		if (!isBalance && looseTotals.test(name) && exceeds(value, read.entries)) return true;
		if (pageTotals.test(name) && exceeds(value, read.pages)) return true;
		const isPart = parts.test(name) && depth < deepest;
		return isPart && partSaysMore(value, list, read, depth + 1);
	});
}

function isTrue(value: unknown): boolean {
	return value === true || value === 1 || (typeof value === 'string' && /^(true|1)$/i.test(value));
}

/** A cursor, a page or an address; HAL and JSON:API put the address into an object. */
function isNext(value: unknown): boolean {
	if (isObject(value)) return 'href' in value ? isNext(value.href) : Object.keys(value).length > 0;
	if (typeof value === 'string') return !/^(|null|none|false|0)$/i.test(value.trim());
	return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function exceeds(value: unknown, read: number): boolean {
	if (typeof value === 'string' && !/^\s*\d{1,15}\s*$/.test(value)) return false;
	return (typeof value === 'string' || typeof value === 'number') && Number(value) > read;
}
