/** The page that stands in for the service's dashboard, at the sandbox's own address. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

import type { FastifyInstance } from 'fastify';

import { ServiceError } from '../errors.mts';

const folder = join(import.meta.dirname, 'page');
const types: Record<string, string> = {
	'.html': 'text/html; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
	'.js': 'text/javascript; charset=utf-8',
};

const headers = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-store',
};

/** Adds the page and, for every other path outside /api and /control, the documented error body. */
export function addDashboard(app: FastifyInstance): void {
	for (const name of readdirSync(folder)) {
		const type = types[extname(name)];
		if (type === undefined) continue;
		const content = readFileSync(join(folder, name));
		app.get(name === 'index.html' ? '/' : `/${name}`, (_request, reply) =>
			reply.headers(headers).type(type).send(content),
		);
	}
	app.setNotFoundHandler((request, reply) => {
		const { code, message } = new ServiceError(
			404,
			'not_found',
			`There is nothing at ${request.url.split('?', 1)[0] ?? '/'}. The service's endpoints begin with /api.`,
		);
		return reply.code(404).send({ error: { code, message } });
	});
}
