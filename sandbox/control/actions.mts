/** What the dashboard's buttons and the command line do: a POST each, with a checked body. */
import { randomBytes } from 'node:crypto';

import type { FastifyInstance } from 'fastify';

import type { LogActivity } from '../activity.mts';
import type { Dialect } from '../dialects.mts';
import type { Fault, Faults } from '../faults.mts';
import type { Receiver } from '../receiver.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Deliveries } from '../service/deliveries.mts';
import type { Service } from '../service/service.mts';
import type { Settings } from '../settings.mts';
import { type EventName, eventNames, type Plan, plans } from '../store/records.mts';

export interface ActionParts {
	service: Service;
	settings: Settings;
	keys: ApiKeys;
	faults: Faults;
	deliveries: Deliveries;
	logActivity: LogActivity;
	receiver: Receiver | undefined;
}

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

export function addActions(app: FastifyInstance, parts: ActionParts): void {
	const { service, settings, keys, faults, deliveries, logActivity, receiver } = parts;

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
			async (request) => (await run(request.body as Body)) ?? {},
		);
	}

	action<{ name?: string }>('/keys', { name: text(100) }, [], ({ name }) => keys.create(name));
	action<{ id: number }>('/keys/revoke', { id: wholeNumber }, ['id'], (body) =>
		keys.revoke(body.id),
	);
	/** Sets the address, and the secret if the body has one; otherwise the present secret stays, or the first one is generated. */
	action<{ url: string; secret?: string }>(
		'/webhook',
		{ url: text(2000), secret: text(500) },
		['url'],
		async ({ url, secret = settings.webhook?.secret ?? newSecret() }) => {
			const isNew = secret !== settings.webhook?.secret;
			settings.setWebhook({ url, secret });
			logActivity(`Webhooks now go to ${new URL(url).origin}.`);
			if (isNew) await receiver?.takeSecret(secret);
			return settings.webhook;
		},
	);
	action<{ event: EventName }>(
		'/test-event',
		{ event: { enum: eventNames } },
		['event'],
		({ event }) => service.sendTestEvent(event),
	);
	action('/webhook/remove', {}, [], () => {
		settings.setWebhook(undefined);
		logActivity('Webhooks are switched off.');
	});
	action<{ plan: Plan }>('/plan', { plan: { enum: plans } }, ['plan'], ({ plan }) => {
		settings.setPlan(plan);
		logActivity(`The plan is now ${plan}.`);
	});
	action<{ dialect: string | Partial<Dialect> }>(
		'/dialect',
		{ dialect: { anyOf: [text(2000), { type: 'object' }] } },
		['dialect'],
		({ dialect }) => {
			settings.setDialect(dialect);
			const shown = typeof dialect === 'string' ? dialect : JSON.stringify(dialect);
			logActivity(`The dialect is now ${shown}.`);
			return settings.dialect;
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
	action<{ id: string }>('/accept', { id }, ['id'], (body) => service.accept(body.id).exchange);
	action<{ id: string }>('/publish', { id }, ['id'], (body) => service.publish(body.id));
	/** Without an ID it is the newest live link that breaks. */
	action<{ id?: string }>('/break', { id }, [], (body) => service.breakLink(body.id));
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
			after: wholeNumber,
			method: text(20),
			path: text(2000),
			event: text(100),
			milliseconds: wholeNumber,
			status: wholeNumber,
			body: text(100_000),
		},
		['kind'],
		(fault) => {
			const { kind, times } = faults.add(fault);
			logActivity(`Fault ${kind} is on for the next ${times}.`);
		},
	);
	action('/faults/clear', {}, [], () => {
		faults.clear();
		logActivity('All faults are off.');
	});
	action<{ id: number }>('/redeliver', { id: wholeNumber }, ['id'], (body) => {
		deliveries.redeliver(body.id);
	});
}

/** A new secret of the kind that fits every dialect. */
function newSecret(): string {
	return `whsec_${randomBytes(24).toString('base64')}`;
}
