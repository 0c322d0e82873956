import { createHash } from 'crypto';
import type {
	IAllExecuteFunctions,
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeApiError, NodeOperationError, sleep } from 'n8n-workflow';

import { operationError } from './explanation';
import { Pacing } from './pacing';
import { pathOf, whyNotASegment } from './path';
import { waitAfterLimit } from './rateLimit';
import { parseJson, type ServiceResponse } from './response';
import { type Attempt, backoff, decide, wasNeverSent } from './retry';

export const credentialName = 'backlinkExchangeApi';

/** The n8n contexts from which the service is called. */
export type RequestContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions;

/** What came of a request in the end, after everything that may be tried again was. */
export type Outcome =
	/** The service decided; the status may be any but 429. */
	| { kind: 'answered'; response: ServiceResponse }
	/** The limit is reached and the wait is longer than allowed; `resetsAt` in epoch milliseconds of this machine. */
	| { kind: 'limited'; response: ServiceResponse; resetsAt: number }
	/** Nothing reached the service, or nothing came back from a request that only reads. */
	| { kind: 'unreachable'; code: string }
	/** A request that changes something was sent, and whether it was carried out is not known. */
	| { kind: 'ambiguous'; cause: string };

export interface ConnectionSettings {
	/** The longest wait for the rate limit that is ever slept, in seconds. */
	maxRateLimitWait: number;
	/** For one attempt, in seconds. */
	timeout: number;
}

export interface GetOptions {
	query?: Record<string, string>;
	/** Ask the service even if the same address was read before over this connection. */
	fresh?: boolean;
}

/** More 429 answers in a row than this, and the request is given up as limited. */
const mostLimitedInARow = 100;

/**
 * The one place that sends requests to the service. Operations, list searches and the polling trigger all call it.
 * HTTP errors come back as values; `errors.ts` turns them into what the user reads.
 */
export class ServiceConnection {
	readonly #pacing = new Pacing();

	readonly #reads = new Map<string, Promise<Outcome>>();

	readonly #context: RequestContext;

	/** Without a slash at the end. */
	readonly baseUrl: string;

	readonly #apiKey: string;

	readonly #settings: ConnectionSettings;

	readonly #signal: AbortSignal | undefined;

	private constructor(
		context: RequestContext,
		baseUrl: string,
		apiKey: string,
		settings: ConnectionSettings,
	) {
		this.#context = context;
		this.baseUrl = baseUrl;
		this.#apiKey = apiKey;
		this.#settings = settings;
		this.#signal =
			'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
	}

	static async open(
		context: RequestContext,
		settings: ConnectionSettings,
	): Promise<ServiceConnection> {
		const credential = await context.getCredentials(credentialName);
		const baseUrl = readBaseUrl(credential.baseUrl);
		if (baseUrl === undefined) {
			throw new NodeOperationError(context.getNode(), 'The base URL is not a web address', {
				description:
					'Open the credential and enter the address of the service followed by /api, for example https://app.example.com/api.',
			});
		}
		const apiKey = String(credential.apiKey ?? '').trim();
		return new ServiceConnection(context, baseUrl, apiKey, settings);
	}

	/**
	 * Sends a request that reads. Within this connection the same address is asked once and its outcome shared, unless
	 * `fresh` asks for what the service says now.
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
	 */
	async get(segments: readonly string[], { query, fresh }: GetOptions = {}): Promise<Outcome> {
		const search = new URLSearchParams(query).toString();
		return await this.#read(`${this.#urlOf(segments)}${search === '' ? '' : `?${search}`}`, fresh);
	}

	/**
	 * Follows a link of the service to the next page, in the same way.
	 * @throws NodeOperationError before any request when the link leads to another origin, which must not get the key
	 */
	async getNextPage(url: string, { fresh }: Pick<GetOptions, 'fresh'> = {}): Promise<Outcome> {
		if (!this.isOwnOrigin(url)) {
			throw this.#refusal('The service names a next page at another origin', 'It is not followed.');
		}
		return await this.#read(url, fresh);
	}

	/** Whether the API key may be sent to this address. */
	isOwnOrigin(url: string): boolean {
		return URL.canParse(url) && new URL(url).origin === new URL(this.baseUrl).origin;
	}

	/**
	 * Sends a request that spends or creates. It is repeated only when it certainly did not arrive.
	 * @throws NodeOperationError before any request when a segment of the path cannot be one
	 */
	async post(segments: readonly string[], body?: IDataObject): Promise<Outcome> {
		return await this.#send('POST', this.#urlOf(segments), body);
	}

