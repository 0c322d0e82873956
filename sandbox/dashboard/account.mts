/** The sections about the account: start, sites, offers, credits, watchdog, deliveries. */
import { fromTo } from '../service/service.mts';
import { severities } from '../service/watchdog.mts';
import type { Attempt } from '../store/deliveryLog.mts';
import type { Exchange } from '../store/records.mts';
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
import type { DashboardParts } from './sections.mts';

/** The most rows of a table; they are the newest. */
const shownRows = 200;

const happenings = [
	{
		label: 'New offer',
		action: '/offers',
		done: 'A new offer has come in.',
		about: 'A partner asks for a link to one of your sites.',
	},
	{
		label: '50 new offers',
		action: '/offers',
		body: { count: 50 },
		done: '50 new offers have come in.',
		about: 'Fifty partners do.',
	},
	{
		label: 'Publish the next link',
		action: '/event',
		body: { event: 'exchange.published' },
		done: 'A link is live.',
		about: 'The link of the oldest accepted offer goes live.',
	},
	{
		label: 'Break a link',
		action: '/break',
		done: 'A link is gone, and the watchdog has noticed.',
		about: 'The newest live link disappears, and the watchdog raises a critical alert.',
	},
	{
		label: 'Raise alert',
		action: '/alert',
		body: { severity: 'critical' },
		done: 'The watchdog has raised an alert.',
		about: 'A critical alert about the newest live link, which stays.',
	},
	{
		label: 'Run out of credits',
		action: '/credits',
		body: { credits: 0 },
		done: 'There are no credits left.',
		about: 'The balance falls to 0.',
	},
];

export function start({ keys, activityLog, receiver }: DashboardParts, baseUrl: string): Markup {
	const key = keys.list().find(({ revokedAt }) => revokedAt === undefined)?.key;
	const buttons = happenings.map(
		({ label, about, ...action }) => markup`<dt>${button(label, action)}</dt><dd>${about}</dd>`,
	);
	const lines = activityLog.lines
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
		<p class="quiet">${receiver === undefined ? 'A workflow that polls' : 'n8n'} notices it within a minute or two; a workflow that listens to events, at once.</p>
		<dl class="happenings">${buttons}</dl>
		<h2>What happened</h2>
		<ol data-live id="activity">${lines}</ol>`;
}

export function sites({ service }: DashboardParts): Markup {
	const rows = service
		.sites()
		.map((site) => [
			site.url,
			site.niche,
			site.dr,
			site.verified ? state('verified') : 'no',
			identifier(site.id),
		]);
	return markup`
		${form(
			'/sites',
			'The site is added. Its verification has begun.',
			'Add site',
			input('URL', 'url', { type: 'url', required: '', placeholder: 'https://your-site.example' }),
			input('Niche', 'niche', { required: '', placeholder: 'travel' }),
		)}
		<div data-live id="sites">${table(['URL', 'Niche', 'DR', 'Verified', 'ID'], rows, 'There is no site yet.')}</div>`;
}

export function offers({ books }: DashboardParts): Markup {
	const all = books.exchanges();
	const rows = all
		.slice(-shownRows)
		.reverse()
		.map((exchange) => [
			fromTo(exchange),
			exchange.anchor,
			state(exchange.status),
			exchange.cost,
			nextStep(exchange),
			identifier(exchange.id),
		]);
	const columns = ['From → To', 'Anchor', 'Status', 'Credits', 'Next', 'ID'];
	return markup`
		${form(
			'/offers',
			'The offer has come in.',
			'New offer',
			input("Partner's site", 'fromSite', { type: 'url', placeholder: 'https://partner.example/' }),
			input('Anchor text', 'anchor', { placeholder: 'a good read' }),
			input('Credits', 'cost', { type: 'number', min: 0, placeholder: 10 }),
			input('How many', 'count', { type: 'number', min: 1, max: 500, value: 1 }),
		)}
		<div data-live id="offers"><p>${all.length} exchanges, the newest first.</p>${table(columns, rows, 'There is no offer yet.')}</div>`;
}

export function credits({ books }: DashboardParts): Markup {
	const { balance, lifetimeEarned, lifetimeSpent } = books.balances();
	const rows = books
		.ledger()
		.slice(0, shownRows)
		.map((entry) => [
			time(entry.createdAt),
			entry.kind.replace('_', ' '),
			entry.amount,
			entry.exchangeId === undefined ? '–' : identifier(entry.exchangeId),
		]);
	return markup`
		${form('/credits', 'The balance is set.', 'Set balance', input('Set the balance to', 'credits', { type: 'number', min: 0, required: '', value: 0 }))}
		<div data-live id="credits">
			<p>Balance ${balance}, earned ${lifetimeEarned} and spent ${lifetimeSpent} in all.</p>
			${table(['Time', 'What', 'Credits', 'Exchange'], rows, 'The ledger is empty.')}
		</div>`;
}

export function watchdog({ books }: DashboardParts): Markup {
	const rows = books
		.watchdogEvents()
		.slice(0, shownRows)
		.map((event) => [
			time(event.createdAt),
			state(event.severity),
			event.type,
			event.detail,
			identifier(event.exchangeId),
		]);
	return markup`
		${form(
			'/alert',
			'The alert is raised.',
			'Raise alert',
			input('Exchange (its ID)', 'exchangeId', { placeholder: 'the newest live one' }),
			select('Severity', 'severity', severities, 'warning'),
			input('Type', 'type', { placeholder: 'link_nofollow' }),
			input('Detail', 'detail', { placeholder: 'The link was changed to nofollow.' }),
		)}
		<div data-live id="watchdog">${table(['Time', 'Severity', 'Type', 'Detail', 'Exchange'], rows, 'Nothing has happened to a link yet.')}</div>`;
}

export function deliveries({ log }: DashboardParts): Markup {
	const rows = log
		.list(shownRows)
		.reverse()
		.map(({ id, event, body, createdAt, state: outcome }) => [
			time(createdAt),
			event,
			state(outcome),
			log.attempts(id).map((attempt) => markup`<p>${answerOf(attempt)}</p>`),
			markup`<details id="body-${id}"><summary>Body</summary><pre>${body}</pre></details>`,
			button('Send again', {
				action: '/redeliver',
				body: { id },
				done: 'It is on its way again.',
				of: `delivery ${id}`,
			}),
		]);
	const columns = ['Time', 'Event', 'State', 'Answers', 'What was sent', 'Next'];
	return markup`<div data-live id="deliveries">${table(columns, rows, 'Nothing was sent yet.')}</div>`;
}

/** How a delivery was answered, in words: of n8n's errors the message, without the stack trace. */
export function answerOf({ status, answer = '', error }: Attempt): string {
	const [, message] = /"message":"((?:[^"\\]|\\.)*)"/.exec(answer) ?? [];
	return error ?? `${status ?? ''} ${message ?? answer}`.trim();
}

function nextStep({ id, status }: Exchange): Markup {
	const step = (label: string, action: string, done: string) =>
		button(label, { action, body: { id }, done, of: id });
	switch (status) {
		case 'pending':
			return step('Accept', '/accept', 'The offer is accepted.');
		case 'accepted':
			return step('Publish', '/publish', 'The link is live.');
		case 'live':
			return step('Break link', '/break', 'The link is gone, and the watchdog has noticed.');
		case 'broken':
			return step('Publish again', '/publish', 'The link is live again.');
	}
}
