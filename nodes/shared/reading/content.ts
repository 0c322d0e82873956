import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';
import type { ServiceResponse } from '../service/response';
import { shorten } from '../text';
import { plain } from '../words/message';

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

/** Code and message of the documented error body (service-api.md, "Errors"); empty when the body is something else. */
export function readError(json: unknown): { code?: string; message?: string } {
	if (!isObject(json) || !isObject(json.error)) return {};
	const { code, message } = json.error;
	return {
		...(typeof code === 'string' && { code }),
		...(typeof message === 'string' && { message }),
	};
}

/** A short, one-line description of a body for an error message; never the whole body. */
export function describeBody(response: ServiceResponse): string {
	if (response.isTooLarge) {
		return 'a body that is too large to read (with its values more than 32 MB)';
	}
	if (response.text.trim() === '') return 'an empty body';
	if (response.json === undefined) {
		const kind = isPage(response) ? 'a web page (HTML)' : 'text that is not JSON';
		return `${kind}, content type "${plain(response.headers['content-type'] ?? 'none', 60)}"`;
	}
	return describeJson(response.json);
}

/** Whether the body looks like a web page. */
export function isPage({ text }: ServiceResponse): boolean {
	return text.trimStart().startsWith('<');
}

/** A short, one-line description of a JSON value that names its fields, and repeats no value, so that it may be logged. */
export function describeJson(json: unknown): string {
	if (Array.isArray(json)) return `a list of ${json.length} entries`;
	if (!isObject(json)) return `a single ${json === null ? 'null' : typeof json}`;
	const names = Object.entries(json).map(([name, value]) =>
		isObject(value) ? `${name} (${Object.keys(value).join(', ')})` : name,
	);
	// The names are a stranger's, so no sign in them may act where they are shown.
	return `an object with ${shorten(names.join(', '), 200).replace(/[^\w (),…-]/g, '?') || 'no fields'}`;
}

function findList(json: unknown, keys: string[], depth = 0): unknown[] | undefined {
	if (Array.isArray(json)) return json;
	if (!isObject(json) || depth > 2) return undefined;
	const key = keys.find((candidate) => Array.isArray(json[candidate]));
	if (key !== undefined) return json[key] as unknown[];
	const inner = [json.data, json._embedded, json.credits].find(isObject);
	return inner && findList(inner, keys, depth + 1);
}
