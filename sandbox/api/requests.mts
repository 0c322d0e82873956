/** Hooks for all API requests: API key, rate limit, faults, and the request log. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import type { ActiveFault } from '../faults.mts';
import { type ErrorResponse, errorResponse } from '../serialization/errors.mts';
import { resetHeader, secondsUntil } from '../serialization/rateLimitHeaders.mts';
import { findKey } from '../service/keys.mts';
import type { Quota } from '../service/limits.mts';
import type { Service } from '../service/service.mts';
import type { ApiKey } from '../store/records.mts';

/** A request that is being processed. */
interface ReceivedRequest {
	receivedAt: number;
	key: ApiKey | undefined;
	quota: Quota;
	fault: ActiveFault | undefined;
	inFlight: number;
}

declare module 'fastify' {
	interface FastifyRequest {
		received: ReceivedRequest | undefined;
	}
}

/**
 * Requests without a valid key share one quota, so that nobody can try out keys without a limit.
 */
const anonymousKeyId = 0;

const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i;

/**
 * Adds the hooks.
 *
 * They also run for requests without a route, so that every response carries the rate limit
 * headers.
 *
 * @param latencyMilliseconds delay of every response
 * @param closing aborts the delays when the sandbox closes
 */
export function addRequestHooks(
	app: FastifyInstance,
	service: Service,
	latencyMilliseconds: number,
	closing: AbortSignal,
): void {
	const { store, settings, limits, faults } = service;
	let inFlight = 0;
	app.decorateRequest('received', undefined);

	app.addHook('onRequest', async (request, reply) => {
		const received = startRequest(request, reply);
		await pause(latencyMilliseconds);
		const { kind, milliseconds } = received.fault ?? {};
		if (kind === 'delay-before-commit') await pause(milliseconds);
		if (kind === 'cut-before-commit') {
			recordRequest(request, undefined);
			reply.hijack();
			request.raw.socket.destroy();
		} else if (kind === 'error-before-commit' || kind === 'answer-before-commit') {
			const { status, headers, body } = createFaultResponse(received);
			await reply.code(status).headers(headers).send(body);
		} else authorize(request, received);
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const { received } = request;
		const kind = received?.fault?.kind;
		let sent = payload;
		if (kind === 'delay-after-commit') await pause(received?.fault?.milliseconds);
		else if (kind === 'cut-after-commit') request.raw.socket.destroy();
		else if (kind === 'malformed-json') sent = firstHalf(payload);
		else if (received && (kind === 'error-after-commit' || kind === 'answer-after-commit')) {
			const { status, headers, body } = createFaultResponse(received);
			void reply.code(status).headers(headers);
			sent = body;
		}
		// If the sandbox cut the connection, there is no status. If the client left, the status of the
		// response counts.
		recordRequest(request, kind === 'cut-after-commit' ? undefined : reply.statusCode);
		return sent;
	});

	/**
	 * Counts a request against the quota of its key, and sets the headers that every response has.
	 */
	function startRequest(request: FastifyRequest, reply: FastifyReply): ReceivedRequest {
		inFlight += 1;
		reply.raw.once('close', () => {
			inFlight -= 1;
		});
		const token = bearer.exec(request.headers.authorization ?? '')?.[1];
		const key = token === undefined ? undefined : findKey(store, token);
		const receivedAt = store.now();
		const fault = faults.takeForRequest(request.method, request.url);
		const isValid = key && key.revokedAt === undefined;
		const quota = limits.use(isValid ? key.id : anonymousKeyId, settings.plan);
		const { dialect } = settings;
		request.received = { receivedAt, key, quota, fault, inFlight };
		void reply.headers({
			'x-ratelimit-remaining': String(quota.remaining),
			'x-ratelimit-reset': resetHeader(quota.resetsAt, receivedAt, dialect),
			// The clock of the service, which may differ from the clock of the process.
			date: new Date(receivedAt + dialect.clockSkewSeconds * 1000).toUTCString(),
		});
		return request.received;
	}

	/** Creates the response that a fault replaces the real one with. */
	function createFaultResponse({ fault, quota }: ReceivedRequest): ErrorResponse {
		const { kind = '', status = 503, body = '' } = fault ?? {};
		if (kind.startsWith('answer')) {
			const type = body.startsWith('<') ? 'text/html' : 'application/json';
			return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body };
		}
		const message = "The service isn't available at the moment.";
		const error = new ServiceError(status, 'service_unavailable', message);
		return errorResponse(error, settings.dialect, quota.resetsAt, store.now());
	}

	/**
	 * @throws {ServiceError} if the request is over the limit, has no valid key, or the plan has no
	 * API access
	 */
	function authorize(request: FastifyRequest, { quota, key, receivedAt }: ReceivedRequest): void {
		if (!quota.allowed) {
			const wait = secondsUntil(quota.resetsAt, receivedAt);
			throw new ServiceError(
				429,
				'rate_limit_exceeded',
				`You have reached your plan's limit of requests per ${quota.period}. Try again in ${wait} seconds.`,
			);
		}
		if (request.is404) return;
		if (key?.revokedAt !== undefined || !key) {
			throw createTokenError(request.headers.authorization, key);
		}
		if (settings.plan === 'none') {
			throw new ServiceError(
				403,
				'plan_without_api',
				'Your plan has no API access. It is part of the Pro and Agency plans.',
			);
		}
	}

	/**
	 * Logs a request.
	 *
	 * This happens before the response is sent, so that its receiver finds the request in the log.
	 */
	function recordRequest(request: FastifyRequest, status: number | undefined): void {
		const { received, method, url, params, is404, routeOptions } = request;
		if (!received) return;
		const { key, fault, receivedAt, inFlight } = received;
		store.insert('requests', {
			receivedAt,
			keyId: key?.id,
			method,
			path: url,
			endpoint: is404 ? undefined : `${method} ${routeOptions.url ?? ''}`,
			exchangeId: (params as { id?: string } | undefined)?.id,
			status,
			fault: fault?.kind,
			inFlight,
		});
	}

	async function pause(milliseconds = 0): Promise<void> {
		if (milliseconds > 0) {
			await sleep(milliseconds, undefined, { signal: closing }).catch(() => undefined);
		}
	}
}

/** Creates the error for a missing, malformed, unknown or revoked API key. */
function createTokenError(
	authorization: string | undefined,
	key: ApiKey | undefined,
): ServiceError {
	const createError = (code: string, message: string) => new ServiceError(401, code, message);
	if (authorization === undefined) {
		return createError(
			'missing_token',
			'The request has no Authorization header. Send Authorization: Bearer <API_KEY>.',
		);
	}
	if (!bearer.test(authorization)) {
		return createError(
			'malformed_token',
			'The Authorization header must contain the word Bearer, a space and your API key.',
		);
	}
	return key
		? createError(
				'revoked_token',
				'This API key is revoked. Create a new key under Settings > API Keys.',
			)
		: createError(
				'invalid_token',
				"This API key doesn't exist. Create a key under Settings > API Keys.",
			);
}

/**
 * Returns the first half of a JSON body, as a proxy passes it on when its connection to the service
 * breaks.
 */
function firstHalf(payload: unknown): string {
	const body = typeof payload === 'string' ? payload : '';
	return body.slice(0, Math.ceil(body.length / 2)) || '{"';
}
