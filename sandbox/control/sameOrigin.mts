import type { FastifyRequest } from 'fastify';

import { ServiceError } from '../errors.mts';

/**
 * Rejects requests that other sites' pages make through the user's browser.
 *
 * The Host has to be loopback (against DNS rebinding), and the browser must not send another
 * origin.
 *
 * @throws {ServiceError} other_site
 */
export function requireSameOrigin({ headers }: FastifyRequest): void {
	const { host = '', origin, 'sec-fetch-site': site } = headers;
	const isLoopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(host);
	const isSameOrigin =
		(origin === undefined || origin === `http://${host}`) &&
		(site === undefined || site === 'same-origin' || site === 'none');
	if (isLoopback && isSameOrigin) return;
	const message = 'The sandbox accepts requests only from its own dashboard.';
	throw new ServiceError(403, 'other_site', message);
}
