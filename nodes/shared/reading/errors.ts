import { keyPlace } from '../service/credential';
import type { ReadOutcome } from '../service/reads';
import { isSuccess, type ServiceResponse } from '../service/response';
import { shorten } from '../text';
import { readUrl } from '../url';
import { type Explanation, explanation } from '../words/explanation';
import { plain, quote } from '../words/message';
import { describeBody, isPage, readError } from './content';
import { failureIn } from './failure';
import { explainUnreachable } from './unreachable';

type Cause = NonNullable<Explanation['failure']>['cause'];

/** The request in the user's words, for sentences such as "The service did not …". */
export interface Intent {
	/** What the request is to do, for example "accept the offer ex_1". */
	action: string;
	/** The request changes something; such endpoints became available later than those that read (service-api.md, "Availability"). */
	writes?: boolean;
	/** What a 404 means, where the address names something that was listed with the same key. */
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
	const { statusCode } = response;
	const { code } = readError(response.json);
	const facts: Facts = {
		response,
		intent,
		status: statusCode,
		code,
		couldNot: `Could not ${intent.action}`,
		said: whatItSays(response),
		mayComeLater: intent.writes
			? ' Perhaps write operations are not available for the account yet.'
			: '',
	};
	const { explain = declined } = rules.find(({ applies }) => applies(facts)) ?? {};
	const { cause, ...content } = explain(facts);
	return explanation({ ...content, code, statusCode, failure: cause && { cause } });
}

/** Why a 2xx answer is of no use: what was asked for is not in it. Such an answer is never passed on as an empty list. */
export function explainUnreadable(response: ServiceResponse, expected: string): Explanation {
	// A page at the right address may be there for an hour; n8n's scheduler does not poll for half an hour after this cause.
	const isWrongAddress = isPage(response) && !isEndpoint(response.url);
	const orMaintenance = isWrongAddress ? '' : ' If it is right, the service may be in maintenance.';
	return explanation({
		message: 'The answer of the service could not be understood',
		description: isPage(response)
			? `Expected ${expected}, received a web page. ${checkBaseUrl(response.url)}${orMaintenance}`
			: `Expected ${expected}, received ${describeBody(response)}.`,
		statusCode: response.statusCode,
		failure: isWrongAddress ? { cause: 'configuration-invalid' } : undefined,
	});
}

/** Why a request was given up: the limit is reached for longer than the node waits, or the service could not be reached. */
export function explainOutcome(
	outcome: Exclude<ReadOutcome, { kind: 'answered' }>,
	{ action }: Intent,
): Explanation {
	if (outcome.kind === 'unreachable') return explainUnreachable(outcome, action);
	const { response, resetsAt, longestWait, waitIsOption } = outcome;
	const said = response
		? whatItSays(response)
		: 'The last answer of the service said that no request is left.';
	const when =
		resetsAt === undefined
			? 'When the limit resets is not known. Try again later'
			: `The limit resets at ${new Date(Math.min(resetsAt, latestDate)).toISOString()}, and this node waits ${longestWait / 1000} seconds at most. Try again after that`;
	const remedy = waitIsOption ? ', or raise "Max Rate Limit Wait" in the options.' : '.';
	return explanation({
		message: 'The request limit of the service is reached',
		description: `${said} ${when}${remedy} ${limits}`,
		statusCode: response?.statusCode,
		code: readError(response?.json).code,
		failure: { cause: 'rate-limited', resetsAtEpochMs: resetsAt && Math.round(resetsAt) },
	});
}

/** An answer that did not do what was asked, and what sentences about it are made of. */
interface Facts {
	response: ServiceResponse;
	intent: Intent;
	status: number;
	/** The code in the documented error body. */
	code: string | undefined;
	/** "Could not …", without a full stop. */
	couldNot: string;
	/** What came back, as a sentence. */
	said: string;
	/** A sentence to put behind another one; empty for a request that only reads, because such endpoints came first. */
	mayComeLater: string;
}

interface Rule {
	applies: (facts: Facts) => boolean;
	explain: (facts: Facts) => { message: string; description: string; cause?: Cause };
}

/** What an answer means to which no rule applies. */
const declined: Rule['explain'] = ({ intent, said }) => ({
	message: `The service declined to ${shorten(intent.action, 120)}`,
	description: said,
});

