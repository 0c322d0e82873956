import type { IDataObject } from 'n8n-workflow';

/**
 * Builds an item of the node's own fields, followed by those of the service's record. A field that
 * isn't known is left out. If the record has a field with the same name, the node's own one counts.
 */
export function withLeadingFields(fields: IDataObject, record: IDataObject): IDataObject {
	const known = Object.fromEntries(
		Object.entries(fields).filter(([, value]) => value !== undefined),
	);
	return { ...known, ...record, ...known };
}
