import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** IDs are stored, and are part of event keys and messages, so their length is limited. */
const maxIdLength = 500;

/** Returns whether the value is a number or a non-blank string. */
export function isNonBlankScalar(value: unknown): value is string | number {
	return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
}

/** Returns a number or a non-blank string as text, unchanged; `undefined` for anything else. */
export function getText(value: unknown): string | undefined {
	return isNonBlankScalar(value) ? String(value) : undefined;
}

/** Returns whether the value can be an ID: a number or a non-blank string of limited length. */
export function isId(value: unknown): value is string | number {
	return isNonBlankScalar(value) && String(value).length <= maxIdLength;
}

/**
 * Returns the ID of a record as text.
 *
 * @returns `undefined` if the record has no usable ID
 */
export function getId({ id }: IDataObject): string | undefined {
	return isId(id) ? String(id) : undefined;
}

/** Groups records by ID, in their order. A record without an ID is a group of its own. */
export function groupById(records: IDataObject[]): Map<string | number, IDataObject[]> {
	const groups = new Map<string | number, IDataObject[]>();
	for (const [index, record] of records.entries()) {
		const id = getId(record) ?? index;
		const group = groups.get(id);
		if (group === undefined) groups.set(id, [record]);
		else group.push(record);
	}
	return groups;
}

/**
 * Returns whether a text can be a segment of a URL path.
 *
 * Percent-encoding doesn't help with the others: "." and ".." change the path even when encoded
 * (WHATWG URL Standard, "double-dot URL path segment"), an empty segment makes it another URL, and
 * half of a surrogate pair has no UTF-8. Invisible characters come from copy and paste: the ID
 * wouldn't be found although it looks right.
 */
export function isPathSegment(text: string): boolean {
	return isId(text) && !/^\.\.?$|\p{C}/u.test(text);
}

/**
 * Normalizes a value for comparison: a number becomes text, because one source may write as a
 * number what another one writes as text.
 */
export function toComparable(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

/** Returns a short hash of a JSON value, which doesn't depend on the order of its keys. */
export function hash(value: unknown): string {
	return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/**
 * Serializes JSON with sorted keys, because a payload and a record may order their fields
 * differently.
 */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
			: part,
	);
}
