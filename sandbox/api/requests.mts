/** What every request of the API goes through: key, quota, faults, and its record in the books. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import type { ActiveFault } from '../faults.mts';
import { type Answer, errorAnswer } from '../serialization/errors.mts';
import { resetHeader, secondsUntil } from '../serialization/rateLimitHeaders.mts';
import { findKey } from '../service/keys.mts';
import type { Quota } from '../service/limits.mts';
import type { Service } from '../service/service.mts';
import type { ApiKey } from '../store/records.mts';

/** What the sandbox knows about a request that is under way. */
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

/** Requests without a valid key share one quota, so that nobody can try keys without end. */
const anonymousKeyId = 0;

const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i;

/**
 * Adds the hooks. They also run for requests that reach no route, so that those answers carry the limit headers too.
 *
 * @param latencyMilliseconds how long each answer is held back
 * @param closing ends the delays when the sandbox closes
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
		// A connection that the sandbox has cut has no status; one that the client has left has that of the answer.
		recordRequest(request, kind === 'cut-after-commit' ? undefined : reply.statusCode);
		return sent;
	});

	/** Notes a request, counts it against the quota of its key, and sets the headers that every answer has. */
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
			// This is the clock of the service, which need not be that of the process.
			date: new Date(receivedAt + dialect.clockSkewSeconds * 1000).toUTCString(),
		});
		return request.received;
	}

	/** What a fault has a request answered with. */
	function createFaultResponse({ fault, quota }: ReceivedRequest): Answer {
		const { kind = '', status = 503, body = '' } = fault ?? {};
		if (kind.startsWith('answer')) {
			const type = body.startsWith('<') ? 'text/html' : 'application/json';
			return { status, headers: { 'content-type': `${type}; charset=utf-8` }, body };
		}
		const message = 'The service is not available at the moment.';
		const error = new ServiceError(status, 'service_unavailable', message);
		return errorAnswer(error, settings.dialect, quota.resetsAt, store.now());
	}

	/** @throws ServiceError when the request may not go on */
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
		if (key?.revokedAt !== undefined || !key) throw keyRefused(request.headers.authorization, key);
		if (settings.plan === 'none') {
			throw new ServiceError(
				403,
				'plan_without_api',
				'Your plan has no API access. It is part of the Pro and Agency plans.',
			);
		}
	}

	/** Writes a request into the books. That is done before its answer leaves, so that whoever has the answer finds it there. */
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

/** Why a request is refused that has no key, or this one. */
function keyRefused(authorization: string | undefined, key: ApiKey | undefined): ServiceError {
	const refuse = (code: string, message: string) => new ServiceError(401, code, message);
	if (authorization === undefined) {
		return refuse(
			'missing_token',
			'The request has no Authorization header. Send Authorization: Bearer <API_KEY>.',
		);
	}
	if (!bearer.test(authorization)) {
		return refuse(
			'malformed_token',
			'The Authorization header has to be the word Bearer, a blank and your API key.',
		);
	}
	return key
		? refuse(
				'revoked_token',
				'This API key has been revoked. Make a new one under Settings, API Keys.',
			)
		: refuse('invalid_token', 'This API key does not exist. Make one under Settings, API Keys.');
}

/** The first half of a JSON body, as a proxy passes it on when the connection behind it breaks. */
function firstHalf(payload: unknown): string {
	const body = typeof payload === 'string' ? payload : '';
	return body.slice(0, Math.ceil(body.length / 2)) || '{"';
}
