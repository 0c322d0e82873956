/** The pages of the account: start, sites, offers, credits, watchdog, deliveries. */
import { formatStatus, parseStatus } from '../service/exchanges.mts';
import { formatRoute, type Service } from '../service/service.mts';
import { severities } from '../service/watchdog.mts';
import type { ApiKey, Attempt, Exchange } from '../store/records.mts';
import type { Receiver } from '../webhookReceiver.mts';
import {
	button,
	copyable,
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

/** Buttons of the start page. */
const startActions: [label: string, action: string, body: object, about: string][] = [
	['New offer', '/offers', {}, 'A partner offers a link to one of your sites.'],
	['50 new offers', '/offers', { count: 50 }, 'Fifty partners offer a link at the same time.'],
	[
		'Offer a link to a partner',
		'/outgoing-offers',
		{},
		'One of your sites offers a link. The offer waits for the partner.',
	],
	['Partner accepts', '/partner-accepts', {}, 'A partner accepts the oldest of your offers.'],
	['Publish the next link', '/publish', {}, 'The link of the oldest accepted offer goes live.'],
	[
		'Break a link',
		'/break',
		{},
		'The newest live link disappears, and the watchdog raises a critical alert.',
	],
	[
		'Raise alert',
		'/alert',
		{ severity: 'critical' },
		'A critical alert about the newest live link; the link stays.',
	],
	['Run out of credits', '/credits', { credits: 0 }, 'The balance falls to 0.'],
];

export function start(service: Service, receiver: Receiver | undefined, baseUrl: string): Markup {
	const keys = service.store.rows<ApiKey>('keys');
	const key = keys.find(({ revokedAt }) => revokedAt === undefined)?.key;
	const buttons = startActions.map(
		([label, action, body, about]) =>
			markup`<dt>${button(label, action, body)}</dt><dd>${about}</dd>`,
	);
	const lines = service.activities
		.toReversed()
		.map((line) => markup`<li>${time(Date.parse(line.time))} ${line.text}</li>`);
	return markup`
		<p>This page stands in for the service's dashboard. Everything here happens on your own machine only.</p>
		<h2>For the credential in n8n</h2>
		<dl data-live id="credential">
			<dt>Base URL</dt><dd>${copyable('base-url', baseUrl)}</dd>
			<dt>API key</dt><dd>${key === undefined ? 'none: create one under API Keys' : copyable('api-key', key)}</dd>
		</dl>
		<h2>Make something happen</h2>
		<p class="quiet">${receiver ? 'n8n' : 'A workflow'} notices it by polling within two minutes, by webhook at once.</p>
		<dl class="happenings">${buttons}</dl>
		<h2>What happened</h2>
		<ol data-live id="activity">${lines}</ol>`;
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
		<div data-live id="sites">${table(books.sites(), 'There is no site yet.', {
			URL: (site) => site.url,
			Niche: (site) => site.niche,
			'Domain rating': (site) => site.dr,
			Verified: ({ verifiedAt = Infinity }) => (verifiedAt <= now ? state('verified') : 'no'),
			ID: (site) => identifier(site.id),
		})}</div>`;
}

export function offers({ books }: Service): Markup {
	const exchanges = books.exchanges().reverse();
	return markup`
		${form(
			'/offers',
			'New offer',
			input("Partner's site", 'fromSite', { type: 'url', placeholder: 'https://partner.example/' }),
			input('Anchor text', 'anchor', { placeholder: 'a good read' }),
			input('Credits', 'cost', { type: 'number', min: 0, placeholder: 10 }),
			input('How many', 'count', { type: 'number', min: 1, max: 500, value: 1 }),
		)}
		<p>${button('Offer a link to a partner', '/outgoing-offers')}</p>
		<div data-live id="offers"><p>${exchanges.length} exchanges, the newest first.</p>
		${table(exchanges, 'There is no offer yet.', {
			'From → To': formatRoute,
			Direction: (exchange) => exchange.direction,
			Anchor: (exchange) => exchange.anchor,
			Status: (exchange) => {
				const status = parseStatus(exchange);
				return status === undefined
					? formatStatus(exchange)
					: state(status, formatStatus(exchange));
			},
			Credits: (exchange) => exchange.cost,
			Next: nextAction,
			ID: (exchange) => identifier(exchange.id),
		})}</div>`;
}

export function credits({ books }: Service): Markup {
	const { balance, lifetimeEarned, lifetimeSpent } = books.balances();
	return markup`
		${form('/credits', 'Set balance', input('Set the balance to', 'credits', { type: 'number', min: 0, required: '', value: 0 }))}
		<div data-live id="credits">
			<p>Balance ${balance}, earned ${lifetimeEarned} and spent ${lifetimeSpent} in all.</p>
			${table(books.ledger(), 'The ledger is empty.', {
				Time: (entry) => time(entry.createdAt),
				What: (entry) => entry.kind.replace('_', ' '),
				Credits: (entry) => entry.amount,
				Exchange: ({ exchangeId }) => (exchangeId === undefined ? '–' : identifier(exchangeId)),
			})}
		</div>`;
}

export function watchdog({ books }: Service): Markup {
	return markup`
		${form(
			'/alert',
			'Raise alert',
			input('Exchange (its ID)', 'exchangeId', { placeholder: 'the newest live one' }),
			select('Severity', 'severity', severities, 'critical'),
			input('Type', 'type', { placeholder: 'link_nofollow' }),
			input('Detail', 'detail', { placeholder: 'All links are nofollow now.', size: 26 }),
		)}
		<div data-live id="watchdog">${table(
			books.watchdogEvents(),
			'Nothing has happened to a link yet.',
			{
				Time: (event) => time(event.createdAt),
				Severity: (event) => state(event.severity),
				Type: (event) => identifier(event.type),
				Detail: (event) => event.detail,
				Exchange: (event) => identifier(event.exchangeId),
			},
		)}</div>`;
}

export function deliveries({ books }: Service): Markup {
	return markup`<div data-live id="deliveries">${table(
		books.deliveries().reverse(),
		'Nothing was sent yet.',
		{
			Time: (delivery) => time(delivery.createdAt),
			Event: (delivery) => identifier(delivery.event),
			State: (delivery) => state(delivery.state),
			Answers: ({ log }) => log.map((attempt) => markup`<p>${describeResponse(attempt)}</p>`),
			'What was sent': ({ id, body }) =>
				markup`<details id="body-${id}"><summary>Body</summary><pre>${body}</pre></details>`,
			Next: ({ id }) => button('Send again', '/redeliver', { id }, { of: `delivery ${id}` }),
		},
	)}</div>`;
}

/** Describes the response to a delivery. Of n8n's errors, only the message is shown. */
export function describeResponse({ status, answer = '', error }: Attempt): string {
	const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(answer) ?? [];
	return error ?? `${status ?? ''} ${message ?? answer}`.trim();
}

/** Renders the button for the next transition; a closed exchange has none. */
function nextAction(exchange: Exchange): Markup | string {
	const { id, direction } = exchange;
	const status = parseStatus(exchange);
	if (status === undefined) return '–';
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
