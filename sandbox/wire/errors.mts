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

/** The body, and the form of Retry-After, if any. */
const limitResponses: Record<
	Dialect['limitExceeded'],
	{ form: 'json' | 'text'; retryAfter?: 'seconds' | 'date' }
> = {
	'retry-after-json': { form: 'json', retryAfter: 'seconds' },
	json: { form: 'json' },
	'retry-after-text': { form: 'text', retryAfter: 'seconds' },
	text: { form: 'text' },
	'retry-date-json': { form: 'json', retryAfter: 'date' },
};

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
		const { form, retryAfter } = limitResponses[dialect.limitExceeded];
		return inForm(form, 429, code, message, retryAfterHeader(retryAfter, dialect, resetsAt, now));
	}
	switch (dialect.errorStatus) {
		case 'error': {
			// The one code that the document names keeps the documented body in every dialect.
			const form = code === 'insufficient_credits' ? 'documented' : dialect.errorBody;
			return inForm(form, error.status, code, message, {});
		}
		case '200-error-object':
			return inForm('documented', 200, code, message, {});
		case '200-success-false':
			return { ...inForm('json', 200, code, message, {}), body: unsuccessful(code, message) };
	}
}

/** The body of an error that is answered with 200. The code that the document names stands where the document says here, too. */
function unsuccessful(code: string, message: string): string {
	const documented = code === 'insufficient_credits' && { error: { code, message } };
	return JSON.stringify({ success: false, message, ...documented });
}

function retryAfterHeader(
	retryAfter: 'seconds' | 'date' | undefined,
	{ clockSkewSeconds }: Dialect,
	resetsAt: number,
	now: number,
): Record<string, string> {
	switch (retryAfter) {
		case 'seconds':
			return { 'retry-after': String(secondsUntil(resetsAt, now)) };
		case 'date': {
			const shown = Math.ceil(resetsAt / 1000 + clockSkewSeconds) * 1000;
			return { 'retry-after': new Date(shown).toUTCString() };
		}
		case undefined:
			return {};
	}
}

function inForm(
	form: 'documented' | 'json' | 'html' | 'text',
	status: number,
	code: string,
	message: string,
	headers: Record<string, string>,
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
