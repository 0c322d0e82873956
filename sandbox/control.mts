/**
 * What the dashboard's buttons, the command line and tests in other processes do to a running sandbox, under /control.
 * There is no log-in, because the address is loopback only; instead, pages of other sites are kept out (see `refuseOtherSites`).
 */
import type { FastifyError, FastifyInstance } from 'fastify';

import type { Books } from './books.mts';
import { dialectAxes, dialectNames, type Dialect } from './dialects.mts';
import type { Deliveries } from './deliveries.mts';
import type { DeliveryLog } from './delivery-log.mts';
import { deliveryFaultKinds, requestFaultKinds, type Fault, type Faults } from './faults.mts';
import type { ApiKeys } from './keys.mts';
import { refuseOtherSites } from './otherSites.mts';
import {
	eventNames,
	plans,
	verificationOutcomes,
	type Activity,
	type Announce,
	type EventName,
	type Plan,
} from './records.mts';
import { InvalidSetting, Refusal } from './refusal.mts';
import { addBodyParsers, toRefusal } from './server.mts';
import type { Service } from './service.mts';
import type { Settings } from './settings.mts';
import { severities } from './watchdog.mts';

export interface ControlParts {
	service: Service;
	settings: Settings;
	keys: ApiKeys;
	faults: Faults;
	deliveries: Deliveries;
	log: DeliveryLog;
	books: Books;
	activity: Announce;
	/** The last lines, oldest first, and how many there have been. */
	recent: () => { lines: Activity[]; count: number };
}

/** As many rows of each list as the dashboard shows; the newest ones. */
const shownRows = 200;
const mostOffersAtOnce = 500;

const text = (maxLength: number) => ({ type: 'string', maxLength });
const id = { type: 'string', minLength: 1, maxLength: 500 };
const wholeNumber = { type: 'integer', minimum: 0, maximum: 1_000_000_000 };
const offerFields = {
	id,
	fromSite: text(2000),
	toSite: text(2000),
	anchor: text(500),
	cost: wholeNumber,
};
const alertFields = { exchangeId: id, severity: text(100), type: text(100), detail: text(2000) };

/** Adds the routes under /control. */
export function addControl(root: FastifyInstance, parts: ControlParts): void {
	void root.register(
		(app, _options, done) => {
			addBodyParsers(app);
			app.addHook('onRequest', refuseOtherSites);
			app.setErrorHandler((error: FastifyError, _request, reply) => {
				const refusal =
					error instanceof InvalidSetting
						? new Refusal(422, 'invalid_setting', error.message)
						: toRefusal(error, parts.activity);
				const { code, message } = refusal;
				return reply.code(refusal.status).send({ error: { code, message } });
			});
			addReads(app, parts);
			addActions(app, parts);
			done();
		},
		{ prefix: '/control' },
	);
}

function addReads(app: FastifyInstance, parts: ControlParts): void {
	const { service, settings, keys, faults, log, books, recent } = parts;

	app.get('/state', (request) => {
		const exchanges = books.exchanges();
		const sites = service.sites();
		return {
			baseUrl: `http://${request.headers.host ?? ''}/api`,
			version: recent().count,
			plan: settings.plan,
			readOnly: settings.readOnly,
			verification: settings.verification,
			dialect: settings.dialect,
			// The secret is never shown again.
			webhook: settings.webhook ? { url: settings.webhook.url } : null,
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
			activity: recent().lines.toReversed(),
		};
	});

	app.get('/choices', () => ({
		plans,
		severities,
		verificationOutcomes,
		events: eventNames,
		dialects: dialectNames,
		axes: dialectAxes,
		requestFaults: requestFaultKinds,
		deliveryFaults: deliveryFaultKinds,
	}));

	app.get<{ Querystring: Record<string, string> }>('/books/requests', (request) => {
		const { keyId, status, ...filter } = request.query;
		return books.requests({
			...pick(filter, ['method', 'endpoint', 'exchangeId']),
			...(keyId === undefined ? {} : { keyId: Number(keyId) }),
			...(status === undefined ? {} : { status: Number(status) }),
		});
	});
	app.get<{ Querystring: Record<string, string> }>('/books/deliveries', (request) => {
		const { state, ...filter } = request.query;
		return books
			.deliveries(pick(filter, ['event', 'exchangeId']))
			.filter((delivery) => state === undefined || delivery.state === state);
	});
	app.get<{ Params: { id: string } }>('/books/exchanges/:id', (request) => ({
		exchange: books.exchange(request.params.id),
		accepts: books.acceptsOf(request.params.id),
		creditsSpent: books.creditsSpentOn(request.params.id),
	}));
}

