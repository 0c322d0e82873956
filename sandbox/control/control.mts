/**
 * What the dashboard's buttons, the command line and tests in other processes do to a running sandbox, under /control.
 * There is no log-in, because the address is loopback only; instead, pages of other sites are kept out (see `requireSameOrigin`).
 */
import type { FastifyError, FastifyInstance } from 'fastify';

import { InvalidSetting, ServiceError } from '../errors.mts';
import { addBodyParsers, toServiceError } from '../server.mts';
import { type ActionParts, addActions } from './actions.mts';
import { addReads, type ReadParts } from './reads.mts';
import { requireSameOrigin } from './sameOrigin.mts';

export type ControlParts = ReadParts & ActionParts;

/** Adds the routes under /control. */
export function addControl(root: FastifyInstance, parts: ControlParts): void {
	void root.register(
		(app, _options, done) => {
			addBodyParsers(app);
			app.addHook('onRequest', requireSameOrigin);
			app.setErrorHandler((error: FastifyError, _request, reply) => {
				const serviceError =
					error instanceof InvalidSetting
						? new ServiceError(422, 'invalid_setting', error.message)
						: toServiceError(error, parts.logActivity);
				const { code, message } = serviceError;
				return reply.code(serviceError.status).send({ error: { code, message } });
			});
			addReads(app, parts);
			addActions(app, parts);
			done();
		},
		{ prefix: '/control' },
	);
}
