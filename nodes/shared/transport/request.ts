import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { monotonicNow } from '../utils/time';
import { parseJson, readBody } from './body';
import { credentialName } from './credential';
import { parseNetworkError } from './networkError';
import type { RequestResult, ServiceResponse } from './response';

/** n8n contexts that can send requests. */
export type RequestContext =
	IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions;

export interface HttpRequest {
	method: 'GET' | 'POST';
	url: string;
	body?: IDataObject;
}

/** Settings that all requests of a client share. */
export interface RequestDefaults {
	context: RequestContext;
	/** Aborts when the user cancels the execution. */
	signal: AbortSignal | undefined;
	/** Every request uses this credential, even if the user saves another one in the meantime. */
	credential: ICredentialDataDecryptedObject;
	/** Redacts the API key, see `createKeyRedactor`. */
	redact: (text: string) => string;
	/** Timeout of a single attempt. */
	timeoutMs: number;
}

/** Result of n8n's request helper. The body is a stream. */
interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Sends one HTTP request through n8n and reads its response, without retries.
 *
 * @throws {unknown} the reason of the signal if the user cancels
 */
export async function sendRequest(
	defaults: RequestDefaults,
	{ method, url, body }: HttpRequest,
): Promise<RequestResult> {
	const { context, signal, credential: data, timeoutMs } = defaults;
	const abortController = new AbortController();
	const abort = () => {
		abortController.abort();
	};
	// Not AbortSignal.any, because its signal is garbage to collect after each request.
	signal?.addEventListener('abort', abort);
	// n8n's helper uses the signal of the context and ignores one in the options.
	const getExecutionCancelSignal = { value: () => abortController.signal };
	const abortableContext = Object.create(context, { getExecutionCancelSignal }) as RequestContext;
	const options: IHttpRequestOptions = {
		method,
		url,
		...(body !== undefined && { body }),
		headers: { Accept: 'application/json' },
		timeout: timeoutMs,
		// Otherwise n8n would read the whole body and parse it by its content type.
		encoding: 'stream',
		returnFullResponse: true,
		// Otherwise n8n would wrap HTTP errors in a NodeApiError whose text can't be changed, and send
		// the request again after a 401.
		ignoreHttpStatusErrors: true,
		// The API key must not follow a redirect to another origin.
		disableFollowRedirect: true,
	};
	const requestedAt = monotonicNow();
	try {
		const rawResponse = (await context.helpers.httpRequestWithAuthentication.call(
			abortableContext,
			credentialName,
			options,
			// Otherwise n8n would read the credential again for each request, always that of the first
			// item.
			{ credentialsDecrypted: { id: '', name: '', type: credentialName, data } },
		)) as RawResponse;
		return {
			kind: 'response',
			response: await toServiceResponse(rawResponse, url, requestedAt, defaults),
		};
	} catch (error) {
		// Closes the connection if the body was interrupted.
		abort();
		// If the user has canceled, the error doesn't describe the service, and nothing is retried.
		signal?.throwIfAborted();
		return { kind: 'networkError', error: parseNetworkError(error), url };
	} finally {
		signal?.removeEventListener('abort', abort);
	}
}

/**
 * Creates a function that redacts the API key from text of the service or a proxy, so that no
 * message, log or output made from a response can contain it.
 *
 * A key of fewer than eight characters isn't redacted: it is no secret, and may be part of ordinary
 * words.
 */
export function createKeyRedactor(key: string): (text: string) => string {
	if (key.length < 8) return (text) => text;
	// Each character may be written as it is, percent-encoded or escaped for JSON, and that text may
	// be encoded or escaped again.
	const keyPattern = key.replace(/./g, (character) => {
		const hex = character.charCodeAt(0).toString(16);
		return `(?:\\\\*(?:\\x${hex}|u00${hex})|%(?:25)*${hex})`;
	});
	const pattern = new RegExp(`(?<!\\\\)${keyPattern}`, 'gi');
	return (text) => text.replace(pattern, '(API key)');
}

async function toServiceResponse(
	{ statusCode, headers, body }: RawResponse,
	url: string,
	requestedAt: number,
	{ redact, timeoutMs }: RequestDefaults,
): Promise<ServiceResponse> {
	const headerEntries = Object.entries(headers).map(([name, value]) => [
		name.toLowerCase(),
		redact(String(value)),
	]);
	const { text: bodyText, isTooLarge, size } = await readBody(body, timeoutMs);
	const text = redact(bodyText);
	return {
		url,
		requestedAt,
		receivedAt: monotonicNow(),
		statusCode,
		headers: Object.fromEntries(headerEntries) as Record<string, string>,
		excerpt: createExcerpt(text),
		json: isTooLarge ? undefined : parseJson(text),
		isTooLarge,
		size,
	};
}

/**
 * Truncates a body. Returns a copy, because a slice of a string keeps the whole string in memory.
 */
function createExcerpt(text: string): string {
	return Buffer.from(text.trimStart().slice(0, 1000)).toString();
}
