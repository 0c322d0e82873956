import type { Dialect } from '../dialects.mts';
import type { ServiceError } from '../errors.mts';
import { secondsUntil } from './rateLimitHeaders.mts';

export interface ErrorResponse {
	status: number;
	headers: Record<string, string>;
	body: string;
}

const tokenCodes = ['missing_token', 'malformed_token', 'invalid_token', 'revoked_token'];

/**
 * Builds the response to an error.
 *
 * @param resetsAt end of the rate limit window, in milliseconds since 1970
 * @param now in milliseconds since 1970
 */
export function errorResponse(
	error: ServiceError,
	dialect: Dialect,
	resetsAt: number,
	now: number,
): ErrorResponse {
	const { code, status } = error;
	if (tokenCodes.includes(code)) {
		const [given, form = ''] = dialect.invalidToken.split('-');
		return createResponse(form, Number(given), error, { 'www-authenticate': 'Bearer' });
	}
	if (code === 'rate_limit_exceeded') {
		const form = dialect.limitExceeded.endsWith('json') ? 'json' : 'text';
		const limitStatus = dialect.limitExceeded.startsWith('403') ? 403 : status;
		const hasRetryAfter = dialect.limitExceeded.startsWith('retry-after');
		const headers = hasRetryAfter
			? { 'retry-after': String(secondsUntil(resetsAt, now)) }
			: undefined;
		return createResponse(form, limitStatus, error, headers);
	}
	// service-api.md, "Errors": the only documented code keeps the documented body in every dialect.
	const form = code === 'insufficient_credits' ? 'documented' : dialect.errorBody;
	return createResponse(form, status, error);
}

/**
 * Builds the documented object, or a page or text such as a proxy in front of the service sends.
 */
function createResponse(
	form: string,
	status: number,
	{ code, message }: ServiceError,
	headers: Record<string, string> = {},
): ErrorResponse {
	const [type, body] =
		form === 'html'
			? [
					'text/html',
					`<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`,
				]
			: form === 'text'
				? ['text/plain', `upstream answered ${status}\n`]
				: ['application/json', JSON.stringify({ error: { code, message } })];
	return { status, headers: { ...headers, 'content-type': `${type}; charset=utf-8` }, body };
}
