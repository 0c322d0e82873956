import { isObject } from '../objects';
import { plain, quoteValue } from '../words/message';
import { readError } from './content';

/**
 * What speaks against an answer with a status of success: the documented error object (service-api.md, "Errors"), or a field
 * `success` that is not true. In words that go on behind "HTTP 200", such as `with an error in it: no more offers, limit_reached`;
 * undefined when nothing speaks against it.
 */
export function failureIn(json: unknown): string | undefined {
	if (!isObject(json)) return undefined;
	if (isObject(json.error)) {
		const { code, message } = readError(json);
		const words = [message, code].filter((each) => each !== undefined).join(', ');
		return `with an error in it${words === '' ? '' : `: ${plain(words, 200)}`}`;
	}
	const { success = true } = json;
	return success === true ? undefined : `with "success": ${quoteValue(success)}`;
}
