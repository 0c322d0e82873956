/** How an error looks on the wire, in the dialect that is set. */
import type { Dialect } from '../dialects.mts';
import type { ServiceError } from '../errors.mts';
import { secondsUntil } from './rateLimitHeaders.mts';
import { statusAndForm } from './variants.mts';

export interface ErrorResponse {
	status: number;
	headers: Record<string, string>;
	body: string;
}

const tokenCodes = ['missing_token', 'malformed_token', 'invalid_token', 'revoked_token'];

/**
 * @param resetsAt when the quota's period ends, milliseconds since 1970
 * @param now milliseconds since 1970
 */
export function errorResponse(
	error: ServiceError,
	dialect: Dialect,
	resetsAt: number,
	now: number,
): ErrorResponse {
	const { code, message } = error;
	if (tokenCodes.includes(code)) {
		const { status, form } = statusAndForm(dialect.invalidToken);
		return inForm(form, status, code, message, { 'www-authenticate': 'Bearer' });
	}
	if (code === 'rate_limit_exceeded') {
		const form = dialect.limitExceeded.endsWith('json') ? 'json' : 'text';
		const saysWhen = dialect.limitExceeded.startsWith('retry-after');
		const headers = saysWhen ? { 'retry-after': String(secondsUntil(resetsAt, now)) } : undefined;
		return inForm(form, 429, code, message, headers);
	}
	// The one code that the document names keeps the documented body in every dialect.
	const form = code === 'insufficient_credits' ? 'documented' : dialect.errorBody;
	return inForm(form, error.status, code, message);
}

function inForm(
	form: 'documented' | 'json' | 'html' | 'text',
	status: number,
	code: string,
	message: string,
	headers: Record<string, string> = {},
): ErrorResponse {
	switch (form) {
		case 'html':
			return {
				status,
				headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
				body: `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center><hr><center>proxy</center></body></html>\n`,
			};
		case 'text':
			return {
				status,
				headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
				body: `upstream answered ${status}\n`,
			};
		case 'documented':
		case 'json':
			return {
				status,
				headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
				body: JSON.stringify({ error: { code, message } }),
			};
	}
}
