import { errorMessages } from '../errorMessages';
import { ServiceError } from '../errors';
import { joinWords, quote, sanitize } from '../formatting/message';
import { formatTime } from '../formatting/time';
import { apiKeyLocation, suggestBaseUrl } from '../transport/credential';
import type { GetResult } from '../transport/requestCache';
import {
	isBlockedByProxy,
	isSuccess,
	parseErrorBody,
	type ServiceResponse,
} from '../transport/response';
import { truncate } from '../utils/text';
import { describeBody, isHtml } from './describeResponse';
import { findEmbeddedError } from './forms/records';
import { createNetworkError } from './networkErrors';

type Cause = NonNullable<ServiceError['failure']>['cause'];

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
	notFound?: Pick<ServiceError, 'message' | 'description'>;
	/** Consequence if the service declines, for example that no credits were spent. */
	declinedHint?: string;
}

/** RFC 9110, section 15.4. */
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

const maxServerMessageLength = 300;

const minute = 60_000;

/**
 * Returns the response if the service processed the request.
 *
 * @throws {ServiceError} otherwise
 */
export function unwrapResponse(result: GetResult, intent: Intent): ServiceResponse {
	if (result.kind !== 'response') throw createResponseError(result, intent);
	const { response } = result;
	if (isSuccess(response) && findEmbeddedError(response.json) === undefined) return response;
	throw createHttpError(response, intent);
}

/** Builds the error for a request that the service didn't process. */
export function createResponseError(result: GetResult, intent: Intent): ServiceError {
	return result.kind === 'response'
		? createHttpError(result.response, intent)
		: createRequestError(result, intent);
}

/**
 * Builds the error for a response that isn't 2xx or contains an error. The service documents the
 * error body and one code, insufficient_credits.
 */
