/** The API under /api: the endpoints of service-api.md and their error responses. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import {
	balanceBody,
	exchangeBody,
	type Json,
	siteBody,
	watchdogEventBody,
	writeResponse,
} from '../serialization/bodies.mts';
import { errorResponse } from '../serialization/errors.mts';
import { listBody } from '../serialization/lists.mts';
import { getPath, parseFields, requireJson, text, toServiceError } from '../server.mts';
import { asListed } from '../service/exchanges.mts';
import type { Service } from '../service/service.mts';
import { type ExchangeStatus, exchangeStatuses } from '../store/records.mts';
import { addRequestHooks } from './requests.mts';

/**
 * Adds the API.
 *
 * @param latencyMilliseconds delay of every response
 * @param closing aborts the delays when the sandbox closes
 * @returns the endpoints, such as `GET /api/sites`; complete as soon as the server listens
 */
export function addApi(
	root: FastifyInstance,
	service: Service,
	latencyMilliseconds: number,
	closing: AbortSignal,
): string[] {
	const endpoints: string[] = [];
	void root.register(
		(app, _options, done) => {
			app.addHook('onRoute', ({ url, method }) => {
				if (method !== 'HEAD') endpoints.push(`${String(method)} ${url}`);
			});
			addRequestHooks(app, service, latencyMilliseconds, closing);
			app.setErrorHandler((error: FastifyError, request, reply) =>
				sendError(toServiceError(error, service), request, reply, service),
			);
			app.setNotFoundHandler((request, reply) =>
				sendError(createNotFoundError(request, reply, endpoints), request, reply, service),
			);
			addEndpoints(app, service);
			done();
		},
		{ prefix: '/api' },
	);
	return endpoints;
}

/** Adds the endpoints of service-api.md, "Endpoints", and no others. */
function addEndpoints(app: FastifyInstance, service: Service): void {
	const { settings, books, store } = service;

	const list = (
		request: FastifyRequest,
		reply: FastifyReply,
		resource: 'sites' | 'exchanges' | 'watchdog',
		records: Json[],
	) => {
		const { body, link } = listBody(resource, records, getListUrl(request), settings.dialect);
		if (link !== undefined) void reply.header('link', link);
		return body === undefined ? reply.code(204).send() : body;
	};

	app.get('/sites', (request, reply) => {
		const records = books.sites().map((site) => siteBody(site, store.now()));
		return list(request, reply, 'sites', records);
	});

	app.post('/sites', (request, reply) => {
		requireWrites();
		requireJson(request);
		const fields = { url: text(2000, 1), niche: text(200, 1) };
		const { url, niche } = parseFields(request.body, fields, {});
		const record = siteBody(service.addSite({ url, niche }), store.now());
		const { status, body } = writeResponse(record, 'site', settings.dialect.createSite);
		return reply.code(status).send(body);
	});

	app.get('/exchanges', (request, reply) => {
		const showsAll = settings.dialect.exchangeList === 'all';
		const status = parseStatusFilter(request) ?? (showsAll ? undefined : 'pending');
		const records = books.exchanges(status).map((each) => exchangeBody(each, settings.dialect));
		return list(request, reply, 'exchanges', records);
	});

	app.post<{ Params: { id: string } }>('/exchanges/:id/accept', (request, reply) => {
		requireWrites();
		const { dialect } = settings;
		const accepted = asListed(service.accept(request.params.id), store.now());
		const record = exchangeBody(accepted, dialect);
		const { status, body } = writeResponse(record, 'exchange', dialect.accept);
		return reply.code(status).send(body);
	});

	app.get('/credits/balance', () =>
		balanceBody(books.balances(), books.ledger(), settings.dialect),
	);

	app.get('/watchdog/events', (request, reply) => {
		const events = books.watchdogEvents();
		const records = events.map((each) => watchdogEventBody(each, settings.dialect));
		return list(request, reply, 'watchdog', records);
	});

	function requireWrites(): void {
		if (!settings.readOnly) return;
		const message = "Write endpoints aren't available yet. They roll out in Q3 2026.";
		throw new ServiceError(403, 'write_not_available', message);
	}
}

/**
 * Returns the URL of a list request.
 *
 * @throws {ServiceError} if its page isn't a number from 1
 */
function getListUrl(request: FastifyRequest): URL {
	const url = new URL(request.url, `http://${request.headers.host ?? ''}`);
	const page = url.searchParams.get('page') ?? '1';
	if (/^[1-9][0-9]{0,8}$/.test(page)) return url;
	throw new ServiceError(400, 'invalid_request', 'The page must be a whole number from 1.');
}

function parseStatusFilter({ query }: FastifyRequest): ExchangeStatus | undefined {
	const { status } = query as { status?: unknown };
	const known = exchangeStatuses.find((each) => each === status);
	if (known !== undefined || status === undefined) return known;
	const message = `The status must be one of these: ${exchangeStatuses.join(', ')}.`;
	throw new ServiceError(400, 'invalid_request', message);
}

/** Returns 404 for an unknown path, or 405 for a method that the path doesn't have. */
function createNotFoundError(
	request: FastifyRequest,
	reply: FastifyReply,
	endpoints: string[],
): ServiceError {
	const { method } = request;
	const path = getPath(request);
	const allowedMethods = endpoints
		.map((endpoint) => endpoint.split(' ') as [string, string])
		.filter(([, pathname]) => new URLPattern({ pathname }).test({ pathname: path }))
		.map(([each]) => each);
	if (allowedMethods.length === 0) {
		const message = `There is no endpoint ${method} ${path}.`;
		return new ServiceError(404, 'not_found', message);
	}
	void reply.header('allow', allowedMethods.join(', '));
	const message = `This endpoint doesn't support ${method}. Supported: ${allowedMethods.join(', ')}.`;
	return new ServiceError(405, 'method_not_allowed', message);
}

function sendError(
	error: ServiceError,
	request: FastifyRequest,
	reply: FastifyReply,
	service: Service,
): FastifyReply {
	const { settings, store } = service;
	service.logActivity(`The API rejected ${request.method} ${getPath(request)}: ${error.message}`);
	const now = store.now();
	const resetsAt = request.received?.quota.resetsAt ?? now;
	const { status, headers, body } = errorResponse(error, settings.dialect, resetsAt, now);
	return reply.code(status).headers(headers).send(body);
}
