import type { Outcome } from './connection';
import { keyPlace } from './credential';
import { type Explanation, explanation } from './explanation';
import { failureIn } from './failure';
import { describeBody, readError, type ServiceResponse, shorten } from './response';

/** The request in the user's words, for sentences such as "The service did not …". */
export interface Intent {
	/** For example "accept the offer ex_1". */
	action: string;
	/** It changes something; such endpoints became available later than those that read (service-api.md, "Availability"). */
	writes?: boolean;
	/** What a 404 means here; the exchange or, without it, the whole address. */
	notFound?: Pick<Explanation, 'message' | 'description'>;
}

const lacksApi = 'The base URL in the credential has to end in /api.';
const useHttps = 'Enter the base URL in the credential with https:// instead of http://.';

/** The answer, if the service carried the request out; otherwise the error to throw. */
export function successOrExplain(outcome: Outcome, intent: Intent): ServiceResponse | Explanation {
	if (outcome.kind !== 'answered') return explainOutcome(outcome, intent);
	const { response } = outcome;
	if (isSuccess(response) && failureIn(response.json) === undefined) return response;
	return explainAnswer(response, intent);
}

export function isSuccess({ statusCode }: ServiceResponse): boolean {
	return statusCode >= 200 && statusCode < 300;
}

/**
 * What an answer means that is outside 2xx, or carries a failure all the same (the service documents the error body, and
 * one code: insufficient_credits).
 */
