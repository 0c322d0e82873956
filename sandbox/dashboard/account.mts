/** The pages of the account: start, sites, offers, credits, watchdog, deliveries. */
import { formatStatus, parseStatus } from '../service/exchanges.mts';
import { formatRoute, type Service } from '../service/service.mts';
import { alertTypes, severities } from '../service/watchdog.mts';
import type { ApiKey, Attempt, Delivery, Exchange, LedgerEntry } from '../store/records.mts';
import {
	button,
	copyable,
	date,
	form,
	identifier,
	input,
	type Markup,
	markup,
	select,
	state,
	table,
	time,
} from './markup.mts';
import type { PageContext } from './pageContext.mts';

/** Buttons of the start page. */
const startActions: [label: string, action: string, body: object, about: string][] = [
	['New offer', '/offers', {}, 'A partner offers a link to one of your sites.'],
	['50 new offers', '/offers', { count: 50 }, 'Fifty partners each offer you a link.'],
	[
		'Offer a link to a partner',
		'/outgoing-offers',
		{},
		'One of your sites offers a link to a partner.',
	],
	['Partner accepts', '/partner-accepts', {}, 'A partner accepts your oldest pending offer.'],
	['Publish the next link', '/publish', {}, 'The link of the oldest accepted offer goes live.'],
	['Break a link', '/break', {}, 'The newest live link is removed, with an alert.'],
	['Raise alert', '/alert', {}, 'The newest live link is marked nofollow.'],
	['Run out of credits', '/credits', { credits: 0 }, 'Your balance is set to 0.'],
];

export function start(service: Service, { receiver, baseUrl }: PageContext): Markup {
	const keys = service.store.rows<ApiKey>('keys');
	const key = keys.find(({ revokedAt }) => revokedAt === undefined)?.key;
	const actions = table(startActions, '', {
		Action: ([label, action, body]) => button(label, action, body),
		'What happens': ([, , , about]) => about,
	});
	const lines = service.activities
		.toReversed()
		.map((line) => markup`<li>${time(Date.parse(line.time))} ${line.text}</li>`);
	return markup`
		<p>The sandbox simulates the Backlink Exchange Service on your computer. This page simulates your dashboard.</p>
		<div class="columns">
			<section>
				<h2>Make something happen</h2>
				<p class="quiet">Webhook triggers get an event immediately, polling triggers at their next poll.</p>
				${actions}
			</section>
			<section>
				<h2>Activity</h2>
				<div data-live id="activity-log">${lines.length === 0 ? markup`<p class="quiet">No activity yet.</p>` : markup`<ol id="activity">${lines}</ol>`}</div>
			</section>
		</div>
		<h2>Credential for n8n</h2>
		${receiver && markup`<p class="quiet">n8n has this credential already. Its name is “Backlink Exchange (sandbox)”.</p>`}
		<div data-live id="credential">
			<p>Base URL: ${copyable('base-url', baseUrl)}</p>
			<p>API Key: ${key === undefined ? 'No API keys yet. Create a key on the API Keys page.' : copyable('api-key', key)}</p>
		</div>`;
}

export function sites({ books, store }: Service): Markup {
	const now = store.now();
	return markup`
		${form(
			'/sites',
			'Add site',
			input('URL', 'url', { type: 'url', required: '', placeholder: 'https://your-site.example' }),
			input('Niche', 'niche', { required: '', placeholder: 'travel' }),
		)}
		<div data-live id="sites">${table(books.sites(), 'No sites yet.', {
			URL: (site) => site.url,
			Niche: (site) => site.niche,
			'Domain rating': (site) => site.dr,
			Verification: ({ verifiedAt = Infinity }) =>
				state(verifiedAt <= now ? 'verified' : 'not verified'),
			ID: (site) => identifier(site.id),
		})}</div>`;
}

export function offers({ books }: Service): Markup {
	const exchanges = books.exchanges().reverse();
	const urls = books.sites().map(({ url }) => url);
	return markup`
		${form(
			'/offers',
			'New offer',
			select('Your site', 'toSite', ['', ...urls], '', { '': 'any' }),
			input("Partner's site", 'fromSite', { type: 'url', placeholder: 'https://partner.example/' }),
			input('Anchor text', 'anchor', { placeholder: 'a good read' }),
			input('Credits', 'cost', { type: 'number', min: 0, step: 0.5, placeholder: 10 }),
			input('Number of offers', 'count', { type: 'number', min: 1, max: 500, value: 1 }),
		)}
		<p>${button('Offer a link to a partner', '/outgoing-offers')}</p>
		<form id="older">${input('Make older by (days)', 'days', { type: 'number', min: 1, max: 3650, value: 10, required: '' })}</form>
		<div data-live id="offers"><p class="quiet">${exchanges.length === 1 ? '1 exchange' : `${exchanges.length} exchanges, newest first`}.</p>
		${table(exchanges, 'No offers yet.', {
			'From → To': formatRoute,
			Direction: (exchange) => exchange.direction,
			Anchor: (exchange) => exchange.anchor,
			Status: (exchange) => [formatState(exchange), markup`<br>`, formatSince(exchange)],
			// As at the service, the price of an offer shows when it is accepted.
			Credits: ({ acceptedAt, cost }) => (acceptedAt === undefined ? '–' : cost),
			Action: (exchange) => [
				nextAction(exchange),
				button('Make older', '/older', { id: exchange.id }, { of: exchange.id, form: 'older' }),
			],
			ID: (exchange) => identifier(exchange.id),
		})}</div>`;
}

