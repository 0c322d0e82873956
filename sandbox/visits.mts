/** One request of the API from the door to the books: key, quota, faults, record. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { ActiveFault, Faults, RequestFaultKind } from './faults.mts';
import type { ApiKeys } from './keys.mts';
import { resetHeader, secondsUntil, type Limits, type Quota } from './limits.mts';
import type { ApiKey } from './records.mts';
import { Refusal } from './refusal.mts';
import type { Settings } from './settings.mts';
import type { Store } from './store.mts';

export interface VisitParts {
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

export interface Visit {
	receivedAt: number;
	key: ApiKey | undefined;
	quota: Quota;
	fault: (ActiveFault & { kind: RequestFaultKind }) | undefined;
	inFlight: number;
}

declare module 'fastify' {
	interface FastifyRequest {
		visit: Visit | undefined;
	}
}

/** Requests without a valid key share one quota, so that nobody can try keys without end. */
const anonymousKeyId = 0;

/** Adds the hooks that every request of the API goes through; `applies` says which requests belong to the API. */
export function addVisits(app: FastifyInstance, parts: VisitParts): void {
	const { store, clock, settings, keys, limits, faults } = parts;
	let inFlight = 0;
	app.decorateRequest('visit', undefined);

	app.addHook('onRequest', async (request, reply) => {
		const visit = begin(request, reply);
		await pause(parts.latencyMilliseconds);
		const { fault } = visit;
		if (fault?.kind === 'cut-before-commit') {
			book(request, undefined);
			reply.hijack();
			request.raw.socket.destroy();
			return;
		}
		if (fault?.kind === 'delay-before-commit') await pause(fault.milliseconds);
		if (fault?.kind === 'error-before-commit')
			throw new Refusal(
				fault.status,
				'service_unavailable',
				'The service is not available at the moment.',
			);
		admit(request, visit);
	});

	app.addHook('onSend', async (request, reply, payload) => {
		const fault = request.visit?.fault;
		if (fault?.kind === 'delay-after-commit') await pause(fault.milliseconds);
		const altered = fault ? alter(fault, reply, payload) : payload;
		if (fault?.kind === 'cut-after-commit') {
			book(request, undefined);
			request.raw.socket.destroy();
		} else book(request, reply.statusCode);
		return altered;
	});

	/** Called for what never reaches a route too, so that those answers carry the headers as well. */
	function begin(request: FastifyRequest, reply: FastifyReply): Visit {
		inFlight += 1;
		reply.raw.once('close', () => {
			inFlight -= 1;
		});
		const path = request.url;
		const key = presentedKey(request, keys);
		const receivedAt = clock();
		const fault = faults.takeForRequest(request.method, path);
		const valid = key && key.revokedAt === undefined ? key : undefined;
		const quota = limits.use(valid?.id ?? anonymousKeyId, settings.plan);
		const visit: Visit = { receivedAt, key, quota, fault, inFlight };
		request.visit = visit;
		const { dialect } = settings;
		const skewMilliseconds =
			dialect.clockSkewSeconds * 1000 + (fault?.kind === 'clock-skew' ? fault.milliseconds : 0);
		const shownDialect = { ...dialect, clockSkewSeconds: skewMilliseconds / 1000 };
		void reply.headers({
			'x-ratelimit-remaining': String(quota.remaining),
			'x-ratelimit-reset': resetHeader(quota.resetsAt, receivedAt, shownDialect),
			...(skewMilliseconds === 0
				? {}
				: { date: new Date(receivedAt + skewMilliseconds).toUTCString() }),
		});
		return visit;
	}

	/** @throws Refusal when the request may not go on */
	function admit(request: FastifyRequest, visit: Visit): void {
		const { quota, key } = visit;
		if (!quota.allowed) {
			const wait = secondsUntil(quota.resetsAt, visit.receivedAt);
			throw new Refusal(
				429,
				'rate_limit_exceeded',
				`You have reached your plan's limit of requests per ${quota.period}. Try again in ${wait} seconds.`,
			);
		}
		if (request.is404) return;
		if (!key) throw missingKey(request);
		if (key.revokedAt !== undefined)
			throw new Refusal(
				401,
				'revoked_token',
				'This API key has been revoked. Make a new one under Settings, API Keys.',
			);
		if (settings.plan === 'none')
			throw new Refusal(
				403,
				'plan_without_api',
				'Your plan has no API access. It is part of the Pro and Agency plans.',
			);
	}

	/** Before the answer leaves, so that whoever has the answer finds the request in the books. */
	function book(request: FastifyRequest, status: number | undefined): void {
		const { visit } = request;
		if (!visit) return;
		const route = request.is404 ? undefined : request.routeOptions.url;
		const id = (request.params as Record<string, string> | undefined)?.id;
		store.run(
			'INSERT INTO requests (received_at, key_id, method, path, endpoint, exchange_id, status, fault, in_flight) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
			visit.receivedAt,
			visit.key?.id ?? null,
			request.method,
			request.url,
			route === undefined ? null : `${request.method} ${route}`,
			id ?? null,
			status ?? null,
			visit.fault?.kind ?? null,
			visit.inFlight,
		);
	}

	async function pause(milliseconds: number): Promise<void> {
		if (milliseconds > 0)
			await sleep(milliseconds, undefined, { signal: parts.closing }).catch(() => undefined);
	}
}

function alter(fault: ActiveFault, reply: FastifyReply, payload: unknown): unknown {
	switch (fault.kind) {
		case 'error-after-commit':
			void reply.code(fault.status).type('application/json; charset=utf-8');
			return JSON.stringify({
				error: {
					code: 'service_unavailable',
					message: 'The service is not available at the moment.',
				},
			});
		case 'not-json':
			void reply.type('text/html; charset=utf-8');
			return '<!doctype html><title>Welcome</title><p>This is not the answer that you are looking for.</p>';
		case 'malformed-json':
			void reply.type('application/json; charset=utf-8');
			return typeof payload === 'string' && payload.length > 1
				? payload.slice(0, Math.ceil(payload.length / 2))
				: '{"';
		case 'wrong-content-type':
			void reply.type('text/plain; charset=utf-8');
			return payload;
		default:
			return payload;
	}
}

function presentedKey(request: FastifyRequest, keys: ApiKeys): ApiKey | undefined {
	const token = /^Bearer +([\x21-\x7e]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
	return token === undefined ? undefined : keys.find(token);
}

function missingKey(request: FastifyRequest): Refusal {
	const { authorization } = request.headers;
	if (authorization === undefined) {
		return new Refusal(
			401,
			'missing_token',
			'The request has no Authorization header. Send Authorization: Bearer <API_KEY>.',
		);
	}
	if (!/^Bearer +[\x21-\x7e]{1,200}$/i.test(authorization)) {
		return new Refusal(
			401,
			'malformed_token',
			'The Authorization header has to be the word Bearer, a blank and your API key.',
		);
	}
	return new Refusal(
		401,
		'invalid_token',
		'This API key does not exist. Make one under Settings, API Keys.',
	);
}