export function createHttpError(response: ServiceResponse, intent: Intent): ServiceError {
	const { code } = parseErrorBody(response.json);
	const { message, hint, cause } = classifyError(response, intent, code);
	return new ServiceError({
		message: message ?? errorMessages.declined(truncate(intent.action, 120)),
		description: joinWords(
			message === undefined ? undefined : `Couldn't ${intent.action}.`,
			describeServerResponse(response),
			hint,
			formatCodes(response),
		),
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
export function createUnexpectedBodyError(
	response: ServiceResponse,
	expected: string,
	received?: string,
): ServiceError {
	// A maintenance page at the right URL may stay for an hour, but n8n's scheduler stops polling for
	// half an hour after this cause.
	const isWrongUrl = isHtml(response) && !isEndpoint(response.url);
	const maintenanceHint = isWrongUrl
		? ''
		: " If it's correct, the service may be down for maintenance. Run the workflow again later.";
	return new ServiceError({
		message: errorMessages.unexpectedResponse,
		description: joinWords(
			isHtml(response)
				? `The node expected ${expected}, but received a web page. ${getBaseUrlHint(response.url)}${maintenanceHint}`
				: `The node expected ${expected}, but received ${received ?? describeBody(response)}. If the base URL in the credential is correct, please report this.`,
			formatCodes(response),
		),
		statusCode: response.statusCode,
		failure: isWrongUrl ? { cause: 'configuration-invalid' } : undefined,
	});
}

/**
 * Builds the error for a request without a usable response: the rate limit requires a longer wait
 * than allowed, or the service couldn't be reached.
 */
export function createRequestError(
	result: Exclude<GetResult, { kind: 'response' }>,
	{ action, writes }: Intent,
): ServiceError {
	if (result.kind === 'networkError') return createNetworkError(result, action);
	const { response, resetsAt, caller } = result;
	const reason = response
		? describeServerResponse(response)
		: "The service's last response showed that you have no requests left.";
	const retryAdvice =
		resetsAt === undefined
			? "The service doesn't show when the limit resets. Run the workflow again later."
			: `The limit resets at ${formatResetTime(resetsAt)}, and the node waits at most ${caller.maxRateLimitWaitMs / 1000} seconds. Run the workflow again after that. To wait longer in the Backlink Exchange node, increase 'Max Rate Limit Wait (Seconds)' in its options.`;
	return new ServiceError({
		message: errorMessages.rateLimitReached,
		description: joinWords(
			`Couldn't ${action}${writes ? ', so nothing changed in your account' : ''}.`,
			reason,
			retryAdvice,
			documentedLimits,
			response && formatCodes(response),
		),
		statusCode: response?.statusCode,
		code: parseErrorBody(response?.json).code,
		failure: { cause: 'rate-limited', resetsAtEpochMs: resetsAt && Math.round(resetsAt) },
	});
}

/** Formats the time of a reset, rounded up to the next minute. */
function formatResetTime(epochMs: number): string {
	return formatTime(Math.ceil(epochMs / minute) * 60, 'UTC');
}

/** service-api.md, "Limits". */
const documentedLimits =
	'The Pro plan allows 60 requests a minute and 10,000 a day. The Agency plan allows 240 and 100,000.';

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
	const { statusCode: status, url } = response;
	const { notFound, declinedHint } = intent;
	const writeHint = getWriteAvailabilityHint(intent);
	if (code === 'insufficient_credits') {
		return {
			message: errorMessages.notEnoughCredits,
			hint: 'Get more credits, then run the workflow again. No credits were spent.',
			cause: 'quota-exhausted',
		};
	}
	if (redirectStatuses.has(status)) {
		return {
			message: errorMessages.baseUrlRedirects,
			hint: "The API key is sent only to the base URL, so the node didn't follow the redirect. Open the base URL in a browser, copy the URL that the browser then shows, and enter it in the credential.",
			cause: 'configuration-invalid',
		};
	}
	if (status >= 300 && status < 400) {
		return {
			message: errorMessages.unexpectedResponse,
			hint: 'Run the workflow again. If the response stays the same, please report this.',
		};
	}
	// This response doesn't concern the key.
	if (isBlockedByProxy(response)) {
		return {
			message: errorMessages.blockedByProxy,
			hint: `The service didn't receive the request. ${proxyHints[status] ?? `${getBaseUrlHint(url)} If it's correct, a firewall or login page protects the service. Ask its administrator to allow requests from n8n.`}`,
			cause: 'configuration-invalid',
		};
	}
	if (status === 401) {
		return {
			message: errorMessages.apiKeyNotAccepted,
			hint: `Copy the key again from ${apiKeyLocation} and save it in the credential.`,
			cause: 'credential-invalid',
		};
	}
	// The key has just listed this ID, so the key isn't the cause.
	if (status === 403 && notFound !== undefined) {
		return { hint: joinWords(declinedHint, writeHint) };
	}
	if ((status === 404 || status === 410) && notFound !== undefined) {
		// An error code shows that the endpoint exists and doesn't know the ID. Without one, the
		// endpoint itself may be missing.
		const { message, description } = notFound;
		return { message, hint: joinWords(description, code === undefined ? writeHint : undefined) };
	}
	// For a request that spends credits, 402 concerns the price; for any other, the plan.
	if (status === 403 || (status === 402 && notFound === undefined)) {
		return {
			message: errorMessages.accessDenied,
			hint: joinWords(
				`The API requires the Pro or Agency plan. If your account has one, copy the API key again from ${apiKeyLocation} and save it in the credential.`,
				writeHint,
			),
			cause: 'credential-invalid',
		};
	}
	if (status === 404 || status === 405 || status === 410) {
		return {
			message: errorMessages.urlNotFound,
			hint: joinWords(getBaseUrlHint(url), writeHint),
			cause: 'configuration-invalid',
		};
	}
	// A 408 is a timeout of the service, and retried like a 5xx.
	if (status === 408 || status >= 500) {
		return {
			message: errorMessages.unavailable,
			hint: 'Run the workflow again later.',
			cause: 'temporarily-unavailable',
		};
	}
	const isInvalidInput = status === 400 || status === 422;
	if (isInvalidInput && parseErrorBody(response.json).message !== undefined) {
		return {
			hint: joinWords(
				declinedHint,
				'Correct what the response names, then run the workflow again.',
			),
		};
	}
	return { hint: declinedHint };
}

/** Explains how to fix what a proxy rejects, by status. */
const proxyHints: Partial<Record<number, string>> = {
	407: "The proxy requires a sign-in. Check its username and password in n8n's settings, or ask your n8n administrator.",
	451: 'It blocks the service for legal reasons. Ask your network administrator to allow it.',
	511: 'The network requires a sign-in. Sign in on the machine where n8n runs, or ask your network administrator.',
};

/** Returns a hint for requests that change data, whose endpoints came later; `''` for others. */
function getWriteAvailabilityHint({ writes }: Intent): string {
	return writes
		? "Write operations may not be available for your account yet. Ask the service's support."
		: '';
}

/** Describes the response in a sentence: the service's own message, or the kind of its body. */
function describeServerResponse(response: ServiceResponse): string {
	const { json } = response;
	const { message = '' } = parseErrorBody(json);
	const quoted = quote(message.trimEnd().replace(/\.$/, ''), maxServerMessageLength);
	if (quoted !== undefined) return `The service's response: ${quoted}.`;
	return `The response contained ${findEmbeddedError(json) ?? describeBody(response)}.`;
}

/** Formats the HTTP status and the service's code, which end a description. */
function formatCodes({ statusCode, json }: ServiceResponse): string {
	const { code } = parseErrorBody(json);
	return `(HTTP ${statusCode}${code === undefined ? '' : `, ${sanitize(code, 60)}`})`;
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
		: `The base URL in the credential must end in /api. Change it to ${suggestBaseUrl(new URL(url))}.`;
}
