/** What the sections about the account show: start, sites, offers, credits, watchdog. */
/** @import { Choices, State } from '../../control/reads.mts' */
import {
	button,
	copyableText,
	element,
	find,
	identifier,
	state,
	table,
	text,
	time,
} from './elements.js';

/**
 * @param {State} state
 * @param {Choices} choices
 */
export function drawStart({ baseUrl, keys, plan, credits, exchanges, activity }, { planWords }) {
	text('fact-plan', planWords[plan]);
	text('fact-credits', credits.balance);
	text('fact-pending', exchanges.pending);
	text('base-url', baseUrl);
	const { key } = keys.find(({ revokedAt }) => !revokedAt) ?? {};
	copyableText('first-key', key, 'none: create one under API Keys');
	find('activity').replaceChildren(
		...(activity.length === 0 ? [element('li', {}, element('span'), 'Nothing yet.')] : []),
		...activity.map((line) =>
			element(
				'li',
				{},
				element('time', { datetime: line.time }, new Date(line.time).toLocaleTimeString()),
				element('span', {}, line.text),
			),
		),
	);
}

/** @param {State} state */
export function drawSites({ sites }) {
	table(
		'sites-table',
		['URL', 'Niche', 'DR', 'Verified', 'ID'],
		sites.map((site) => [
			site.url,
			site.niche,
			site.dr,
			site.verified ? state('verified') : 'no',
			identifier(site.id),
		]),
		'There is no site yet.',
	);
}

/** @param {State} state */
export function drawOffers({ exchanges }) {
	const { total, rows } = exchanges;
	text(
		'offers-total',
		total > rows.length
			? `The newest ${rows.length} of ${total} exchanges.`
			: `${total} exchanges, newest first.`,
	);
	table(
		'offers-table',
		['ID', 'From', 'To', 'Anchor', 'Status', 'Credits', 'Actions'],
		rows.map((exchange) => [
			identifier(exchange.id),
			exchange.fromSite,
			exchange.toSite,
			exchange.anchor,
			state(exchange.status),
			exchange.cost,
			offerButtons(exchange),
		]),
		'There is no offer yet.',
	);
}

/**
 * @param {State} state
 * @param {Choices} choices
 */
export function drawCredits({ credits }, { ledgerWords }) {
	const figures = {
		Balance: credits.balance,
		'Lifetime earned': credits.lifetimeEarned,
		'Lifetime spent': credits.lifetimeSpent,
	};
	find('credit-figures').replaceChildren(
		...Object.entries(figures).map(([name, value]) =>
			element('div', {}, element('dt', {}, name), element('dd', {}, String(value))),
		),
	);
	table(
		'credits-table',
		['Time', 'What', 'Exchange', 'Credits'],
		credits.entries.map((entry) => [
			time(entry.createdAt),
			ledgerWords[entry.kind],
			entry.exchangeId ? identifier(entry.exchangeId) : '–',
			entry.amount,
		]),
		'The ledger is empty.',
	);
}

/** @param {State} state */
export function drawWatchdog({ watchdogEvents }) {
	table(
		'watchdog-table',
		['Time', 'Severity', 'Type', 'Exchange', 'Detail'],
		watchdogEvents.map((event) => [
			time(event.createdAt),
			state(event.severity),
			event.type,
			identifier(event.exchangeId),
			event.detail,
		]),
		'Nothing has happened to a link yet.',
	);
}

/** @param {State['exchanges']['rows'][number]} exchange */
function offerButtons({ id, status }) {
	const body = { id };
	switch (status) {
		case 'pending':
			return [button('Accept', '/accept', body, 'The offer is accepted.', id)];
		case 'accepted':
			return [button('Publish', '/publish', body, 'The link is live.', id)];
		case 'live':
			return [
				button('Break link', '/break', body, 'The link is gone, and the watchdog has noticed.', id),
			];
		default:
			return [button('Publish again', '/publish', body, 'The link is live again.', id)];
	}
}
