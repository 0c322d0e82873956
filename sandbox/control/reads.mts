/** What tests in other processes ask. */
import type { FastifyInstance } from 'fastify';

import type { ActivityLog } from '../activity.mts';
import type { Faults } from '../faults.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Books } from '../service/books.mts';
import type { Service } from '../service/service.mts';
import type { Settings } from '../settings.mts';
import type { DeliveryLog } from '../store/deliveryLog.mts';

export interface ReadParts {
	service: Service;
	settings: Settings;
	keys: ApiKeys;
	faults: Faults;
	log: DeliveryLog;
	books: Books;
	activityLog: ActivityLog;
}

/** The most rows of a list; they are the newest. */
const shownRows = 200;

export function addReads(app: FastifyInstance, parts: ReadParts): void {
	app.get('/state', (request) => stateOf(parts, request.headers.host ?? ''));
}

function stateOf(
	{ service, settings, keys, faults, log, books, activityLog }: ReadParts,
	host: string,
) {
	const exchanges = books.exchanges();
	const sites = service.sites();
	return {
		baseUrl: `http://${host}/api`,
		plan: settings.plan,
		readOnly: settings.readOnly,
		verification: settings.verification,
		dialect: settings.dialect,
		webhook: settings.webhook ?? null,
		keys: keys.list(),
		sites,
		exchanges: {
			total: exchanges.length,
			pending: books.exchanges('pending').length,
			rows: exchanges.slice(-shownRows).reverse(),
		},
		credits: {
			...books.balances(),
			entries: books.ledger().slice(0, shownRows),
		},
		watchdogEvents: books.watchdogEvents().slice(0, shownRows),
		deliveries: log
			.list(shownRows)
			.reverse()
			.map((delivery) => ({ ...delivery, log: log.attempts(delivery.id) })),
		faults: faults.list(),
		activity: activityLog.lines.toReversed(),
	};
}
