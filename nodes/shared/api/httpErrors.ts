import { type ErrorResult, errorResult } from '../errors';
import { quote, sanitize } from '../formatting/message';
import { apiKeyLocation, suggestBaseUrl } from '../transport/credential';
import type { GetResult } from '../transport/requestCache';
import {
	isBlockedByProxy,
	isSuccess,
	parseErrorBody,
	type ServiceResponse,
} from '../transport/response';
import { truncate } from '../utils/text';
import { tryParseUrl } from '../utils/url';
import { toNetworkError } from './networkErrors';
import { describeBody, findEmbeddedError, isHtml } from './parseResponse';

type Cause = NonNullable<ErrorResult['failure']>['cause'];

/** The purpose of a request, for messages such as "The service declined to …". */
export interface Intent {
	/** For example "accept the offer ex_1". */
	action: string;
	/**
	 * Whether the request changes data. Such endpoints became available later than those that read
	 * (service-api.md, "Availability").
	 */
	writes?: boolean;
	/** Explains a 404 if the URL contains an ID that was listed with the same key. */
	notFound?: Pick<ErrorResult, 'message' | 'description'>;
}

const maxServerMessageLength = 300;

/** Returns the response if the service processed the request, otherwise an error. */
export function okOrError(result: GetResult, intent: Intent): ServiceResponse | ErrorResult {
	if (result.kind !== 'response') return toRequestError(result, intent);
	const { response } = result;
	if (isSuccess(response) && findEmbeddedError(response.json) === undefined) return response;
	return toHttpError(response, intent);
}

/**
 * Builds the error for a response that isn't 2xx or contains an error. The service documents the
 * error body and one code, insufficient_credits.
 */
export function toHttpError(response: ServiceResponse, intent: Intent): ErrorResult {
	const { code } = parseErrorBody(response.json);
	const { message, hint = '', cause } = classifyError(response, intent, code);
	return errorResult({
		message: message ?? `The service declined to ${truncate(intent.action, 120)}`,
		description: [
			...(message === undefined ? [] : [`Could not ${intent.action}.`]),
			describeServerResponse(response),
			hint,
		].join(' '),
		code,
		statusCode: response.statusCode,
		failure: cause && { cause },
	});
}

/**
 * Builds the error for a 2xx response that lacks the expected data. Such a response is never
 * returned as an empty list.
 *
 * @param received describes the body if its field names don't show why it can't be used
 */
export function toUnexpectedBodyError(
	response: ServiceResponse,
	expected: string,
	received?: string,
): ErrorResult {
	// A maintenance page at the right URL may stay for an hour, but n8n's scheduler stops polling for
	// half an hour after this cause.
	const isWrongAddress = isHtml(response) && !isEndpoint(response.url);
	const maintenanceHint = isWrongAddress
		? ''
		: ' If it is right, the service may be in maintenance.';
	return errorResult({
		message: 'The answer of the service could not be understood',
		description: isHtml(response)
			? `Expected ${expected}, received a web page. ${getBaseUrlHint(response.url)}${maintenanceHint}`
			: `Expected ${expected}, received ${received ?? describeBody(response)}.`,
		statusCode: response.statusCode,
		failure: isWrongAddress ? { cause: 'configuration-invalid' } : undefined,
	});
}

/**
 * Builds the error for a request without a usable response: the rate limit requires a longer wait
 * than allowed, or the service couldn't be reached.
 */
export function toRequestError(
	result: Exclude<GetResult, { kind: 'response' }>,
	{ action }: Intent,
): ErrorResult {
	if (result.kind === 'networkError') return toNetworkError(result, action);
	const { response, resetsAt, caller } = result;
	const reason = response
		? describeServerResponse(response)
		: 'The last response of the service showed that no request is left.';
	const retryAdvice =
		resetsAt === undefined
			? "The service doesn't show when the limit resets. Try again later."
			: `The limit resets at ${new Date(resetsAt).toISOString()}, and this node waits at most ${caller.maxRateLimitWaitMs / 1000} seconds. Try again after that. The Backlink Exchange node can wait longer with the option 'Max Rate Limit Wait'.`;
	return errorResult({
		message: "The service's rate limit is reached",
		description: `${reason} ${retryAdvice} ${documentedLimits}`,
		statusCode: response?.statusCode,
		code: parseErrorBody(response?.json).code,
		failure: { cause: 'rate-limited', resetsAtEpochMs: resetsAt && Math.round(resetsAt) },
	});
}

/** service-api.md, "Limits". */
const documentedLimits =
	'The Pro plan has 60 requests a minute and 10,000 a day, the Agency plan 240 and 100,000.';

/** Meaning of an error response: a sentence, and a hint that ends the description. */
interface ErrorClass {
	/** Left out if it's only known that the service declined. */
	message?: string;
	hint?: string;
	cause?: Cause;
}

/**
 * Classifies an error response: the first rule that applies.
 *
 * @param code `error.code` of the documented error body
 */
