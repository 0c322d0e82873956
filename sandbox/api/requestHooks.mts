/** What every request of the API goes through: key, quota, faults, and its record in the books. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import type { ActiveFault, Faults, RequestFaultKind } from '../faults.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Limits, Quota } from '../service/limits.mts';
import type { Settings } from '../settings.mts';
import type { ApiKey } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { errorResponse } from '../wire/errors.mts';
import { resetHeader, secondsUntil } from '../wire/rateLimitHeaders.mts';

export interface RequestHookParts {
	store: Store;
	clock: () => number;
	settings: Settings;
	keys: ApiKeys;
	limits: Limits;
	faults: Faults;
	latencyMilliseconds: number;
	/** Ends the delays when the sandbox closes. */
	closing: AbortSignal;
}

type RequestFault = ActiveFault & { kind: RequestFaultKind };

/** What the sandbox knows about a request that is under way. */
export interface ReceivedRequest {
	receivedAt: number;
	key: ApiKey | undefined;
	quota: Quota;
	fault: RequestFault | undefined;
	inFlight: number;
}

declare module 'fastify' {
	interface FastifyRequest {
		received: ReceivedRequest | undefined;
	}
}

/** Requests without a valid key share one quota, so that nobody can try keys without end. */
const anonymousKeyId = 0;

const json = 'application/json; charset=utf-8';

