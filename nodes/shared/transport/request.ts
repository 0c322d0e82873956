import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';

import { monotonicNow } from '../utils/time';
import { parseJson, readBody } from './body';
import { credentialName } from './credential';
import { parseNetworkError } from './networkError';
import type { RequestResult, ServiceResponse } from './response';

/** The n8n contexts from which the service is called. */
export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

export interface HttpRequest {
	method: 'GET' | 'POST';
	url: string;
	body?: IDataObject;
}

/** What the requests of a connection have in common. */
export interface RequestDefaults {
	context: RequestContext;
	/** Fires when the user cancels the execution. */
	signal: AbortSignal | undefined;
	/** The credential that every request carries, even if the user saves another one meanwhile. */
	credential: ICredentialDataDecryptedObject;
	/** Takes the key out of a text: see `hidingKey`. */
	redact: (text: string) => string;
	/** How long one attempt may take, in milliseconds. */
	timeout: number;
}

/** What n8n's request helper returns; the body is a stream. */
interface RawResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Sends one request through n8n, and reads the answer.
 * @throws the reason of the signal when the user cancels
 */
export async function sendRequest(
	defaults: RequestDefaults,
	{ method, url, body }: HttpRequest,
): Promise<RequestResult> {
	const { context, signal, credential: data, timeout } = defaults;
	const abortController = new AbortController();
	const abort = () => {
		abortController.abort();
	};
	// By hand, because a signal made by AbortSignal.any costs each request garbage to collect.
	signal?.addEventListener('abort', abort);
	// n8n's helper takes the signal of the context, and none from the options.
	const getExecutionCancelSignal = { value: () => abortController.signal };
	const abortableContext = Object.create(context, { getExecutionCancelSignal }) as RequestContext;
	const options: IHttpRequestOptions = {
		method,
		url,
		...(body !== undefined && { body }),
		headers: { Accept: 'application/json' },
		timeout,
		// As a stream, because n8n would read all of a body, and parse it by its content type.
		encoding: 'stream',
		returnFullResponse: true,
		// Otherwise n8n would wrap HTTP errors in a NodeApiError whose text cannot be changed, and send a 401 twice.
		ignoreHttpStatusErrors: true,
		// The key must not follow a redirect to another origin.
		disableFollowRedirect: true,
	};
	const requestedAt = monotonicNow();
	try {
		const rawResponse = (await context.helpers.httpRequestWithAuthentication.call(
			abortableContext,
			credentialName,
			options,
			// Without this, n8n would read the credential again for each request, and take the first item's.
			{ credentialsDecrypted: { id: '', name: '', type: credentialName, data } },
		)) as RawResponse;
		return {
			kind: 'response',
			response: await toServiceResponse(rawResponse, url, requestedAt, defaults),
		};
	} catch (error) {
		// A body that stopped halfway must not keep its connection.
		abort();
		// Where the user has canceled, the error says nothing of the service, and nothing is sent again.
		signal?.throwIfAborted();
		return { kind: 'networkError', error: parseNetworkError(error), url };
	} finally {
		signal?.removeEventListener('abort', abort);
	}
}

/**
 * Takes the key out of what a service or proxy repeats, so that nothing made of its answer can carry it: no message, log or
 * output. A key of fewer than eight characters is no secret, and may be part of ordinary words, so it stays.
 */
export function createKeyRedactor(key: string): (text: string) => string {
	if (key.length < 8) return (text) => text;
	// A character may stand as it is, or as an address or JSON writes it, and that text may stand in JSON again.
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
	{ redact, timeout }: RequestDefaults,
): Promise<ServiceResponse> {
	const headerEntries = Object.entries(headers).map(([name, value]) => [
		name.toLowerCase(),
		redact(String(value)),
	]);
	const { text: bodyText, isTooLarge, size } = await readBody(body, timeout);
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

/** The beginning of a body: a copy, because a part of a text keeps the whole of it in memory. */
function createExcerpt(text: string): string {
	return Buffer.from(text.trimStart().slice(0, 1000)).toString();
}
