/** The pages of the dashboard, in the order of its menu. */
import type { ActivityLog } from '../activity.mts';
import type { Faults } from '../faults.mts';
import type { Receiver } from '../receiver.mts';
import type { ApiKeys } from '../service/apiKeys.mts';
import type { Books } from '../service/books.mts';
import type { Service } from '../service/service.mts';
import type { Settings } from '../settings.mts';
import type { DeliveryLog } from '../store/deliveryLog.mts';
import { credits, deliveries, offers, sites, start, watchdog } from './account.mts';
import { type Markup, markup } from './markup.mts';
import { dialect, faults, keys, plan, planWords, webhooks } from './settings.mts';

/** What the pages show. */
export interface DashboardParts {
	service: Service;
	settings: Settings;
	keys: ApiKeys;
	faults: Faults;
	log: DeliveryLog;
	books: Books;
	activityLog: ActivityLog;
	/** The program that takes the deliveries, when it was started together with the sandbox. */
	receiver: Receiver | undefined;
}

interface Section {
	title: string;
	draw: (parts: DashboardParts, baseUrl: string) => Markup;
}

/** By address; each group of the menu under its heading. */
const menu: Record<string, Record<string, Section>> = {
	'Your account': {
		'/': { title: 'Start', draw: start },
		'/dashboard/sites': { title: 'Sites', draw: sites },
		'/dashboard/offers': { title: 'Offers', draw: offers },
		'/dashboard/credits': { title: 'Credits', draw: credits },
		'/dashboard/watchdog': { title: 'Watchdog', draw: watchdog },
		'/dashboard/deliveries': { title: 'Deliveries', draw: deliveries },
	},
	Settings: {
		'/dashboard/keys': { title: 'API Keys', draw: keys },
		'/dashboard/webhooks': { title: 'Webhooks', draw: webhooks },
		'/dashboard/plan': { title: 'Plan', draw: plan },
	},
	'For developers': {
		'/dashboard/dialect': { title: 'Dialect', draw: dialect },
		'/dashboard/faults': { title: 'Faults', draw: faults },
	},
};

export const sections = Object.fromEntries(Object.values(menu).flatMap(Object.entries)) as Record<
	string,
	Section
>;

/** The whole page of a section. */
export function page(address: string, parts: DashboardParts, baseUrl: string): string {
	const { title, draw } = sections[address] ?? { title: '', draw: start };
	const link = ([to, { title: name }]: [string, Section]) =>
		markup`<li><a href="${to}" ${to === address && markup`aria-current="page"`}>${name}</a></li>`;
	const groups = Object.entries(menu).map(
		([heading, group]) => markup`<h2>${heading}</h2><ul>${Object.entries(group).map(link)}</ul>`,
	);
	const { settings, books } = parts;
	const facts = markup`Plan <b>${planWords[settings.plan]}</b> · Credits <b>${books.balance()}</b> ·
		Pending offers <b>${books.exchanges('pending').length}</b>`;
	return markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Backlink Exchange sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dashboard.css">
<script type="module" src="/dashboard.js"></script>
<a class="skip" href="#main">Skip to the content</a>
<header><strong>Backlink Exchange sandbox</strong><span data-live id="facts">${facts}</span></header>
<nav aria-label="Dashboard">${groups}</nav>
<main id="main" tabindex="-1"><p id="message" role="status"></p><h1>${title}</h1>${draw(parts, baseUrl)}</main>`
		.text;
}
