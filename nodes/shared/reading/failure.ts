import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../objects';
import { plain, quoteValue } from '../words/message';
import { readError } from './content';

/** Fields in which an answer says whether the request went well. */
const verdicts = ['success', 'succeeded', 'successful', 'ok'];
/** Fields that an answer has when the request did not go well. */
const failures = /^(errors?|error[_-]?(code|message|type|details?|description))$/i;
/** Names under which a body wraps what it returns, up to two in each other, as in `data.site`. */
const wrappers = ['data', 'result', 'response', 'site', 'exchange', 'credits'];
const deepest = 2;
const failed = /^(error|fail(ed|ure)?)$/i;

/**
 * What speaks against an answer with a status of success, in the body itself or in what it wraps: an error as the service
 * documents it (service-api.md, "Errors") or as others write it, or a field that denies success. In words that go on behind
 * "HTTP 200", such as `with an error in it: no more offers, limit_reached`; undefined when nothing speaks against it.
 */
export function failureIn(json: unknown): string | undefined {
	return partsOf(json)
		.map(denialIn)
		.find((words) => words !== undefined);
}

/** The body, and the objects that it wraps. */
function partsOf(json: unknown, depth = 0): IDataObject[] {
	if (!isObject(json) || depth > deepest) return [];
	return [json, ...wrappers.flatMap((name) => partsOf(json[name], depth + 1))];
}

function denialIn(part: IDataObject): string | undefined {
	const error = Object.entries(part).find(([name, value]) => failures.test(name) && isSaid(value));
	if (error !== undefined) {
		const { code, message } = readError(part);
		const words = [message, code].filter((each) => each !== undefined).join(', ');
		return `with an error in it${words === '' ? '' : `: ${plain(words, 200)}`}`;
	}
	for (const field of verdicts) {
		const verdict = part[field];
		if (verdict === undefined || verdict === null) continue;
		if (verdict !== true && verdict !== 1 && !/^(true|ok|yes|1)$/i.test(textOf(verdict))) {
			return `with "${field}": ${quoteValue(verdict)}`;
		}
	}
	// What has an ID is a record, such as an exchange, and its status is not that of the request.
	const isRecord = isSaid(part.id);
	return !isRecord && failed.test(textOf(part.status))
		? `with "status": "${textOf(part.status)}"`
		: undefined;
}

/** Whether a field says anything, which null, false, zero and what is empty do not. */
function isSaid(value: unknown): boolean {
	if (Array.isArray(value)) return value.length > 0;
	if (isObject(value)) return Object.keys(value).length > 0;
	return Boolean(value);
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}