const entryLabels: Record<LedgerEntry['kind'], string> = {
	opening: 'Opening balance',
	exchange_accepted: 'Offer accepted',
	adjustment: 'Balance set by you',
};

export function credits({ books }: Service): Markup {
	const { balance, lifetimeEarned, lifetimeSpent } = books.balances();
	return markup`
		${form('/credits', 'Set balance', input('New balance', 'credits', { type: 'number', min: 0, required: '', value: 0 }))}
		<div data-live id="credits">
			<p>Your balance is <b>${balance}</b>. In total, you earned ${lifetimeEarned} credits and spent ${lifetimeSpent}.</p>
			${table(books.ledger(), 'No ledger entries yet.', {
				Time: (entry) => time(entry.createdAt),
				Type: (entry) => entryLabels[entry.kind],
				Credits: (entry) => entry.amount,
				'Exchange ID': ({ exchangeId }) =>
					exchangeId === undefined ? '–' : identifier(exchangeId),
			})}
		</div>`;
}

export function watchdog({ books }: Service): Markup {
	return markup`
		${form(
			'/alert',
			'Raise alert',
			input('Exchange ID', 'exchangeId', { placeholder: 'the newest live exchange' }),
			select('Severity', 'severity', ['', ...severities], '', { '': 'usual for the type' }),
			input('Type', 'type', { placeholder: 'nofollow', list: 'alert-types' }),
			input('Detail', 'detail', { placeholder: 'usual for the type', size: 26 }),
		)}
		<datalist id="alert-types">${Object.keys(alertTypes).map((type) => markup`<option value="${type}">`)}</datalist>
		<div data-live id="watchdog">${table(books.watchdogEvents(), 'No alerts yet.', {
			Time: (event) => time(event.createdAt),
			Severity: (event) => state(event.severity),
			Type: (event) => identifier(event.type),
			Detail: (event) => event.detail,
			'Exchange ID': (event) => identifier(event.exchangeId),
		})}</div>`;
}

export function deliveries({ books }: Service): Markup {
	return markup`
		<p>A delivery is a request with an event that the sandbox sends to your webhook URL.</p>
		<div data-live id="deliveries">${table(books.deliveries().reverse(), 'No deliveries yet.', {
			Time: (delivery) => time(delivery.createdAt),
			Event: (delivery) => identifier(delivery.event),
			Status: (delivery) => formatDeliveryState(delivery.state),
			Responses: ({ log }) => describeResponses(log).map((line) => markup`<p>${line}</p>`),
			Request: ({ id, body }) =>
				markup`<details id="body-${id}"><summary>Body</summary><pre>${body}</pre></details>`,
			Action: ({ id }) => button('Send again', '/redeliver', { id }, { of: `delivery ${id}` }),
		})}</div>`;
}

/** Describes the response to a delivery. Of n8n's errors, only the message is shown. */
export function describeResponse({ status, answer = '', error }: Attempt): string {
	const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(answer) ?? [];
	return error ?? `${status ?? ''} ${message ?? answer}`.trim();
}

/** Describes the responses to a delivery, each different one with its number. */
function describeResponses(attempts: Attempt[]): string[] {
	const groups = Map.groupBy(attempts, describeResponse);
	return [...groups].map(([line, { length }]) =>
		length === 1 ? line : `${length} times: ${line}`,
	);
}

/** Renders the state of a delivery. */
function formatDeliveryState(deliveryState: Delivery['state']): Markup {
	return state(deliveryState === 'given up' ? 'not delivered' : deliveryState);
}

/** Renders the status of an exchange in its color; a status that isn't documented has none. */
function formatState(exchange: Exchange): Markup | string {
	const status = parseStatus(exchange);
	const label = formatStatus(exchange);
	return status === undefined ? label : state(status, label);
}

/** Renders the date of the last change. */
function formatSince({ createdAt, acceptedAt, publishedAt }: Exchange): Markup {
	return date(publishedAt ?? acceptedAt ?? createdAt);
}

/** Renders the button for the next transition; a closed exchange has none. */
function nextAction(exchange: Exchange): Markup | undefined {
	const { id, direction } = exchange;
	const status = parseStatus(exchange);
	if (status === undefined) return undefined;
	const steps = {
		pending:
			direction === 'incoming' ? ['Accept', '/accept'] : ['Partner accepts', '/partner-accepts'],
		accepted: ['Publish', '/publish'],
		live: ['Break link', '/break'],
		broken: ['Publish again', '/publish'],
	} as const;
	const [label, action] = steps[status];
	return button(label, action, { id }, { of: id });
}