export function explainAnswer(response: ServiceResponse, intent: Intent): Explanation {
	const { code, message } = readError(response.json);
	const { statusCode } = response;
	const words = message === undefined ? '' : shorten(message, 300);
	const said =
		words === ''
			? `The service answered HTTP ${statusCode} ${failureIn(response.json) ?? `with ${describeBody(response)}`}.`
			: `The service says: "${words}"${code === undefined ? '' : ` (${shorten(code, 60)})`}.`;
	const common = { statusCode, ...(code !== undefined && { code }) };

	const later = intent.writes ? ' Or write operations are not available for the account yet.' : '';

	if (code === 'insufficient_credits') {
		return explanation({
			...common,
			message: 'There are not enough credits',
			description: `Could not ${intent.action}. ${said} Earn or buy credits, then run again.`,
			failure: { cause: 'quota-exhausted' },
		});
	}
	if (statusCode >= 300 && statusCode < 400) {
		return explanation({
			...common,
			message: 'The base URL redirects to another address',
			description: `The request was not sent on, because the API key is meant for the base URL alone. ${explainRedirect(response)}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (statusCode === 401) {
		return explanation({
			...common,
			message: 'The service does not accept the API key',
			description: `${said} Copy the key again from ${keyPlace}, and paste it into the credential.`,
			failure: { cause: 'credential-invalid' },
		});
	}
	if (statusCode === 403 || (statusCode === 402 && !intent.writes)) {
		return explanation({
			...common,
			message: 'The service refuses access with this API key',
			description: `${said} The API needs the Pro or the Agency plan. If the account has one, copy the key again from ${keyPlace}.${later}`,
			failure: { cause: 'credential-invalid' },
		});
	}
	if (statusCode === 404 && code !== undefined && intent.notFound) {
		return explanation({
			...common,
			message: intent.notFound.message,
			description: `${said} ${intent.notFound.description}`,
		});
	}
	if (statusCode === 404 || statusCode === 405 || statusCode === 410) {
		const isApi = /^https?:\/\/[^/]+\/api\//.test(response.url);
		const check = isApi ? 'Check the base URL in the credential.' : lacksApi;
		return explanation({
			...common,
			message: 'Nothing was found at this address of the service',
			description: `Could not ${intent.action}. ${said} ${check}${later}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (/plain HTTP request|HTTP request to an HTTPS/i.test(response.text)) {
		return explanation({
			...common,
			message: 'The service speaks HTTPS at this address',
			description: `Could not ${intent.action}. ${useHttps}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (statusCode === 407) {
		return explanation({
			...common,
			message: 'The proxy of n8n asks for a login',
			description: `Could not ${intent.action}: the proxy did not pass the request on. Check the proxy settings of n8n.`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (statusCode >= 500) {
		const asked = response.headers['retry-after'];
		const tried =
			asked === undefined
				? 'It was tried several times. Run again later.'
				: `It asks to come again later (Retry-After: ${shorten(asked, 40)}).`;
		return explanation({
			...common,
			message: 'The service is not available right now',
			description: `Could not ${intent.action}. ${said} ${tried}`,
			failure: { cause: 'temporarily-unavailable' },
		});
	}
	return explanation({
		...common,
		message: `The service declined to ${shorten(intent.action, 120)}`,
		description: said,
	});
}

/** A 2xx answer in which what was asked for cannot be found: said, never passed on as an empty list. */
export function explainUnreadable(response: ServiceResponse, expected: string): Explanation {
	const isPage = /^\s*</.test(response.text);
	return explanation({
		message: 'The answer of the service could not be understood',
		description: isPage
			? `Expected ${expected}, received a web page. ${lacksApi}`
			: `Expected ${expected}, received ${describeBody(response)}.`,
		statusCode: response.statusCode,
		...(isPage && { failure: { cause: 'configuration-invalid' } }),
	});
}

/** Why a request has no answer. */
export function explainOutcome(
	outcome: Exclude<Outcome, { kind: 'answered' }>,
	{ action }: Intent,
): Explanation {
	switch (outcome.kind) {
		case 'limited': {
			const { resetsAt, response } = outcome;
			const when =
				resetsAt === undefined
					? 'The service does not say when it resets. Run again later, or raise'
					: `It resets at ${new Date(resetsAt).toISOString()}, which is longer than this node may wait. Run again after that, or raise`;
			return explanation({
				message: 'The request limit of the service is reached',
				description: `${when} "Max Rate Limit Wait" in the options. The limits are per API key: 60 requests a minute on the Pro plan, 240 on the Agency plan.`,
				statusCode: response.statusCode,
				code: readError(response.json).code,
				failure: {
					cause: 'rate-limited',
					...(resetsAt !== undefined && { resetsAtEpochMs: Math.round(resetsAt) }),
				},
			});
		}
		case 'unreachable':
			return explainUnreachable(outcome, action);
		case 'ambiguous':
			return explanation({
				message: 'The outcome is not known',
				description: `The request to ${action} was sent, but no clear answer came back (${outcome.cause}). Check the dashboard of the service before you run this again.`,
				code: outcome.cause,
				failure: { cause: 'temporarily-unavailable' },
			});
	}
}

function explainUnreachable(
	{ error: { code, neverSent, obstacle }, url }: Outcome & { kind: 'unreachable' },
	action: string,
): Explanation {
	const nothing = `Could not ${action}: nothing was sent`;
	switch (obstacle) {
		case 'certificate':
			return explanation({
				message: 'The certificate of the service is not valid',
				description: `${nothing}, because ${certificateReason(code)} (${code}). Check the base URL in the credential. If the service is behind a proxy or server of your own, install a valid certificate there.`,
				code,
				failure: { cause: 'configuration-invalid' },
			});
		case 'tls':
			return explanation({
				message: 'No protected connection to the service can be made',
				description: `${nothing}, because the server at the base URL does not speak TLS there, or no version of it in common with n8n (${code}). If it is a local server without TLS, the base URL begins with http:// instead of https://; otherwise check its port.`,
				code,
				failure: { cause: 'configuration-invalid' },
			});
		case 'blocked':
			return explanation({
				message: 'n8n does not allow requests to the address of the service',
				description: `${nothing}: this n8n is set to block requests to private or listed addresses. Check the base URL in the credential, or ask the administrator of n8n to allow it.`,
				failure: { cause: 'configuration-invalid' },
			});
		case undefined:
			return explanation({
				message: 'The service could not be reached',
				description: `${
					neverSent
						? `${nothing}, because no connection was made (${code}).`
						: `Could not ${action}: the connection was cut or gave no answer (${code}).`
				}${likelyReason(code, new URL(url))} Check the base URL in the credential and that n8n can reach it, then run again.`,
				code,
				failure: { cause: 'temporarily-unavailable' },
			});
	}
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
	if (/^(ETIMEDOUT|ECONNABORTED|ESOCKETTIMEDOUT|ERR_CANCELED)$/.test(code)) {
		return ` ${host} did not answer in time; a firewall may be in between.`;
	}
	if (/^(EHOSTUNREACH|ENETUNREACH)$/.test(code)) {
		return ` n8n has no way through the network to ${host}.`;
	}
	if (/^(EPROTO|ERR_SSL_|ERR_TLS_)/.test(code)) {
		return ` ${host} does not speak TLS, so perhaps the base URL begins with http:// there.`;
	}
	return protocol === 'http:' ? ' Does the base URL have to begin with https://?' : '';
}

/** Where the final address is, as far as the answer names it. */
function explainRedirect({ headers: { location = '' }, url }: ServiceResponse): string {
	if (location === '' || !URL.canParse(location, url)) {
		return 'Enter the final address in the credential.';
	}
	const from = new URL(url);
	const { protocol, hostname, origin, pathname } = new URL(location, url);
	if (from.protocol === 'http:' && protocol === 'https:' && hostname === from.hostname) {
		return useHttps;
	}
	return `Enter the final address in the credential; the service names ${shorten(origin + pathname, 200)}.`;
}
