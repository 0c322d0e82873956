/** What every request of the API goes through: key, quota, faults, and its record in the books. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Dialect } from '../dialects.mts';
import { ServiceError } from '../errors.mts';
import type { ActiveFault, Faults, RequestFaultKind } from '../faults.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Limits, Quota } from '../service/limits.mts';
import type { Settings } from '../settings.mts';
import type { ApiKey } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { errorResponse } from '../wire/errors.mts';
import { nonsenseOf } from '../wire/nonsense.mts';
import { withOddEntries } from '../wire/oddEntries.mts';
import { resetHeader, secondsUntil } from '../wire/rateLimitHeaders.mts';
import { malformed, notJson, serviceUnavailable } from './faultyResponses.mts';

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
	/** The dialect that was set then, with the clock that every header of the answer shows. */
	dialect: Dialect;
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
		const skewMilliseconds =
			settings.dialect.clockSkewSeconds * 1000 +
			(fault?.kind === 'clock-skew' ? fault.milliseconds : 0);
		const dialect = { ...settings.dialect, clockSkewSeconds: skewMilliseconds / 1000 };
		const received: ReceivedRequest = { receivedAt, key, quota, fault, dialect, inFlight };
		request.received = received;
		void reply.headers({
			'x-ratelimit-remaining': String(quota.remaining),
			'x-ratelimit-reset': resetHeader(quota.resetsAt, receivedAt, dialect),
			// This is the clock of the service, which need not be that of the process.
			date: new Date(receivedAt + skewMilliseconds).toUTCString(),
		});
		return received;
	}

	/** Does what a fault does before the request is carried out. */
	async function beforeCommit(
		fault: RequestFault,
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<void> {
		switch (fault.kind) {
			case 'cut-before-commit':
				book(request, undefined);
				reply.hijack();
				request.raw.socket.destroy();
				return;
			case 'delay-before-commit':
				await pause(fault.milliseconds);
				return;
			case 'error-before-commit':
				throw serviceUnavailable(fault.status);
			case 'answer-before-commit':
				await reply.code(fault.status).type(json).send(fault.body);
				return;
			case 'cut-after-commit':
			case 'delay-after-commit':
			case 'error-after-commit':
			case 'not-json':
			case 'malformed-json':
			case 'wrong-content-type':
			case 'nonsense':
			case 'answer-after-commit':
			case 'odd-entries':
				// `afterCommit` does these.
				return;
			case 'clock-skew':
				// `receive` has set the headers in which the clock shows.
				return;
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
				// The dialect says what errors look like: behind a proxy (errorBody), or in a 200 (errorStatus).
				const { status, headers, body } = errorResponse(
					serviceUnavailable(fault.status),
					settings.dialect,
					request.received?.quota.resetsAt ?? 0,
					clock(),
				);
				void reply.code(status).headers(headers);
				return body;
			}
			case 'not-json':
				void reply.type('text/html; charset=utf-8');
				return notJson;
			case 'malformed-json':
				void reply.type(json);
				return malformed(payload);
			case 'wrong-content-type':
				void reply.type('text/plain; charset=utf-8');
				return payload;
			case 'nonsense':
				void reply.type(json);
				return nonsenseOf(typeof payload === 'string' ? payload : '', fault.random);
			case 'answer-after-commit':
				void reply.code(fault.status).type(json);
				return fault.body;
			case 'odd-entries':
				return typeof payload === 'string' ? withOddEntries(payload, fault.random) : payload;
			case 'cut-before-commit':
			case 'delay-before-commit':
			case 'error-before-commit':
			case 'answer-before-commit':
			case 'clock-skew':
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
