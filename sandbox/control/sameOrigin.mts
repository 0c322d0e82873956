import type { FastifyReply, FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';
import { needsJson } from '../server.mts';

/**
 * Keeps other sites' pages from acting on, or reading from, the sandbox through the user's browser: the Host has to be loopback
 * (against DNS rebinding), the browser must not name another origin, and a body has to be JSON, which no form can send.
 */
export function requireSameOrigin(
	request: FastifyRequest,
	reply: FastifyReply,
	done: (error?: Error) => void,
): void {
	const { host = '', origin } = request.headers;
	const site = request.headers['sec-fetch-site'];
	const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
	const isOwn =
		(origin === undefined || origin === `http://${host}`) &&
		(site === undefined || site === 'same-origin' || site === 'none');
	const isRead = request.method === 'GET' || request.method === 'HEAD';
	if (!isLoopback || !isOwn) {
		done(
			new ServiceError(
				403,
				'other_site',
				"The sandbox takes orders only from its own dashboard's address.",
			),
		);
	} else if (isRead) done();
	else needsJson(request, reply, done);
}
