import type { FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';

/**
 * Keeps other sites' pages from acting on, or reading from, the sandbox through the user's browser: the Host has to be loopback
 * (against DNS rebinding), and the browser must not name another origin.
 */
export function requireSameOrigin({ headers }: FastifyRequest): void {
	const { host = '', origin, 'sec-fetch-site': site } = headers;
	const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
	const isOwn =
		(origin === undefined || origin === `http://${host}`) &&
		(site === undefined || site === 'same-origin' || site === 'none');
	if (isLoopback && isOwn) return;
	const message = "The sandbox takes orders only from its own dashboard's address.";
	throw new ServiceError(403, 'other_site', message);
}
