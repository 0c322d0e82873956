/** The API under /api: what every request goes through, the endpoints, and the errors. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { LogActivity } from '../activity.mts';
import { ServiceError } from '../errors.mts';
import { addBodyParsers, pathOf, toServiceError } from '../server.mts';
import { errorResponse } from '../wire/errors.mts';
import { addEndpoints, type EndpointParts } from './endpoints.mts';
import { addRequestHooks, type RequestHookParts } from './requestHooks.mts';

export type ApiParts = EndpointParts & RequestHookParts & { logActivity: LogActivity };

/**
 * Adds the API.
 *
 * @returns the endpoints, such as `GET /api/sites`; complete once the server listens
 */
export function addApi(root: FastifyInstance, parts: ApiParts): readonly string[] {
	const endpoints: string[] = [];
	void root.register(
		(app, _options, done) => {
			addRequestHooks(app, parts);
			addBodyParsers(app);
			app.setErrorHandler((error: FastifyError, request, reply) =>
				answerError(toServiceError(error, parts.logActivity), request, reply, parts),
			);
			app.setNotFoundHandler((request, reply) =>
				answerError(
					new ServiceError(
						404,
						'not_found',
						`There is no ${request.method} ${pathOf(request)}. The endpoints begin with /api.`,
					),
					request,
					reply,
					parts,
				),
			);
			const methods = collectMethods(app);
			addEndpoints(app, parts);
			for (const [url, allowed] of methods) {
				for (const method of allowed) if (method !== 'HEAD') endpoints.push(`${method} ${url}`);
			}
			answerOtherMethods(app, new Map(methods));
			done();
		},
		{ prefix: '/api' },
	);
	return endpoints;
}

/** The methods of each address, which are complete once all routes are added. */
function collectMethods(app: FastifyInstance): Map<string, string[]> {
	const methods = new Map<string, string[]>();
	app.addHook('onRoute', ({ url, method }) => {
		methods.set(url, [...(methods.get(url) ?? []), ...[method].flat()]);
	});
	return methods;
}

/** 405 for every method that an endpoint's address does not have. */
function answerOtherMethods(app: FastifyInstance, methods: Map<string, string[]>): void {
	for (const [url, found] of methods) {
		const allowed = found.toSorted();
		app.route({
			method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
				(method) => !allowed.includes(method),
			),
			url: url.replace(app.prefix, ''),
			handler: (request, reply) => {
				void reply.header('allow', allowed.join(', '));
				throw new ServiceError(
					405,
					'method_not_allowed',
					`${request.method} is not possible here. Possible: ${allowed.join(', ')}.`,
				);
			},
		});
	}
}

function answerError(
	error: ServiceError,
	request: FastifyRequest,
	reply: FastifyReply,
	{ settings, clock, logActivity }: ApiParts,
): FastifyReply {
	logActivity(`${request.method} ${pathOf(request)} refused: ${error.message}`);
	const now = clock();
	const resetsAt = request.received?.quota.resetsAt ?? now;
	const { status, headers, body } = errorResponse(error, settings.dialect, resetsAt, now);
	return reply.code(status).headers(headers).send(body);
}
