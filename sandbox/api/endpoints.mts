/** The endpoints of service-api.md. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import { needsJson } from '../server.mts';
import type { Service } from '../service/service.mts';
import type { Watchdog } from '../service/watchdog.mts';
import type { Settings } from '../settings.mts';
import { type ExchangeStatus, exchangeStatuses } from '../store/records.mts';
import {
	balanceBody,
	exchangeBody,
	type Json,
	siteBody,
	watchdogEventBody,
	writeBody,
} from '../wire/bodies.mts';
import { listBody } from '../wire/lists.mts';
import { statusAndForm } from '../wire/variants.mts';

export interface EndpointParts {
	settings: Settings;
	service: Service;
	watchdog: Watchdog;
}

const pageSchema = { type: 'string', pattern: '^[1-9][0-9]{0,8}$' } as const;
const listSchema = { querystring: { type: 'object', properties: { page: pageSchema } } };
const exchangesSchema = {
	querystring: {
		type: 'object',
		properties: { page: pageSchema, status: { enum: exchangeStatuses } },
	},
};
const siteSchema = {
	body: {
		type: 'object',
		required: ['url', 'niche'],
		properties: {
			url: { type: 'string', minLength: 1, maxLength: 2000 },
			niche: { type: 'string', minLength: 1, maxLength: 200 },
		},
	},
};

/** Adds each endpoint of the document, and nothing else. */
export function addEndpoints(
	app: FastifyInstance,
	{ settings, service, watchdog }: EndpointParts,
): void {
	const list = (
		request: FastifyRequest,
		reply: FastifyReply,
		resource: 'sites' | 'exchanges' | 'watchdog',
		records: Json[],
	) => {
		const address =
			URL.parse(request.url, `http://${request.headers.host ?? ''}`) ??
			new URL(request.url, 'http://localhost');
		const number = Number(address.searchParams.get('page') ?? 1);
		const { body, link } = listBody(resource, records, { number, address }, settings.dialect);
		if (link !== undefined) void reply.header('link', link);
		return body === undefined ? reply.code(204).send() : body;
	};

	app.get('/sites', { schema: listSchema }, (request, reply) =>
		list(request, reply, 'sites', service.sites().map(siteBody)),
	);

	app.post<{ Body: { url: string; niche: string } }>(
		'/sites',
		{ schema: siteSchema, preValidation: needsJson, preHandler: needsWrites },
		(request, reply) => {
			const site = service.addSite({ url: request.body.url, niche: request.body.niche });
			const { status, form } = statusAndForm(settings.dialect.createSite);
			return reply.code(status).send(writeBody(siteBody(site), 'site', form));
		},
	);

	app.get<{ Querystring: { status?: ExchangeStatus } }>(
		'/exchanges',
		{ schema: exchangesSchema },
		(request, reply) =>
			list(
				request,
				reply,
				'exchanges',
				service
					.listedExchanges(request.query.status)
					.map((each) => exchangeBody(each, settings.dialect)),
			),
	);

	app.post<{ Params: { id: string } }>(
		'/exchanges/:id/accept',
		{ preHandler: needsWrites },
		(request, reply) => {
			const { dialect } = settings;
			const { exchange, outcome } = service.accept(request.params.id);
			const record = exchangeBody(exchange, dialect);
			const { status, form } = statusAndForm(dialect.accept);
			return reply
				.code(outcome === 'unsettled' ? 202 : status)
				.send(writeBody(record, 'exchange', form));
		},
	);

	app.get('/credits/balance', () => {
		const { balance, entries } = service.balance();
		return balanceBody(balance, entries, settings.dialect);
	});

	app.get('/watchdog/events', { schema: listSchema }, (request, reply) =>
		list(
			request,
			reply,
			'watchdog',
			watchdog.list().map((each) => watchdogEventBody(each, settings.dialect)),
		),
	);

	function needsWrites(
		_request: FastifyRequest,
		_reply: FastifyReply,
		done: (error?: Error) => void,
	): void {
		if (settings.readOnly) {
			done(
				new ServiceError(
					403,
					'write_not_available',
					'Write endpoints are not available yet. They roll out in Q3 2026.',
				),
			);
		} else done();
	}
}