	/** Waits so many milliseconds; the user's cancelling ends it at once. */
	async pause(milliseconds: number): Promise<void> {
		await sleep(milliseconds, this.#signal);
	}

	/** A name for something of this account, for use as a key in memory; it does not reveal the API key. */
	accountKey(name: string): string {
		const hash = createHash('sha256');
		return hash.update(JSON.stringify([this.baseUrl, this.#apiKey, name])).digest('base64');
	}

	/** Takes the key out of a text that the service or the network stack wrote. */
	withoutKey(text: string): string {
		return this.#apiKey === '' ? text : text.replaceAll(this.#apiKey, '(API key)');
	}

	/** For every operation that there is or will be: nothing that a user or another service wrote changes the endpoint. */
	#urlOf(segments: readonly string[]): string {
		for (const segment of segments) {
			const reason = whyNotASegment(segment);
			if (reason === undefined) continue;
			throw this.#refusal(`"${segment}" cannot be part of the address of a request`, `${reason}.`);
		}
		return `${this.baseUrl}${pathOf(segments)}`;
	}

	#refusal(message: string, description: string): NodeOperationError {
		return operationError(this.#context.getNode(), { message, description });
	}

	async #read(url: string, fresh = false): Promise<Outcome> {
		let outcome = fresh ? undefined : this.#reads.get(url);
		if (outcome === undefined) {
			outcome = this.#send('GET', url);
			this.#reads.set(url, outcome);
		}
		return await outcome;
	}

	async #send(method: 'GET' | 'POST', url: string, body?: IDataObject): Promise<Outcome> {
		const longestWait = this.#settings.maxRateLimitWait * 1000;
		let limitedInARow = 0;
		for (let attempts = 1; ; attempts++) {
			await this.#pacing.take(longestWait, this.#signal);
			const attempt = await this.#attempt(method, url, body);
			const decision = decide(attempt, method === 'GET', attempts);

			if (decision === 'wait' && attempt.kind === 'answered') {
				limitedInARow++;
				attempts = 0;
				const { response } = attempt;
				const wait = waitAfterLimit(response.headers, this.#pacing.clock.now(), limitedInARow);
				if (wait > longestWait || limitedInARow > mostLimitedInARow) {
					return { kind: 'limited', response, resetsAt: Date.now() + wait };
				}
				this.#pacing.block(wait);
				continue;
			}
			if (decision === 'again') {
				await this.pause(backoff(attempts));
				continue;
			}
			if (decision === 'ambiguous') return { kind: 'ambiguous', cause: causeOf(attempt) };
			if (attempt.kind !== 'answered') return { kind: 'unreachable', code: attempt.code };
			return { kind: 'answered', response: attempt.response };
		}
	}

	async #attempt(
		method: 'GET' | 'POST',
		url: string,
		body: IDataObject | undefined,
	): Promise<Attempt> {
		const options: IHttpRequestOptions = {
			method,
			url,
			...(body !== undefined && { body }),
			headers: { Accept: 'application/json' },
			timeout: this.#settings.timeout * 1000,
			// The body as it came: whether it is JSON is for us to see.
			encoding: 'text',
			returnFullResponse: true,
			// Errors as values: n8n would wrap them in a NodeApiError whose text cannot be changed, and send a 401 twice.
			ignoreHttpStatusErrors: true,
			// The key must not follow a redirect to another origin.
			disableFollowRedirect: true,
		};
		let headers: Record<string, string> | undefined;
		try {
			const answer = (await this.#context.helpers.httpRequestWithAuthentication.call(
				this.#context as IAllExecuteFunctions,
				credentialName,
				options,
			)) as { statusCode: number; headers: Record<string, unknown>; body: unknown };
			headers = plainHeaders(answer.headers);
			const text =
				typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? '');
			return {
				kind: 'answered',
				response: { url, statusCode: answer.statusCode, headers, text, json: parseJson(text) },
			};
		} catch (error) {
			// The user cancelled: nothing is to be read into it, and nothing to be sent again.
			if (this.#signal?.aborted) {
				throw new NodeApiError(this.#context.getNode(), { message: 'The execution was canceled' });
			}
			const code = networkCodeOf(error);
			return { kind: wasNeverSent(code) ? 'notSent' : 'interrupted', code };
		} finally {
			this.#pacing.settle(headers);
		}
	}
}

/** The base URL of the credential without blanks around it and slashes at its end; undefined when it is no web address. */
function readBaseUrl(value: unknown): string | undefined {
	const text = typeof value === 'string' ? value.trim().replace(/[\s/]+$/, '') : '';
	try {
		const url = new URL(text);
		const isWebAddress = url.protocol === 'https:' || url.protocol === 'http:';
		const isBare =
			url.search === '' && url.hash === '' && url.username === '' && url.password === '';
		return isWebAddress && isBare ? text : undefined;
	} catch {
		return undefined;
	}
}

function plainHeaders(headers: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
	);
}

/** The code of Node.js, TLS or axios, wherever in the chain of causes n8n has put it. */
function networkCodeOf(error: unknown): string {
	let current = error;
	for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
		if ('code' in current && typeof current.code === 'string' && current.code !== '') {
			return current.code;
		}
		current = 'cause' in current ? current.cause : undefined;
	}
	return 'unknown';
}

function causeOf(attempt: Attempt): string {
	return attempt.kind === 'answered' ? `HTTP ${attempt.response.statusCode}` : attempt.code;
}
