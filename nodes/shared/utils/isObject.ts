import type { IDataObject } from 'n8n-workflow';

/** Whether a value is an object of JSON: not null, and no list. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
