import { createHash } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

/** The most characters of an ID. IDs are remembered, and stand in keys of events and in messages, so they must not be endless. */
const maxIdLength = 500;

/** Whether a value says anything; blanks alone say nothing. */
export function isNonBlankScalar(value: unknown): value is string | number {
	return (typeof value === 'string' && value.trim() !== '') || typeof value === 'number';
}

/** Whether a value can name something. */
export function isId(value: unknown): value is string | number {
	return isNonBlankScalar(value) && String(value).length <= maxIdLength;
}

/** The ID of a record, as a text; undefined where it has none. */
export function getId({ id }: IDataObject): string | undefined {
	return isId(id) ? String(id) : undefined;
}

/** The records of each ID, in their order; one without an ID stands alone. */
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
 * Whether a text can be a segment of a path. Percent-encoding does not help with the others: "." and ".." change the path even when
 * encoded (WHATWG URL Standard, "double-dot URL path segment"), an empty one makes it another address, and half of a surrogate
 * pair has no UTF-8. A character that cannot be seen comes with a copied text: what it names would not be found, and look as if it should.
 */
export function isPathSegment(text: string): boolean {
	return isId(text) && !/^\.\.?$|\p{C}/u.test(text);
}

/** A number as text, and anything else as it is, because one source may write as a number what another writes as a text. */
export function toComparable(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

/** A short name for a value, which is the same for the same content. */
export function hash(value: unknown): string {
	return createHash('sha256').update(canonicalJson(value)).digest('hex').slice(0, 32);
}

/** JSON with sorted keys, so that the order in which a payload and a record list their fields does not matter. */
function canonicalJson(value: unknown): string {
	return JSON.stringify(value, (_key, part: unknown) =>
		typeof part === 'object' && part !== null && !Array.isArray(part)
			? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
			: part,
	);
}
