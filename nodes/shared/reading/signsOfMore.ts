import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';
import type { ServiceResponse } from '../service/response';
import type { ListName } from './content';

/** What has been read of a list so far, this page included. */
interface ReadSoFar {
	entries: number;
	pages: number;
}

/** Parts of a body in which services write about pages; they also do so in the body itself. */
const parts =
	/^(data|meta|metadata|pagination|paging|pager|pages?|pageinfo|resultinfo|links|cursors?|response|result)$/;
/** How deep such parts may lie in each other. */
const deepest = 3;

/** The names of fields are compared in lower case, without `_`, `-` and what stands before a dot; those of headers may begin with an X. */
const flags =
	/^x?(has(more|next)(page|pages|results|items)?|more|moreavailable|istruncated|truncated)$/;
const lastFlags = /^(last|islast|islastpage|lastpage)$/;
const nextValues = /^next/;
const nextPages =
	/^x?next(page|pageurl|pagetoken|url|uri|link|href|cursor|token|offset|key|marker|start)?$/;
const totals = /^(xtotal|x?total(count|results|items|entries|elements|records|rows))$/;
const looseTotals = /^(total|count)$/;
const pageTotals = /^x?(totalpages|lastpage|pagecount|pages|numpages)$/;

/**
 * Whether an answer says that its list goes on, in one of the ways that services use and this one does not document
 * (service-api.md, "Endpoints": pagination is not shown). `read` is what all pages had, and the answer that of the last one.
 */
export function saysThereIsMore(
	{ statusCode, headers, json }: Pick<ServiceResponse, 'statusCode' | 'headers' | 'json'>,
	name: ListName,
	read: ReadSoFar,
): boolean {
	const ofRange = /\/\s*(\d+)\s*$/.exec(headers['content-range'] ?? '')?.[1];
	return (
		statusCode === 206 ||
		exceeds(ofRange, read.entries) ||
		partSaysMore(headers, read, () => false, deepest) ||
		// The ledger comes with the balance: there, "total" may be credits and "next…" a date.
		partSaysMore(json, read, (part) => name !== 'ledger' || !('balance' in part))
	);
}

/** @param isLoose whether, in this part of the body, names count, too, that could mean something else than pages */
function partSaysMore(
	part: unknown,
	read: ReadSoFar,
	isLoose: (part: IDataObject) => boolean,
	depth = 0,
): boolean {
	if (Array.isArray(part)) return part.some((link) => isObject(link) && link.rel === 'next');
	if (!isObject(part)) return false;
	return Object.entries(part).some(([key, value]) => {
		const name = key
			.slice(key.lastIndexOf('.') + 1)
			.toLowerCase()
			.replace(/[_-]/g, '');
		if (fieldSaysMore(name, value, read, isLoose(part))) return true;
		const isPart = parts.test(name) && depth < deepest;
		return isPart && partSaysMore(value, read, isLoose, depth + 1);
	});
}

/** @param isLoose whether names count, too, that could mean something else than pages */
function fieldSaysMore(name: string, value: unknown, read: ReadSoFar, isLoose: boolean): boolean {
	const namesNext = isLoose ? nextValues : nextPages;
	const isTotal = totals.test(name) || (isLoose && looseTotals.test(name));
	return (
		(flags.test(name) && isTrue(value)) ||
		(lastFlags.test(name) && value === false) ||
		(namesNext.test(name) && isNext(value)) ||
		(isTotal && exceeds(value, read.entries)) ||
		(pageTotals.test(name) && exceeds(value, read.pages))
	);
}

function isTrue(value: unknown): boolean {
	return typeof value !== 'object' && /^(true|1)$/i.test(String(value));
}

/** Whether a value names a next page: by a cursor, a number or an address, which HAL and JSON:API put into an object. */
function isNext(value: unknown): boolean {
	if (typeof value === 'string') return !/^(|null|none|false|0)$/i.test(value);
	if (typeof value !== 'object' || value === null) return Boolean(value);
	return 'href' in value ? isNext(value.href) : Object.keys(value).length > 0;
}

function exceeds(value: unknown, read: number): boolean {
	return (typeof value === 'string' || typeof value === 'number') && Number(value) > read;
}
