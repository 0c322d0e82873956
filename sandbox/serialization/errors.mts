import type { Dialect } from '../dialects.mts';
import type { ServiceError } from '../errors.mts';
import { secondsUntil } from './rateLimitHeaders.mts';

/** An answer of the service. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
}

const tokenCodes = ['missing_token', 'malformed_token', 'invalid_token', 'revoked_token'];

/**
 * How an error looks on the wire, in the dialect that is set.
 *
 * @param resetsAt when the quota's period ends, milliseconds since 1970
 * @param now milliseconds since 1970
 */
export function errorAnswer(
	error: ServiceError,
	dialect: Dialect,
	resetsAt: number,
	now: number,
): Answer {
	const { code, status } = error;
	if (tokenCodes.includes(code)) {
		const [given, form = ''] = dialect.invalidToken.split('-');
		return inForm(form, Number(given), error, { 'www-authenticate': 'Bearer' });
	}
	if (code === 'rate_limit_exceeded') {
		const form = dialect.limitExceeded.endsWith('json') ? 'json' : 'text';
		const saysWhen = dialect.limitExceeded.startsWith('retry-after');
		const headers = saysWhen ? { 'retry-after': String(secondsUntil(resetsAt, now)) } : undefined;
		return inForm(form, status, error, headers);
	}
	// The one code that the document names keeps the documented body in every dialect.
	const form = code === 'insufficient_credits' ? 'documented' : dialect.errorBody;
	return inForm(form, status, error);
}

/** The documented object, or a page or text as something in front of the service writes it. */
function inForm(
	form: string,
	status: number,
	{ code, message }: ServiceError,
	headers: Record<string, string> = {},
): Answer {
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
