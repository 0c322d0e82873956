/** Compares the output of a node with its `__schema__`, which its hints for models repeat. */
import type { IDataObject } from 'n8n-workflow';

import type { OutputSchema } from '../../nodes/shared/descriptions/outputSchema.ts';

/**
 * Returns the differences between items and schema: wrong types, unlisted values, missing required
 * fields, fields that no item has, and fields that the schema lacks.
 *
 * @param undocumented fields that the service does not document: the sandbox sends them, the schema
 * does not promise them
 */
export function differences(
	schema: OutputSchema,
	items: readonly unknown[],
	undocumented: readonly string[] = [],
): string[] {
	return differencesAt('item', schema, items, undocumented);
}

function differencesAt(
	place: string,
	{ type, enum: listed, properties, required = [] }: OutputSchema,
	values: readonly unknown[],
	undocumented: readonly string[],
): string[] {
	const mistyped = values.filter((value) => typeName(value) !== type);
	if (mistyped.length > 0) return [`${place} is no ${type}: ${JSON.stringify(mistyped[0])}`];
	const unlisted = values.filter((value) => listed?.includes(String(value)) === false);
	if (unlisted.length > 0) return [`${place} may not be ${JSON.stringify(unlisted[0])}`];
	if (properties === undefined) return [];
	const records = values as IDataObject[];
	const fields = Object.entries(properties).flatMap(([name, field]) => {
		const found = records
			.map((record) => record[name])
			.filter((value) => value !== undefined && value !== null);
		if (found.length === 0) return [`${place}.${name} never came`];
		const isMissing = required.includes(name) && found.length < records.length;
		return [
			...(isMissing ? [`${place}.${name} is not always there`] : []),
			...differencesAt(`${place}.${name}`, field, found, undocumented),
		];
	});
	const undeclared = new Set(
		records
			.flatMap((record) => Object.keys(record))
			.filter((name) => !(name in properties) && !undocumented.includes(name)),
	);
	return [...fields, ...[...undeclared].map((name) => `${place}.${name} is not in the schema`)];
}

function typeName(value: unknown): string {
	if (Array.isArray(value)) return 'array';
	return Number.isInteger(value) ? 'integer' : typeof value;
}
