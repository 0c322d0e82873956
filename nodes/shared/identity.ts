import { createHash } from 'crypto';

/** Whether a value can name something. */
export function isId(value: unknown): value is string | number {
	return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** A number is the same as its text: one source may write it as one, the other as the other. */
export function plainText(value: unknown): unknown {
	return typeof value === 'number' ? String(value) : value;
}

/** A name for a value; the same for the same content. */
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
