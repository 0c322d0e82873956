import { documentedBaseUrl, keyPlace } from '../service/credential';
import type { ReadOutcome } from '../service/reads';
import { isSuccess, type ServiceResponse } from '../service/response';
import { shorten } from '../text';
import { readUrl } from '../url';
import { type Explanation, explanation } from '../words/explanation';
import { plain, quote } from '../words/message';
import { describeBody, isPage, readError } from './content';
import { failureIn } from './failure';

type Cause = NonNullable<Explanation['failure']>['cause'];

/** The request in the user's words, for sentences such as "The service did not …". */
export interface Intent {
	/** What the request is to do, for example "accept the offer ex_1". */
	action: string;
	/** The request changes something; such endpoints became available later than those that read (service-api.md, "Availability"). */
	writes?: boolean;
	/** What a 404 means, where the address names something that was listed with the same key; a 403 is then about that alone, too. */
	notFound?: Pick<Explanation, 'message' | 'description'>;
}

/** The most characters of the service's words that are repeated. */
const mostOfItsWords = 300;

const useHttps = 'Enter the base URL in the credential with https:// instead of http://.';

/** The answer, if the service carried the request out; otherwise the error to throw. */
export function successOrExplain(
	outcome: ReadOutcome,
	intent: Intent,
): ServiceResponse | Explanation {
	if (outcome.kind !== 'answered') return explainOutcome(outcome, intent);
	const { response } = outcome;
	if (isSuccess(response) && failureIn(response.json) === undefined) return response;
	return explainAnswer(response, intent);
}

/**
 * What an answer means that is outside 2xx, or carries a failure anyway (the service documents the error body, and
 * one code: insufficient_credits).
 */
export function explainAnswer(response: ServiceResponse, intent: Intent): Explanation {
	const { statusCode, headers, url, json, text } = response;
	const { code } = readError(json);
	const said = whatItSays(response);
	const couldNot = `Could not ${intent.action}`;
	const declined = `The service declined to ${shorten(intent.action, 120)}`;
	const later = intent.writes
		? ' Perhaps write operations are not available for the account yet.'
		: '';
	const explain = (message: string, description: string, cause?: Cause) =>
		explanation({ message, description, code, statusCode, failure: cause && { cause } });

	if (code === 'insufficient_credits') {
		return explain(
			'There are not enough credits',
			`${couldNot}. ${said} Earn or buy credits, then run again.`,
			'quota-exhausted',
		);
	}
	if (statusCode >= 300 && statusCode < 400) {
		return explain(
			'The base URL redirects to another address',
			`The request was not sent on, because the API key is meant for the base URL alone. ${explainRedirect(response)}`,
			'configuration-invalid',
		);
	}
	if (statusCode === 401) {
		return explain(
			'The service does not accept the API key',
			`${said} Copy the key again from ${keyPlace}, and paste it into the credential.`,
			'credential-invalid',
		);
	}
	if (intent.notFound && statusCode === 403) {
		return explain(declined, `${said}${later}`);
	}
	if (intent.notFound && (statusCode === 404 || statusCode === 410)) {
		// The documented error is about this exchange; a page may mean that there is no such endpoint yet.
		const perhaps = code === undefined ? later : '';
		return explain(intent.notFound.message, `${said} ${intent.notFound.description}${perhaps}`);
	}
	if (statusCode === 403 || (statusCode === 402 && !intent.writes)) {
		return explain(
			'The service refuses access with this API key',
			`${said} The API needs the Pro or the Agency plan. If the account has one, copy the key again from ${keyPlace}.${later}`,
			'credential-invalid',
		);
	}
	if (statusCode === 404 || statusCode === 405 || statusCode === 410) {
		return explain(
			'Nothing was found at this address of the service',
			`${couldNot}. ${said} ${checkBaseUrl(url)}${later}`,
			'configuration-invalid',
		);
	}
	if (/plain HTTP request|HTTP request to an HTTPS/i.test(text)) {
		return explain(
			'The service speaks HTTPS at this address',
			`${couldNot}. ${useHttps}`,
			'configuration-invalid',
		);
	}
	if (statusCode === 407) {
		return explain(
			'The proxy of n8n asks for a login',
			`${couldNot}: the proxy did not pass the request on. Check the proxy settings of n8n.`,
			'configuration-invalid',
		);
	}
	if (statusCode >= 500) {
		const asked = headers['retry-after'];
		const tried =
			asked === undefined
				? 'It was tried several times. Run again later.'
				: `It asks to come again later (Retry-After: ${plain(asked, 40)}).`;
		return explain(
			'The service is not available right now',
			`${couldNot}. ${said} ${tried}`,
			'temporarily-unavailable',
		);
	}
	return explain(declined, said);
}

/** Why a 2xx answer is of no use: what was asked for is not in it. Such an answer is never passed on as an empty list. */
export function explainUnreadable(response: ServiceResponse, expected: string): Explanation {
	return explanation({
		message: 'The answer of the service could not be understood',
		description: isPage(response)
			? `Expected ${expected}, received a web page. ${checkBaseUrl(response.url)}`
			: `Expected ${expected}, received ${describeBody(response)}.`,
		statusCode: response.statusCode,
		failure: isPage(response) ? { cause: 'configuration-invalid' } : undefined,
	});
}

