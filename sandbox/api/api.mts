/** The API under /api: the endpoints of service-api.md, and how errors are answered. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import {
	balanceBody,
	exchangeBody,
	type Json,
	siteBody,
	watchdogEventBody,
	writeAnswer,
} from '../serialization/bodies.mts';
import { errorAnswer } from '../serialization/errors.mts';
import { listBody } from '../serialization/lists.mts';
import { getPath, objectWith, requireJson, text, toServiceError } from '../server.mts';
import type { Service } from '../service/service.mts';
import { type ExchangeStatus, exchangeStatuses } from '../store/records.mts';
import { addRequestHooks } from './requests.mts';

/**
 * Adds the API.
 *
 * @param latencyMilliseconds how long each answer is held back
 * @param closing ends the delays when the sandbox closes
 * @returns the endpoints, such as `GET /api/sites`; complete once the server listens
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
				answerError(toServiceError(error, service), request, reply, service),
			);
			app.setNotFoundHandler((request, reply) =>
				answerError(notFound(request, reply, endpoints), request, reply, service),
			);
			addEndpoints(app, service);
			done();
		},
		{ prefix: '/api' },
	);
	return endpoints;
}

/** Adds each endpoint of the document, and nothing else. */
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
		const { url, niche } = objectWith(request.body, fields, {});
		const record = siteBody(service.addSite({ url, niche }), store.now());
		const { status, body } = writeAnswer(record, 'site', settings.dialect.createSite);
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
		const record = exchangeBody(service.accept(request.params.id), dialect);
		const { status, body } = writeAnswer(record, 'exchange', dialect.accept);
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
		const message = 'Write endpoints are not available yet. They roll out in Q3 2026.';
		throw new ServiceError(403, 'write_not_available', message);
	}
}

/** The address of a list, whose page is a number. */
function getListUrl(request: FastifyRequest): URL {
	const address = new URL(request.url, `http://${request.headers.host ?? ''}`);
	const page = address.searchParams.get('page') ?? '1';
	if (/^[1-9][0-9]{0,8}$/.test(page)) return address;
	throw new ServiceError(400, 'invalid_request', 'The page has to be a number from 1.');
}

function parseStatusFilter({ query }: FastifyRequest): ExchangeStatus | undefined {
	const { status } = query as { status?: unknown };
	const known = exchangeStatuses.find((each) => each === status);
	if (known !== undefined || status === undefined) return known;
	const message = `The status has to be one of ${exchangeStatuses.join(', ')}.`;
	throw new ServiceError(400, 'invalid_request', message);
}

/** That there is no such endpoint, or not with this method. */
function notFound(request: FastifyRequest, reply: FastifyReply, endpoints: string[]): ServiceError {
	const { method } = request;
	const path = getPath(request);
	const possible = endpoints
		.map((endpoint) => endpoint.split(' ') as [string, string])
		.filter(([, pathname]) => new URLPattern({ pathname }).test({ pathname: path }))
		.map(([each]) => each);
	if (possible.length === 0) {
		const message = `There is no ${method} ${path}. The endpoints begin with /api.`;
		return new ServiceError(404, 'not_found', message);
	}
	void reply.header('allow', possible.join(', '));
	const message = `${method} is not possible here. Possible: ${possible.join(', ')}.`;
	return new ServiceError(405, 'method_not_allowed', message);
}

function answerError(
	error: ServiceError,
	request: FastifyRequest,
	reply: FastifyReply,
	service: Service,
): FastifyReply {
	const { settings, store } = service;
	service.logActivity(`${request.method} ${getPath(request)} refused: ${error.message}`);
	const now = store.now();
	const resetsAt = request.received?.quota.resetsAt ?? now;
	const { status, headers, body } = errorAnswer(error, settings.dialect, resetsAt, now);
	return reply.code(status).headers(headers).send(body);
}