function classifyError(
	response: ServiceResponse,
	intent: Intent,
	code: string | undefined,
): ErrorClass {
	const { statusCode: status, url, headers } = response;
	const { notFound, writes } = intent;
	const writeHint = getWriteAvailabilityHint(intent);
	if (code === 'insufficient_credits') {
		return {
			message: 'There are not enough credits',
			hint: 'Earn or buy credits, then run again.',
			cause: 'quota-exhausted',
		};
	}
	if (status >= 300 && status < 400) {
		return {
			message: 'The base URL redirects to another address',
			hint: `The API key is meant for the base URL alone, so it was not sent on. ${getRedirectHint(response)}`,
			cause: 'configuration-invalid',
		};
	}
	// This response doesn't concern the key.
	if (isBlockedByProxy(response)) {
		return {
			message: 'A proxy or firewall in front of the service blocked the request',
			hint: `The service didn't get the request. ${proxyHints[status] ?? `${getBaseUrlHint(url)} If it's right, a firewall or a login page stands in front of the service: ask its operator to let n8n through.`}`,
			cause: 'configuration-invalid',
		};
	}
	if (status === 401) {
		return {
			message: 'The service does not accept the API key',
			hint: `Copy the key again from ${apiKeyLocation}, and paste it into the credential.`,
			cause: 'credential-invalid',
		};
	}
	// The key has just listed this ID, so the key isn't the cause.
	if (status === 403 && notFound !== undefined) return { hint: writeHint };
	if ((status === 404 || status === 410) && notFound !== undefined) {
		// An error code shows that the endpoint exists and doesn't know the ID. Without one, the
		// endpoint itself may be missing.
		const { message, description } = notFound;
		return { message, hint: `${description} ${code === undefined ? writeHint : ''}` };
	}
	// For a request that spends credits, 402 concerns the price; for one that reads, the plan.
	if (status === 403 || (status === 402 && !writes)) {
		return {
			message: 'The service refuses access with this API key',
			hint: `The API needs the Pro or the Agency plan. If the account has one, copy the key again from ${apiKeyLocation}. ${writeHint}`,
			cause: 'credential-invalid',
		};
	}
	if (status === 404 || status === 405 || status === 410) {
		return {
			message: 'Nothing was found at this address of the service',
			hint: `${getBaseUrlHint(url)} ${writeHint}`,
			cause: 'configuration-invalid',
		};
	}
	// A 408 is a timeout of the service, and retried like a 5xx.
	if (status === 408 || status >= 500) {
		const retryAfter = headers['retry-after'];
		return {
			message: 'The service is not available right now',
			// Only GETs reach this, after their last attempt: after the same response, a POST is
			// ambiguous.
			hint:
				retryAfter === undefined
					? 'It was tried several times. Run again later.'
					: `It says when to run again (Retry-After: ${sanitize(retryAfter, 40)}).`,
			cause: 'temporarily-unavailable',
		};
	}
	return {};
}

/** Explains how to fix what a proxy rejects, by status. */
const proxyHints: Partial<Record<number, string>> = {
	407: 'The proxy requires a sign-in. Check its user name and password in the settings of n8n, or ask the administrator of n8n.',
	451: 'It blocks the service for legal reasons. Ask the operator of your network to allow it.',
	511: 'The network requires a sign-in. Sign in to it on the machine where n8n runs, or ask its operator.',
};

/** Returns a hint for requests that change data, whose endpoints came later; `''` for others. */
function getWriteAvailabilityHint({ writes }: Intent): string {
	return writes ? 'Perhaps write operations are not available for the account yet.' : '';
}

/** Describes the response in a sentence: the service's own message, or the kind of its body. */
function describeServerResponse(response: ServiceResponse): string {
	const { statusCode, json, excerpt } = response;
	const { code, message } = parseErrorBody(json);
	const quoted = quote(message, maxServerMessageLength);
	if (quoted !== undefined) {
		return `The service says: ${quoted}${code === undefined ? '' : ` (${sanitize(code, 60)})`}.`;
	}
	// The title of a web page, for example “Just a moment...”.
	const title = isHtml(response) ? quote(/<title[^<>]*>([^<]*)/i.exec(excerpt)?.[1]) : undefined;
	const body = title === undefined ? describeBody(response) : `a web page, ${title}`;
	return `The answer was HTTP ${statusCode} ${findEmbeddedError(json) ?? `with ${body}`}.`;
}

/**
 * Returns whether the URL is a documented endpoint (service-api.md, "Endpoints"), which suggests
 * that the base URL is right.
 */
function isEndpoint(url: string): boolean {
	return /\/api\/(sites|exchanges(\/[^/]+\/accept)?|credits\/balance|watchdog\/events)$/.test(
		new URL(url).pathname,
	);
}

function getBaseUrlHint(url: string): string {
	return isEndpoint(url)
		? 'Check the base URL in the credential.'
		: `The base URL in the credential has to end in /api. Enter it as ${suggestBaseUrl(new URL(url))}.`;
}

/** Suggests the base URL to enter, if the redirect shows it. */
function getRedirectHint({ headers: { location = '' }, url }: ServiceResponse): string {
	const target = location === '' ? undefined : tryParseUrl(location, url);
	if (target === undefined) return 'Enter the final address in the credential.';
	const currentUrl = new URL(url);
	const baseUrl = suggestBaseUrl(target);
	if (suggestBaseUrl(currentUrl) !== baseUrl) {
		return `Enter the base URL in the credential as ${baseUrl}.`;
	}
	return target.pathname === `${currentUrl.pathname}/`
		? 'It leads to the same address with a slash at its end, which no base URL can change: ask the operator of the service to answer without it.'
		: `It leads to ${truncate(target.origin + target.pathname, 200)}. ${getBaseUrlHint(url)}`;
}