/** Why a request has no answer. */
export function explainOutcome(
	outcome: Exclude<ReadOutcome, { kind: 'answered' }>,
	{ action }: Intent,
): Explanation {
	if (outcome.kind === 'unreachable') return explainUnreachable(outcome, action);
	const { resetsAt, response, longestWait, waitIsOption } = outcome;
	const when =
		resetsAt === undefined
			? 'It does not say when the limit resets. Try again later'
			: `The limit resets at ${new Date(resetsAt).toISOString()}, and this node waits ${longestWait / 1000} seconds at most. Try again after that`;
	const remedy = waitIsOption ? ', or raise "Max Rate Limit Wait" in the options.' : '.';
	return explanation({
		message: 'The request limit of the service is reached',
		description: `${whatItSays(response)} ${when}${remedy} ${limits}`,
		statusCode: response.statusCode,
		code: readError(response.json).code,
		failure: {
			cause: 'rate-limited',
			resetsAtEpochMs: resetsAt && Math.round(resetsAt),
		},
	});
}

/** The limits as service-api.md states them ("Limits"). */
const limits =
	'The limits are per API key: 60 requests a minute and 10,000 a day on the Pro plan, 240 and 100,000 on the Agency plan.';

/** What came back, as a sentence: the service's own words, or what it has sent instead. */
function whatItSays(response: ServiceResponse): string {
	const { statusCode, json } = response;
	const { code, message } = readError(json);
	const words = quote(message, mostOfItsWords);
	return words === undefined
		? `The service answered HTTP ${statusCode} ${failureIn(json) ?? `with ${describeBody(response)}`}.`
		: `The service says: ${words}${code === undefined ? '' : ` (${plain(code, 60)})`}.`;
}

function checkBaseUrl(url: string): string {
	return url.includes('/api/')
		? 'Check the base URL in the credential.'
		: `The base URL in the credential has to end in /api. Enter it as ${shorten(documentedBaseUrl(url), 110)}.`;
}

function explainUnreachable(
	{ error: { code, neverSent, obstacle }, url }: ReadOutcome & { kind: 'unreachable' },
	action: string,
): Explanation {
	const because = `Could not ${action}: nothing was sent, because`;
	const obstacles = {
		certificate: [
			'The certificate of the service is not valid',
			`${certificateReason(code)} (${code}). Check the base URL in the credential. If the service is behind a proxy or server of your own, install a valid certificate there.`,
		],
		tls: [
			'No protected connection to the service can be made',
			`the server at the base URL does not speak TLS there, or no version of it in common with n8n (${code}). If it is a local server without TLS, the base URL begins with http:// instead of https://; otherwise check its port.`,
		],
		blocked: [
			'n8n does not allow requests to the address of the service',
			'this n8n is set to block requests to private or listed addresses. Check the base URL in the credential, or ask the administrator of n8n to allow it.',
		],
	} as const;
	if (obstacle !== undefined) {
		const [message, reason] = obstacles[obstacle];
		return explanation({
			message,
			description: `${because} ${reason}`,
			code: obstacle === 'blocked' ? undefined : code,
			failure: { cause: 'configuration-invalid' },
		});
	}
	const why = neverSent
		? `${because} no connection was made (${code}).`
		: `Could not ${action}: the connection was cut or gave no answer (${code}).`;
	return explanation({
		message: 'The service could not be reached',
		description: `${why}${likelyReason(code, new URL(url))} Check the base URL in the credential and that n8n can reach it, then run again.`,
		code,
		failure: { cause: 'temporarily-unavailable' },
	});
}

function certificateReason(code: string): string {
	if (code === 'CERT_HAS_EXPIRED') return 'it has expired';
	if (code === 'CERT_NOT_YET_VALID') return 'it is not valid yet';
	if (code === 'CERT_REVOKED') return 'it was revoked';
	if (/ALTNAME|HOSTNAME/.test(code)) return 'it was issued for another host';
	if (code.includes('SELF_SIGNED')) return 'it is self-signed';
	return 'n8n cannot verify it';
}

/** What a code of the network most likely means, as a sentence behind others; empty where nothing is known. */
function likelyReason(code: string, { protocol, hostname, host }: URL): string {
	if (code === 'ECONNREFUSED') {
		const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
		return ` Nothing answers at ${host}: it refused the connection.${isLocal ? ' If n8n runs in Docker, localhost is its own container: use host.docker.internal or the name of the other container.' : ''}`;
	}
	if (/^(ENOTFOUND|EAI_)/.test(code)) return ` The host ${hostname} is not known.`;
	if (['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT', 'ERR_CANCELED'].includes(code)) {
		return ` ${host} did not answer in time; a firewall may be in between.`;
	}
	if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
		return ` n8n has no way through the network to ${host}.`;
	}
	if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
		return ` ${host} does not speak TLS, so perhaps the base URL begins with http:// there.`;
	}
	return protocol === 'http:' ? ' Does the base URL have to begin with https://?' : '';
}

/** Where the final address is, as far as the answer names it. */
function explainRedirect({ headers: { location = '' }, url }: ServiceResponse): string {
	const target = location === '' ? undefined : readUrl(location, url);
	if (target === undefined) return 'Enter the final address in the credential.';
	const from = new URL(url);
	const { protocol, hostname, origin, pathname } = target;
	if (from.protocol === 'http:' && protocol === 'https:' && hostname === from.hostname) {
		return useHttps;
	}
	return `Enter the final address in the credential; the service names ${shorten(origin + pathname, 200)}.`;
}
