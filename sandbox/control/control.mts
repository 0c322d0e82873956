/**
 * Actions of the dashboard and of tests in other processes: POST requests under /control.
 *
 * The response describes what happened. There is no login, because the server listens only on the
 * loopback interface; instead, requests from other sites' pages are rejected.
 */
import { randomBytes } from 'node:crypto';

import type { FastifyInstance } from 'fastify';

import type { Dialect } from '../dialects.mts';
import type { Fault } from '../faults.mts';
import { type Check, type Checks, parseFields, requireJson, text } from '../server.mts';
import { isCost } from '../service/exchanges.mts';
import type { Service } from '../service/service.mts';
import { eventNames, plans } from '../store/records.mts';
import type { Receiver } from '../webhookReceiver.mts';
import { requireSameOrigin } from './sameOrigin.mts';

const maxOffersAtOnce = 500;
const maxNumber = 1e9;
const maxDays = 3650;

const wholeNumber =
	(max = maxNumber, min = 0): Check<number> =>
	(value): value is number =>
		Number.isInteger(value) && Number(value) >= min && Number(value) <= max;
const isOneOfValues =
	<Value,>(values: readonly Value[]): Check<Value> =>
	(value): value is Value =>
		values.includes(value as Value);
const isOfferCost = (value: unknown): value is number => isCost(value) && value <= maxNumber;
const isDialect: Check<string | Partial<Dialect>> = (value): value is string | Partial<Dialect> =>
	typeof value === 'string' || (typeof value === 'object' && value !== null);

const id = text(500, 1);
const siteFields = { url: text(2000), niche: text(200) };
const outgoingOfferFields = {
	id,
	fromSite: text(2000),
	toSite: text(2000),
	anchor: text(500),
};
const offerFields = {
	...outgoingOfferFields,
	cost: isOfferCost,
	count: wholeNumber(maxOffersAtOnce, 1),
};
const alertFields = { exchangeId: id, severity: text(100), type: text(100), detail: text(2000) };
const faultFields = {
	times: wholeNumber(),
	after: wholeNumber(),
	method: text(20),
	path: text(2000),
	event: text(100),
	milliseconds: wholeNumber(),
	status: wholeNumber(),
	body: text(60_000),
};

/**
 * Adds the routes under /control.
 *
 * @param receiver gets a new webhook secret
 */
export function addControl(
	app: FastifyInstance,
	service: Service,
	receiver: Receiver | undefined,
): void {
	const { settings, books, faults, deliveries } = service;
	const logActivity = service.logActivity.bind(service);

	/**
	 * Adds a POST route with validated fields.
	 *
	 * The response is the message that `run` returns, or else the last line of the activity log.
	 */
	function action<Required extends Checks, Optional extends Checks>(
		path: string,
		required: Required,
		optional: Optional,
		run: (fields: ReturnType<typeof parseFields<Required, Optional>>) => unknown,
	): void {
		app.post(`/control${path}`, async (request) => {
			requireSameOrigin(request);
			// A form can't send this content type.
			requireJson(request);
			const result = await run(parseFields(request.body, required, optional));
			return { message: typeof result === 'string' ? result : service.activities.at(-1)?.text };
		});
	}

	app.get('/control/state', (request) => {
		requireSameOrigin(request);
		const { plan, dialect, webhook } = settings;
		const pending = books.exchanges('pending', 'incoming').length;
		const outgoing = books.exchanges('pending', 'outgoing').length;
		const exchanges = { pending, outgoing };
		return { plan, dialect, webhook, credits: books.balances(), exchanges };
	});

	action('/keys', {}, { name: text(100) }, ({ name }) => {
		service.createApiKey(name);
		logActivity(
			name === undefined ? 'You created an API key.' : `You created the API key “${name}”.`,
		);
	});
	action('/keys/revoke', { key: text(200) }, {}, ({ key }) => {
		service.revokeApiKey(key);
		logActivity('You revoked the API key.');
	});
	/**
	 * Sets the webhook URL.
	 *
	 * Without a secret in the body, the current secret stays, or the first one is generated.
	 */
	action(
		'/webhook',
		{ url: text(2000) },
		{ secret: text(500) },
		async ({ url, secret = settings.webhook?.secret ?? newSecret() }) => {
			const isNew = secret !== settings.webhook?.secret;
			service.change({ webhook: { url, secret } });
			if (isNew) await receiver?.setSecret(secret);
			logActivity(`The sandbox now sends events to ${new URL(url).origin}.`);
		},
	);
	action('/webhook/remove', {}, {}, () => {
		service.change({ webhook: null });
		logActivity('Webhooks are off. The sandbox sends no events.');
	});
	action('/test-event', { event: isOneOfValues(eventNames) }, {}, ({ event }) =>
		service.sendTestEvent(event),
	);
	action('/plan', { plan: isOneOfValues(plans) }, {}, ({ plan }) => {
		service.change({ plan });
		logActivity(`The plan is now ${plan === 'none' ? 'one without API access' : plan}.`);
	});
	action('/dialect', { dialect: isDialect }, {}, ({ dialect }) => {
		service.change({ dialect });
		logActivity(`API variant changed: ${formatVariants(dialect)}.`);
	});
	action('/sites', siteFields, {}, (site) => service.addSite(site));
	action('/offers', {}, offerFields, ({ count = 1, ...offer }) => {
		service.requestOffers(count, offer);
		return count === 1 ? undefined : `You have ${count} new offers.`;
	});
	action('/accept', { id }, {}, (fields) => service.accept(fields.id));
	action('/outgoing-offers', {}, outgoingOfferFields, (offer) => service.offerToNextPartner(offer));
	/** Without an ID: the oldest pending outgoing offer. */
	action('/partner-accepts', {}, { id }, (fields) => service.partnerAccepts(fields.id));
	/** Any text: with an empty one, the list leaves the status out. */
	action('/status', { id, status: text(100) }, {}, (fields) =>
		service.setStatus(fields.id, fields.status),
	);
	action('/older', { id, days: wholeNumber(maxDays, 1) }, {}, (fields) =>
		service.makeOlder(fields.id, fields.days),
	);
	/** Without an ID: the oldest accepted exchange. */
	action('/publish', {}, { id }, (fields) => service.publish(fields.id));
	/** Without an ID: the newest live exchange. */
	action('/break', {}, { id }, (fields) => service.breakLink(fields.id));
	action('/alert', {}, alertFields, (fields) => service.alert(fields));
	action('/credits', { credits: wholeNumber() }, {}, ({ credits }) => {
		service.setCredits(credits);
	});
	action('/faults', { kind: text(100) }, faultFields, (fault) => {
		const { kind, times } = faults.add(fault as Fault);
		const count = times === 1 ? 'time' : `${times} times`;
		logActivity(`The simulated failure ${kind} is on for the next ${count}.`);
	});
	action('/faults/clear', {}, {}, () => {
		faults.clear();
		logActivity('All simulated failures are off.');
	});
	action('/redeliver', { id: wholeNumber() }, {}, (fields) => {
		deliveries.redeliver(fields.id);
		logActivity(`The sandbox sends delivery ${fields.id} again.`);
	});
}

/** Formats API variants, such as `pagination=link, pageSize=5`. */
function formatVariants(dialect: string | Partial<Dialect>): string {
	if (typeof dialect === 'string') return dialect;
	return Object.entries(dialect)
		.map(([name, variant]) => `${name}=${variant}`)
		.join(', ');
}

/** Generates a secret that fits every variant of `hmacKey`. */
function newSecret(): string {
	return `whsec_${randomBytes(24).toString('base64')}`;
}