/** Adds the hooks. They also run for requests that reach no route, so that those answers carry the limit headers too. */
export function addRequestHooks(app: FastifyInstance, parts: RequestHookParts): void {
	const { store, clock, settings, keys, limits, faults } = parts;
	let inFlight = 0;
	app.decorateRequest('received', undefined);

	app.addHook('onRequest', async (request, reply) => {
		const received = receive(request, reply);
		await pause(parts.latencyMilliseconds);
		if (received.fault) await beforeCommit(received.fault, request, reply);
		if (!reply.sent) admit(request, received);
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const fault = request.received?.fault;
		const sent = fault ? await afterCommit(fault, request, reply, payload) : payload;
		// A connection that the sandbox has cut has no status; one that the client has left has that of the answer.
		book(request, fault?.kind === 'cut-after-commit' ? undefined : reply.statusCode);
		return sent;
	});

	/** Notes a request, counts it against the quota of its key, and sets the headers that every answer has. */
	function receive(request: FastifyRequest, reply: FastifyReply): ReceivedRequest {
		inFlight += 1;
		reply.raw.once('close', () => {
			inFlight -= 1;
		});
		const key = presentedKey(request, keys);
		const receivedAt = clock();
		const fault = faults.takeForRequest(request.method, request.url);
		const valid = key && key.revokedAt === undefined ? key : undefined;
		const quota = limits.use(valid?.id ?? anonymousKeyId, settings.plan);
		const { dialect } = settings;
		const received: ReceivedRequest = { receivedAt, key, quota, fault, inFlight };
		request.received = received;
		void reply.headers({
			'x-ratelimit-remaining': String(quota.remaining),
			'x-ratelimit-reset': resetHeader(quota.resetsAt, receivedAt, dialect),
			// This is the clock of the service, which need not be that of the process.
			date: new Date(receivedAt + dialect.clockSkewSeconds * 1000).toUTCString(),
		});
		return received;
	}

	/** Does what a fault does before the request is carried out. */
	async function beforeCommit(
		{ kind, milliseconds, status, body }: RequestFault,
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<void> {
		if (kind === 'delay-before-commit') await pause(milliseconds);
		else if (kind === 'error-before-commit') throw serviceUnavailable(status);
		else if (kind === 'answer-before-commit') {
			await reply.code(status).type(typeOf(body)).send(body);
		} else if (kind === 'cut-before-commit') {
			book(request, undefined);
			reply.hijack();
			request.raw.socket.destroy();
		}
	}

	/**
	 * Does what a fault does after the request was carried out.
	 * @param payload the body of the right answer
	 * @returns the body that is sent
	 */
	async function afterCommit(
		fault: RequestFault,
		request: FastifyRequest,
		reply: FastifyReply,
		payload: unknown,
	): Promise<unknown> {
		switch (fault.kind) {
			case 'delay-after-commit':
				await pause(fault.milliseconds);
				return payload;
			case 'cut-after-commit':
				request.raw.socket.destroy();
				return payload;
			case 'error-after-commit': {
				const { status, headers, body } = errorResponse(
					serviceUnavailable(fault.status),
					settings.dialect,
					request.received?.quota.resetsAt ?? 0,
					clock(),
				);
				void reply.code(status).headers(headers);
				return body;
			}
			case 'answer-after-commit':
				void reply.code(fault.status).type(typeOf(fault.body));
				return fault.body;
			case 'malformed-json':
				void reply.type(json);
				return firstHalf(payload);
			default:
				return payload;
		}
	}

	/** @throws ServiceError when the request may not go on */
	function admit(request: FastifyRequest, { quota, key, receivedAt }: ReceivedRequest): void {
		if (!quota.allowed) {
			const wait = secondsUntil(quota.resetsAt, receivedAt);
			throw new ServiceError(
				429,
				'rate_limit_exceeded',
				`You have reached your plan's limit of requests per ${quota.period}. Try again in ${wait} seconds.`,
			);
		}
		if (request.is404) return;
		if (!key) throw missingKey(request);
		if (key.revokedAt !== undefined) {
			throw new ServiceError(
				401,
				'revoked_token',
				'This API key has been revoked. Make a new one under Settings, API Keys.',
			);
		}
		if (settings.plan === 'none') {
			throw new ServiceError(
				403,
				'plan_without_api',
				'Your plan has no API access. It is part of the Pro and Agency plans.',
			);
		}
	}

	/** Writes a request into the books. That is done before its answer leaves, so that whoever has the answer finds it there. */
	function book(request: FastifyRequest, status: number | undefined): void {
		const { received } = request;
		if (!received) return;
		const route = request.is404 ? undefined : request.routeOptions.url;
		const id = (request.params as Record<string, string> | undefined)?.id;
		store.run(
			'INSERT INTO requests (received_at, key_id, method, path, endpoint, exchange_id, status, fault, in_flight) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
			received.receivedAt,
			received.key?.id ?? null,
			request.method,
			request.url,
			route === undefined ? null : `${request.method} ${route}`,
			id ?? null,
			status ?? null,
			received.fault?.kind ?? null,
			received.inFlight,
		);
	}

	async function pause(milliseconds: number): Promise<void> {
		if (milliseconds > 0) {
			await sleep(milliseconds, undefined, { signal: parts.closing }).catch(() => undefined);
		}
	}
}

const bearer = /^Bearer +([\x21-\x7e]{1,200})$/i;

function presentedKey(request: FastifyRequest, keys: ApiKeys): ApiKey | undefined {
	const token = bearer.exec(request.headers.authorization ?? '')?.[1];
	return token === undefined ? undefined : keys.find(token);
}

function missingKey(request: FastifyRequest): ServiceError {
	const { authorization } = request.headers;
	if (authorization === undefined) {
		return new ServiceError(
			401,
			'missing_token',
			'The request has no Authorization header. Send Authorization: Bearer <API_KEY>.',
		);
	}
	if (!bearer.test(authorization)) {
		return new ServiceError(
			401,
			'malformed_token',
			'The Authorization header has to be the word Bearer, a blank and your API key.',
		);
	}
	return new ServiceError(
		401,
		'invalid_token',
		'This API key does not exist. Make one under Settings, API Keys.',
	);
}

function serviceUnavailable(status: number): ServiceError {
	return new ServiceError(
		status,
		'service_unavailable',
		'The service is not available at the moment.',
	);
}

function typeOf(body: string): string {
	return body.startsWith('<') ? 'text/html; charset=utf-8' : json;
}

/** The first half of a JSON body, as a proxy passes it on when the connection behind it breaks. */
function firstHalf(payload: unknown): string {
	return typeof payload === 'string' && payload.length > 1
		? payload.slice(0, Math.ceil(payload.length / 2))
		: '{"';
}