function addActions(app: FastifyInstance, parts: ControlParts): void {
	const { service, settings, keys, faults, deliveries } = parts;

	/** A POST with a checked body; the answer is what `run` returns. */
	function action<Body>(
		path: string,
		properties: Record<string, unknown>,
		required: (keyof Body & string)[],
		run: (body: Body) => unknown,
	): void {
		const body = { type: 'object', properties, required, additionalProperties: false };
		app.post<{ Body: Body }>(
			path,
			{ schema: { body } },
			(request) => run(request.body as Body) ?? {},
		);
	}

	action<{ name?: string }>('/keys', { name: text(100) }, [], ({ name }) => keys.create(name));
	action<{ id: number }>('/keys/revoke', { id: wholeNumber }, ['id'], (body) =>
		keys.revoke(body.id),
	);
	action<{ url: string; secret: string }>(
		'/webhook',
		{ url: text(2000), secret: text(500) },
		['url', 'secret'],
		(webhook) => {
			settings.setWebhook(webhook);
			parts.activity('settings', `Webhooks now go to ${new URL(webhook.url).origin}.`);
		},
	);
	action('/webhook/remove', {}, [], () => {
		settings.setWebhook(undefined);
		parts.activity('settings', 'Webhooks are switched off.');
	});
	action<{ plan: Plan }>('/plan', { plan: { enum: plans } }, ['plan'], ({ plan }) => {
		settings.setPlan(plan);
		parts.activity(
			'settings',
			`The plan is now ${plan === 'none' ? 'one without API access' : plan}.`,
		);
	});
	action<{ readOnly: boolean }>(
		'/read-only',
		{ readOnly: { type: 'boolean' } },
		['readOnly'],
		(body) => {
			settings.setReadOnly(body.readOnly);
			parts.activity(
				'settings',
				`Write endpoints are ${body.readOnly ? 'not available yet' : 'available'}.`,
			);
		},
	);
	action<{ dialect: string | Partial<Dialect> }>(
		'/dialect',
		{ dialect: { anyOf: [text(2000), { type: 'object' }] } },
		['dialect'],
		({ dialect }) => {
			settings.setDialect(withoutFiles(dialect));
			const shown = typeof dialect === 'string' ? dialect : JSON.stringify(dialect);
			parts.activity('settings', `The dialect is now ${shown}.`);
			return settings.dialect;
		},
	);
	action<Partial<Settings['verification']>>(
		'/verification',
		{ outcome: { enum: verificationOutcomes }, delayMilliseconds: wholeNumber },
		[],
		(change) => {
			settings.setVerification(change);
			return settings.verification;
		},
	);

	action<{ url: string; niche: string }>(
		'/sites',
		{ url: text(2000), niche: text(200) },
		['url', 'niche'],
		(site) => service.addSite(site),
	);
	action<{ count?: number }>(
		'/offers',
		{ ...offerFields, count: { type: 'integer', minimum: 1, maximum: mostOffersAtOnce } },
		[],
		({ count = 1, ...offer }) => service.requestOffers(count, offer),
	);
	action<{ id: string }>('/accept', { id }, ['id'], (body) => service.accept(body.id));
	action<{ id: string }>('/publish', { id }, ['id'], (body) => service.publish(body.id));
	action<{ id: string }>('/break', { id }, ['id'], (body) => service.breakLink(body.id));
	action<{ id: string }>('/remove-link', { id }, ['id'], (body) => service.removeLink(body.id));
	action('/check', {}, [], () => service.checkLinks());
	action('/alert', alertFields, [], (fields: object) => service.alert(fields));
	action<{ credits: number }>('/credits', { credits: wholeNumber }, ['credits'], ({ credits }) => {
		service.setCredits(credits);
	});
	action<{ event: EventName; exchangeId?: string }>(
		'/event',
		{ event: { enum: eventNames }, ...offerFields, ...alertFields },
		['event'],
		({ event, ...fields }) => service.makeHappen(event, fields),
	);

	action<Fault>(
		'/faults',
		{
			kind: text(100),
			times: wholeNumber,
			method: text(20),
			path: text(2000),
			event: text(100),
			milliseconds: { type: 'integer' },
			status: wholeNumber,
		},
		['kind'],
		(fault) => {
			const { kind, times } = faults.add(fault);
			parts.activity('settings', `Fault ${kind} is on for the next ${times}.`);
		},
	);
	action('/faults/clear', {}, [], () => {
		faults.clear();
		parts.activity('settings', 'All faults are off.');
	});
	action<{ id: number }>('/redeliver', { id: wholeNumber }, ['id'], (body) => {
		deliveries.redeliver(body.id);
	});
}

/** A file is read by whoever starts the sandbox, never on a request's word. */
function withoutFiles(dialect: string | Partial<Dialect>): string | Partial<Dialect> {
	if (typeof dialect === 'string' && /\.json\s*(,|$)/.test(dialect)) {
		throw new InvalidSetting('Send the settings of the file, not its name.');
	}
	return dialect;
}

function pick<Name extends string>(
	values: Record<string, string | undefined>,
	names: readonly Name[],
): Partial<Record<Name, string>> {
	return Object.fromEntries(
		names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
	) as Partial<Record<Name, string>>;
}