/** What an answer means: the first rule that applies decides. */
const rules: Rule[] = [
	{
		applies: ({ code }) => code === 'insufficient_credits',
		explain: ({ couldNot, said }) => ({
			message: 'There are not enough credits',
			description: `${couldNot}. ${said} Earn or buy credits, then run again.`,
			cause: 'quota-exhausted',
		}),
	},
	{
		applies: ({ status }) => status >= 300 && status < 400,
		explain: ({ response }) => ({
			message: 'The base URL redirects to another address',
			description: `The request was not sent on, because the API key is meant for the base URL alone. ${explainRedirect(response)}`,
			cause: 'configuration-invalid',
		}),
	},
	{
		// The service's errors are JSON, so this answer comes from something in front of it, and says nothing about the key.
		applies: ({ status, response }) =>
			(status === 401 || status === 403) && response.json === undefined && response.text !== '',
		explain: ({ couldNot, response, said }) => ({
			message: 'Something in front of the service refuses the request',
			description: `${couldNot}. ${said} ${checkBaseUrl(response.url)} If it is right, a firewall or a login page stands before the service: ask its operator to let n8n through.`,
		}),
	},
	{
		applies: ({ status }) => status === 401,
		explain: ({ said }) => ({
			message: 'The service does not accept the API key',
			description: `${said} Copy the key again from ${keyPlace}, and paste it into the credential.`,
			cause: 'credential-invalid',
		}),
	},
	{
		// The key has just listed what the address names, so it is not the key that is refused.
		applies: ({ status, intent }) => status === 403 && intent.notFound !== undefined,
		explain: (facts) => ({
			...declined(facts),
			description: `${facts.said}${facts.mayComeLater}`,
		}),
	},
	{
		applies: ({ status, intent }) =>
			(status === 404 || status === 410) && intent.notFound !== undefined,
		explain: ({ intent: { notFound }, said, code, mayComeLater }) => ({
			message: notFound?.message ?? '',
			// A code shows that the endpoint is there and does not know what the address names; a page may stand for a missing endpoint.
			description: `${said} ${notFound?.description}${code === undefined ? mayComeLater : ''}`,
		}),
	},
	{
		// Where a request spends, a 402 is about its price; where it only reads, about the plan.
		applies: ({ status, intent }) => status === 403 || (status === 402 && !intent.writes),
		explain: ({ said, mayComeLater }) => ({
			message: 'The service refuses access with this API key',
			description: `${said} The API needs the Pro or the Agency plan. If the account has one, copy the key again from ${keyPlace}.${mayComeLater}`,
			cause: 'credential-invalid',
		}),
	},
	{
		applies: ({ status }) => status === 404 || status === 405 || status === 410,
		explain: ({ response, couldNot, said, mayComeLater }) => ({
			message: 'Nothing was found at this address of the service',
			description: `${couldNot}. ${said} ${checkBaseUrl(response.url)}${mayComeLater}`,
			cause: 'configuration-invalid',
		}),
	},
	{
		applies: ({ response }) => /plain HTTP request|HTTP request to an HTTPS/i.test(response.text),
		explain: ({ couldNot }) => ({
			message: 'The service speaks HTTPS at this address',
			description: `${couldNot}. ${useHttps}`,
			cause: 'configuration-invalid',
		}),
	},
	{
		applies: ({ status }) => status === 407,
		explain: ({ couldNot }) => ({
			message: 'The proxy of n8n asks for a login',
			description: `${couldNot}: the proxy did not pass the request on. Check the proxy settings of n8n.`,
			cause: 'configuration-invalid',
		}),
	},
	{
		// A 408 is the service's own time-out, and tried again as a 5xx is.
		applies: ({ status }) => status === 408 || status >= 500,
		explain: ({ response, couldNot, said }) => ({
			message: 'The service is not available right now',
			description: `${couldNot}. ${said} ${whenToRunAgain(response)}`,
			cause: 'temporarily-unavailable',
		}),
	},
];

function whenToRunAgain({ headers }: ServiceResponse): string {
	const asked = headers['retry-after'];
	// Only a request that reads comes this far, after its last attempt: by the same answer, one that writes is in doubt.
	return asked === undefined
		? 'It was tried several times. Run again later.'
		: `It says when to run again (Retry-After: ${plain(asked, 40)}).`;
}

/** The last moment that a date can be, in epoch milliseconds (ECMA-262, "Time Values and Time Range"). */
const latestDate = 8.64e15;

/** The limits as service-api.md states them ("Limits"). */
const limits =
	'The Pro plan has 60 requests a minute and 10,000 a day, the Agency plan 240 and 100,000.';

/** What came back, as a sentence: the service's own words, or what it has sent instead. */
function whatItSays(response: ServiceResponse): string {
	const { statusCode, json } = response;
	const { code, message } = readError(json);
	const words = quote(message, mostOfItsWords);
	const title = isPage(response) ? titleOf(response) : undefined;
	if (title !== undefined) return `The answer is a web page (HTTP ${statusCode}): ${title}.`;
	return words === undefined
		? `The service answered HTTP ${statusCode} ${failureIn(json) ?? `with ${describeBody(response)}`}.`
		: `The service says: ${words}${code === undefined ? '' : ` (${plain(code, 60)})`}.`;
}

/** The title of a web page, such as “Just a moment...”. */
function titleOf({ text }: ServiceResponse): string | undefined {
	return quote(/<title[^>]*>([^<]*)/i.exec(text)?.[1], 80);
}

/** Whether an address is one of the documented endpoints (service-api.md, "Endpoints"), so that the base URL seems right. */
function isEndpoint(url: string): boolean {
	return /\/api\/(sites|exchanges(\/[^/]+\/accept)?|credits\/balance|watchdog\/events)$/.test(
		new URL(url).pathname,
	);
}

/** The base URL that may have been meant, for an address that was made of another one. */
function baseUrlFor(address: URL): string {
	const [path = '/api'] = /^(\/[^/]+)*?\/api(?=\/|$)/.exec(address.pathname) ?? [];
	return shorten(address.origin + path, 110);
}

function checkBaseUrl(url: string): string {
	return isEndpoint(url)
		? 'Check the base URL in the credential.'
		: `The base URL in the credential has to end in /api. Enter it as ${baseUrlFor(new URL(url))}.`;
}

/** Which base URL to enter, as far as the answer names it. */
function explainRedirect({ headers: { location = '' }, url }: ServiceResponse): string {
	const target = location === '' ? undefined : readUrl(location, url);
	if (target === undefined) return 'Enter the final address in the credential.';
	const from = new URL(url);
	const baseUrl = baseUrlFor(target);
	if (baseUrlFor(from) !== baseUrl) return `Enter the base URL in the credential as ${baseUrl}.`;
	return target.pathname === `${from.pathname}/`
		? 'It leads to the same address with a slash at its end, which no base URL can change: ask the operator of the service to answer without it.'
		: `It leads to ${shorten(target.origin + target.pathname, 200)}. ${checkBaseUrl(url)}`;
}
