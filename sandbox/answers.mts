/** How a refusal looks on the wire, in the dialect that is set. */
import type { Dialect } from './dialects.mts';
import { secondsUntil, type Quota } from './limits.mts';
import type { Refusal } from './refusal.mts';

export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
}

export const tokenCodes = ['missing_token', 'malformed_token', 'invalid_token', 'revoked_token'];

/** @param now milliseconds since 1970 */
export function refusalAnswer(
	refusal: Refusal,
	dialect: Dialect,
	quota: Quota,
	now: number,
): Answer {
	const { code, message } = refusal;
	if (tokenCodes.includes(code)) {
		const [status = '401', form = 'json'] = dialect.invalidToken.split('-');
		return answer(Number(status), form, code, message, { 'www-authenticate': 'Bearer' });
	}
	if (code === 'rate_limit_exceeded') {
		const form = dialect.limitExceeded.endsWith('text') ? 'text' : 'json';
		return answer(429, form, code, message, retryAfter(dialect, quota, now));
	}
	// The one code that the document names keeps the documented body in every dialect.
	const form =
		code === 'insufficient_credits' || dialect.errorBody === 'documented'
			? 'json'
			: dialect.errorBody;
	return answer(refusal.status, form, code, message, {});
}

function retryAfter(dialect: Dialect, quota: Quota, now: number): Record<string, string> {
	if (dialect.limitExceeded.startsWith('retry-after'))
		return { 'retry-after': String(secondsUntil(quota.resetsAt, now)) };
	if (dialect.limitExceeded.startsWith('retry-date')) {
		const shown = Math.ceil(quota.resetsAt / 1000 + dialect.clockSkewSeconds) * 1000;
		return { 'retry-after': new Date(shown).toUTCString() };
	}
	return {};
}

function answer(
	status: number,
	form: string,
	code: string,
	message: string,
	headers: Record<string, string>,
): Answer {
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
		default:
			return {
				status,
				headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
				body: JSON.stringify({ error: { code, message } }),
			};
	}
}
