import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';

/**
 * Keys under which a list may come (the shape is documented for sites only: service-api.md, "Endpoints").
 * @public The probe uses them, too.
 */
export const listKeys = {
	sites: ['sites'],
	exchanges: ['exchanges', 'offers'],
	watchdogEvents: ['events', 'watchdog_events', 'watchdogEvents'],
	ledger: ['ledger', 'ledger_entries', 'entries', 'transactions'],
} as const;

export type ListName = keyof typeof listKeys;

const envelopeKeys = ['data', 'items', 'results'];

/**
 * The list in a response, in any of the shapes a REST service uses: the bare array, the array under the resource's own
 * name or under `data`, `items` or `results`, or deeper in `data`, HAL's `_embedded` or the balance, which has the ledger.
 * Undefined when there is none, or when an entry is not an object: the caller must say so, never go on with an empty list.
 */
export function readList(json: unknown, name: ListName): IDataObject[] | undefined {
	const list = findList(json, [...listKeys[name], ...envelopeKeys]);
	return list?.every(isObject) ? list : undefined;
}

/**
 * The record in a response: bare, or in an envelope named after the resource or `data`.
 * Undefined when the body holds no object with the given field.
 */
export function readRecord(
	json: unknown,
	envelope: string,
	identifyingField = 'id',
): IDataObject | undefined {
	const candidates = [json];
	if (isObject(json)) {
		candidates.push(json[envelope], json.data);
		if (isObject(json.data)) candidates.push(json.data[envelope]);
	}
	return candidates.filter(isObject).find((candidate) => candidate[identifyingField] !== undefined);
}

function findList(json: unknown, keys: string[], depth = 0): unknown[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isObject(json) || depth > 2) return undefined;
	const key = keys.find((candidate) => Array.isArray(json[candidate]));
	if (key !== undefined) return json[key] as unknown[];
	const inner = [json.data, json._embedded, json.credits].find(isObject);
	return inner && findList(inner, keys, depth + 1);
}
