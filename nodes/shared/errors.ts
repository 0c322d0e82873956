import type { Outcome, ServiceConnection } from './connection';
import { type Explanation, explanation } from './explanation';
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

const keyPlace = 'Settings, then API Keys, in the dashboard of the service';

/** The answer, if the service carried the request out; otherwise the error to throw. */
export function successOrExplain(
	connection: ServiceConnection,
	outcome: Outcome,
	intent: Intent,
): ServiceResponse | Explanation {
	if (outcome.kind !== 'answered') return explainOutcome(outcome, intent);
	const { statusCode } = outcome.response;
	if (statusCode >= 200 && statusCode < 300) return outcome.response;
	return explainAnswer(connection, outcome.response, intent);
}

/** What an answer outside 2xx means (the service documents the error body, and one code: insufficient_credits). */
export function explainAnswer(
	connection: ServiceConnection,
	response: ServiceResponse,
	intent: Intent,
): Explanation {
	const { code, message } = readError(response.json);
	const { statusCode } = response;
	const words = message === undefined ? '' : shorten(connection.withoutKey(message), 300);
	const said =
		words === ''
			? `The service answered HTTP ${statusCode} with ${describeBody(response)}.`
			: `The service says: "${words}"${code === undefined ? '' : ` (${shorten(code, 60)})`}.`;
	const common = { statusCode, ...(code !== undefined && { code }) };

	const later = intent.writes ? ' Or write operations are not available for the account yet.' : '';

	if (code === 'insufficient_credits') {
		return explanation({
			...common,
			message: 'There are not enough credits',
			description: `Could not ${intent.action}. ${said} Nothing was spent. Earn or buy credits, then run again.`,
			failure: { cause: 'quota-exhausted' },
		});
	}
	if (statusCode >= 300 && statusCode < 400) {
		return explanation({
			...common,
			message: 'The base URL redirects to another address',
			description: `The request was not sent on, because the API key is meant for the base URL alone. Enter the final address in the credential${targetOf(response)}.`,
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
	if (statusCode === 403) {
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
		return explanation({
			...common,
			message: 'Nothing was found at this address of the service',
			description: `Could not ${intent.action}. ${said} Check that the base URL in the credential ends in /api.${later}`,
			failure: { cause: 'configuration-invalid' },
		});
	}
	if (statusCode >= 500) {
		return explanation({
			...common,
			message: 'The service is not available right now',
			description: `Could not ${intent.action}. ${said} It was tried several times. Run again later.`,
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
			? `Expected ${expected}, received a web page. The base URL in the credential probably lacks /api at its end.`
			: `Expected ${expected}, received ${describeBody(response)}.`,
		statusCode: response.statusCode,
		...(isPage && { failure: { cause: 'configuration-invalid' } }),
	});
}

function explainOutcome(
	outcome: Exclude<Outcome, { kind: 'answered' }>,
	{ action }: Intent,
): Explanation {
	switch (outcome.kind) {
		case 'limited': {
			const resetsAt = new Date(outcome.resetsAt).toISOString();
			return explanation({
				message: 'The request limit of the service is reached',
				description: `It resets at ${resetsAt}, which is longer than this node may wait. Run again after that, or raise "Max Rate Limit Wait" in the options. The limits are per API key: 60 requests a minute on the Pro plan, 240 on the Agency plan.`,
				statusCode: outcome.response.statusCode,
				code: readError(outcome.response.json).code,
				failure: { cause: 'rate-limited', resetsAtEpochMs: Math.round(outcome.resetsAt) },
			});
		}
		case 'unreachable':
			return explanation({
				message: 'The service could not be reached',
				description: `Could not ${action}: the connection was not made or gave no answer (${outcome.code}). Nothing was changed. Check the base URL in the credential and that n8n can reach it, then run again.`,
				code: outcome.code,
				failure: { cause: 'temporarily-unavailable' },
			});
		case 'ambiguous':
			return explanation({
				message: 'The outcome is not known',
				description: `The request to ${action} was sent, but no clear answer came back (${outcome.cause}). Look in the dashboard of the service before you run it again.`,
				code: outcome.cause,
				failure: { cause: 'temporarily-unavailable' },
			});
	}
}

function targetOf(response: ServiceResponse): string {
	try {
		const { origin, pathname } = new URL(response.headers.location ?? '');
		return `; the service names ${shorten(origin + pathname, 200)}`;
	} catch {
		return '';
	}
}
