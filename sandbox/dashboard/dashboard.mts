/** The page that stands in for the service's dashboard, at the sandbox's own address; it is made here and refreshed by a script. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { requireSameOrigin } from '../control/sameOrigin.mts';
import { ServiceError } from '../errors.mts';
import { pathOf } from '../server.mts';
import { type DashboardParts, page, sections } from './sections.mts';

const headers = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-store',
};

/** Adds the pages and, for every other path outside /api and /control, the documented error body. */
export function addDashboard(app: FastifyInstance, parts: DashboardParts): void {
	for (const [name, type] of [
		['dashboard.css', 'text/css'],
		['dashboard.js', 'text/javascript'],
	] as const) {
		const content = readFileSync(join(import.meta.dirname, name));
		app.get(`/${name}`, (_request, reply) =>
			reply.headers(headers).type(`${type}; charset=utf-8`).send(content),
		);
	}
	for (const address of Object.keys(sections)) {
		app.get(address, { onRequest: requireSameOrigin }, (request, reply) => {
			const baseUrl = `http://${request.headers.host ?? ''}/api`;
			void reply.headers(headers).type('text/html; charset=utf-8');
			return reply.send(page(address, parts, baseUrl));
		});
	}
	app.setNotFoundHandler((request, reply) => {
		const { code, message } = new ServiceError(
			404,
			'not_found',
			`There is nothing at ${pathOf(request)}. The service's endpoints begin with /api.`,
		);
		return reply.code(404).send({ error: { code, message } });
	});
}
