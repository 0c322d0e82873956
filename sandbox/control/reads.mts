/** What tests in other processes ask. */
import type { FastifyInstance } from 'fastify';

import type { ActivityLog } from '../activity.mts';
import type { Faults } from '../faults.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Books, DeliveryFilter, RequestFilter } from '../service/books.mts';
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
	const { books } = parts;

	app.get('/state', (request) => stateOf(parts, request.headers.host ?? ''));

	app.get<{ Querystring: Partial<Record<keyof RequestFilter, string>> }>(
		'/books/requests',
		filteredBy('method', 'endpoint', 'exchangeId', 'keyId', 'status'),
		(request) => {
			const { keyId, status, ...filter } = request.query;
			const numberIn = (given?: string) => (given === undefined ? undefined : Number(given));
			return books.requests({ ...filter, keyId: numberIn(keyId), status: numberIn(status) });
		},
	);
	app.get<{ Querystring: DeliveryFilter }>(
		'/books/deliveries',
		filteredBy('event', 'exchangeId', 'state'),
		(request) => books.deliveries(request.query),
	);
	app.get<{ Params: { id: string } }>('/books/exchanges/:id', (request) => ({
		exchange: books.exchange(request.params.id),
		accepts: books.acceptsOf(request.params.id),
		creditsSpent: books.creditsSpentOn(request.params.id),
	}));
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

/** What may be asked for, once each; any other name is refused, because it would filter nothing. */
function filteredBy(...names: string[]) {
	const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
	return { schema: { querystring: { type: 'object', properties, additionalProperties: false } } };
}
