/** The forms of single records and of failures in them, which service-api.md doesn't show. */
import type { IDataObject } from 'n8n-workflow';

import { joinWords, quoteValue, sanitize } from '../../formatting/message';
import { parseErrorBody } from '../../transport/response';
import { isObject } from '../../utils/isObject';

/**
 * Parses the record in a response: bare, or in an envelope named after the resource or `data`.
 *
 * @returns `undefined` if no object has the given field
 */
export function parseRecord(
	json: unknown,
	envelope: string,
	identifyingField = 'id',
): IDataObject | undefined {
	const candidates = isObject(json) ? [json, json[envelope], json.data] : [];
	return candidates.filter(isObject).find((candidate) => candidate[identifyingField] !== undefined);
}

/**
 * Searches a 2xx body for an error: the documented error object (service-api.md, "Errors"), any
 * other value in `error` or `errors` that isn't empty, or a field `success` that isn't true.
 *
 * @returns a phrase that follows "HTTP 200 with", such as `"error": no more offers
 * (limit_reached)`; `undefined` if there is no error
 */
export function findEmbeddedError(json: unknown): string | undefined {
	if (!isObject(json)) return undefined;
	if (isObject(json.error)) {
		const { code, message } = parseErrorBody(json);
		const details = joinWords(message, code === undefined ? undefined : `(${code})`);
		return details === '' ? 'an "error" without details' : `"error": ${sanitize(details, 200)}`;
	}
	const { error, errors, success = true } = json;
	const shown = [['error', error] as const, ['errors', errors] as const].find(([, value]) =>
		typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value),
	);
	if (shown !== undefined) return `"${shown[0]}": ${quoteValue(shown[1])}`;
	return success === true ? undefined : `"success": ${quoteValue(success)}`;
}

/** Parses a number, also as text of digits; `undefined` for any other value. */
export function parseNumber(value: unknown): number | undefined {
	const isDigits = typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value);
	const number = isDigits ? Number(value) : value;
	const isExact = typeof number === 'number' && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
	return isExact ? number : undefined;
}
