import type { IDataObject } from 'n8n-workflow';

import { isObject, readError, shorten } from '../shared/response';

/**
 * What speaks against an answer with a status of success: an error in its body, as the service documents it
 * (service-api.md, "Errors") or as others write it, or a field that denies success. Undefined when nothing does.
 */
export function failureIn(place: IDataObject): string | undefined {
	if (isSaid(place.error) || isSaid(place.errors)) {
		const { code, message } = readError(place);
		const words = [message, code].filter((part) => part !== undefined).join(', ');
		return `with an error in it${words === '' ? '' : `: ${shorten(words, 200)}`}`;
	}
	for (const field of ['success', 'succeeded', 'ok']) {
		const verdict = place[field];
		if (verdict === undefined || verdict === null) continue;
		if (verdict !== true && verdict !== 1 && !/^(true|ok|yes|1)$/i.test(textOf(verdict))) {
			return `with "${field}": ${shorten(JSON.stringify(verdict), 60)}`;
		}
	}
	return undefined;
}

/** Whether a field says anything: not null, false, or empty. */
export function isSaid(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0;
	if (isObject(value)) return Object.keys(value).length > 0;
	return value !== undefined && value !== null && value !== false && value !== '';
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
