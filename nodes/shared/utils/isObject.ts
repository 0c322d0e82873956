import type { IDataObject } from 'n8n-workflow';

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
