/** The endpoints of service-api.md. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import { refusalAnswer } from './answers.mts';
import type { Credits } from './credits.mts';
import type { Exchanges } from './exchanges.mts';
import { Refusal } from './refusal.mts';
import { exchangeStatuses, type Announce, type ExchangeStatus } from './records.mts';
import { addBodyParsers, needsJson, toRefusal } from './server.mts';
import type { Service } from './service.mts';
import { addVisits, type VisitParts } from './visits.mts';
import type { Watchdog } from './watchdog.mts';
import {
	wireAnswer,
	wireBalance,
	wireExchange,
	wireList,
	wireSite,
	wireWatchdogEvent,
	type Json,
} from './wire.mts';

export interface ApiParts extends VisitParts {
	service: Service;
	credits: Credits;
	exchanges: Exchanges;
	watchdog: Watchdog;
	activity: Announce;
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

/** Adds the API under /api. */
export function addApi(root: FastifyInstance, parts: ApiParts): void {
	void root.register(
		(app, _options, done) => {
			addVisits(app, parts);
			addBodyParsers(app);
			app.setErrorHandler((error: FastifyError, request, reply) =>
				answerRefusal(toRefusal(error, parts.activity), request, reply, parts),
			);
			app.setNotFoundHandler((request, reply) =>
				answerRefusal(
					new Refusal(
						404,
						'not_found',
						`There is no ${request.method} ${pathOf(request)}. The endpoints begin with /api.`,
					),
					request,
					reply,
					parts,
				),
			);
			addEndpoints(app, parts);
			done();
		},
		{ prefix: '/api' },
	);
}

function addEndpoints(
	app: FastifyInstance,
	{ settings, service, credits, exchanges, watchdog }: ApiParts,
): void {
	const list = (
		request: FastifyRequest,
		reply: FastifyReply,
		resource: 'sites' | 'exchanges' | 'watchdog',
		records: Json[],
	) => {
		const address = new URL(request.url, `http://${request.headers.host ?? 'localhost'}`);
		const number = Number(address.searchParams.get('page') ?? 1);
		const { body, link } = wireList(resource, records, { number, address }, settings.dialect);
		if (link !== undefined) void reply.header('link', link);
		return body;
	};

	app.get('/sites', { schema: listSchema }, (request, reply) =>
		list(request, reply, 'sites', service.sites().map(wireSite)),
	);

	app.post<{ Body: { url: string; niche: string } }>(
		'/sites',
		{ schema: siteSchema, preValidation: needsJson, preHandler: needsWrites },
		(request, reply) => {
			const site = service.addSite({ url: request.body.url, niche: request.body.niche });
			return write(reply, settings.dialect.createSite, wireSite(site), 'site');
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
				exchanges.list(request.query.status).map((each) => wireExchange(each, settings.dialect)),
			),
	);

	app.post<{ Params: { id: string } }>(
		'/exchanges/:id/accept',
		{ preHandler: needsWrites },
		(request, reply) => {
			const exchange = service.accept(request.params.id);
			return write(
				reply,
				settings.dialect.accept,
				wireExchange(exchange, settings.dialect),
				'exchange',
			);
		},
	);

	app.get('/credits/balance', () =>
		wireBalance(credits.balance(), credits.entries(), settings.dialect),
	);

	app.get('/watchdog/events', { schema: listSchema }, (request, reply) =>
		list(
			request,
			reply,
			'watchdog',
			watchdog.list().map((each) => wireWatchdogEvent(each, settings.dialect)),
		),
	);

	refuseOtherMethods(app);

	function needsWrites(
		_request: FastifyRequest,
		_reply: FastifyReply,
		done: (error?: Error) => void,
	): void {
		if (settings.readOnly)
			done(
				new Refusal(
					403,
					'write_not_available',
					'Write endpoints are not available yet. They roll out in Q3 2026.',
				),
			);
		else done();
	}
}

function write(
	reply: FastifyReply,
	variant: string,
	record: Json,
	name: 'site' | 'exchange',
): FastifyReply {
	const [status, form] = variant.split('-') as [string, 'record' | 'envelope' | 'data' | 'empty'];
	return reply.code(Number(status)).send(wireAnswer(record, name, form));
}

const endpointMethods: Record<string, string[]> = {
	'/sites': ['GET', 'HEAD', 'POST'],
	'/exchanges': ['GET', 'HEAD'],
	'/exchanges/:id/accept': ['POST'],
	'/credits/balance': ['GET', 'HEAD'],
	'/watchdog/events': ['GET', 'HEAD'],
};

function refuseOtherMethods(app: FastifyInstance): void {
	for (const [url, allowed] of Object.entries(endpointMethods)) {
		const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
			(each) => !allowed.includes(each),
		);
		app.route({
			method,
			url,
			handler: (request, reply) => {
				void reply.header('allow', allowed.join(', '));
				throw new Refusal(
					405,
					'method_not_allowed',
					`${request.method} is not possible here. Possible: ${allowed.join(', ')}.`,
				);
			},
		});
	}
}

function pathOf(request: FastifyRequest): string {
	return request.url.split('?', 1)[0] ?? '/';
}

function answerRefusal(
	refusal: Refusal,
	request: FastifyRequest,
	reply: FastifyReply,
	{ settings, clock, activity }: ApiParts,
): FastifyReply {
	const quota = request.visit?.quota ?? {
		allowed: true,
		remaining: 0,
		resetsAt: clock(),
		period: 'minute' as const,
	};
	activity('refused', `${request.method} ${pathOf(request)} refused: ${refusal.message}`, {
		code: refusal.code,
	});
	const { status, headers, body } = refusalAnswer(refusal, settings.dialect, quota, clock());
	return reply.code(status).headers(headers).send(body);
}
