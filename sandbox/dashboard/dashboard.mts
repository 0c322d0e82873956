/**
 * The sandbox's dashboard, which stands in for the service's. It is rendered here, and a script
 * refreshes it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { FastifyInstance } from 'fastify';

import { requireSameOrigin } from '../control/sameOrigin.mts';
import type { Service } from '../service/service.mts';
import { credits, deliveries, offers, sites, start, watchdog } from './account.mts';
import { getMailDocument, mail, mailHeaders } from './mail.mts';
import { type Markup, markup } from './markup.mts';
import type { PageContext } from './pageContext.mts';
import { apiVariants, keys, plan, planLabels, simulatedFailures, webhooks } from './settings.mts';

const picoFile = fileURLToPath(import.meta.resolve('@picocss/pico/css/pico.min.css'));

const headers = {
	'content-security-policy':
		"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
	'x-content-type-options': 'nosniff',
	'referrer-policy': 'no-referrer',
	'cache-control': 'no-store',
};

type Draw = (service: Service, context: PageContext) => Markup;

/** Groups of the menu, with the pages by their titles. */
const menu: Record<string, Record<string, Draw>> = {
	'Your account': {
		Start: start,
		Sites: sites,
		Offers: offers,
		Credits: credits,
		Watchdog: watchdog,
		Deliveries: deliveries,
	},
	'Sent by n8n': { Mail: mail },
	Settings: { 'API Keys': keys, Webhooks: webhooks, Plan: plan },
	'For developers': { 'API Variants': apiVariants, 'Simulated Failures': simulatedFailures },
};

/** Adds the pages and their assets. */
export function addDashboard(
	app: FastifyInstance,
	service: Service,
	context: Omit<PageContext, 'baseUrl'>,
): void {
	for (const [name, type, file] of [
		['pico.css', 'text/css', picoFile],
		['dashboard.css', 'text/css', join(import.meta.dirname, 'dashboard.css')],
		['dashboard.js', 'text/javascript', join(import.meta.dirname, 'dashboard.js')],
	] as const) {
		const content = readFileSync(file);
		app.get(`/${name}`, (_request, reply) =>
			reply.headers(headers).type(`${type}; charset=utf-8`).send(content),
		);
	}
	for (const [title, draw] of Object.values(menu).flatMap(Object.entries<Draw>)) {
		app.get(getPagePath(title), (request, reply) => {
			requireSameOrigin(request);
			const baseUrl = `http://${request.headers.host ?? ''}/api`;
			const content = draw(service, { ...context, baseUrl });
			void reply.headers(headers).type('text/html; charset=utf-8');
			return reply.send(page(title, content, service).text);
		});
	}
	addMailDocuments(app, service);
}

/** Adds the HTML of each email, which the page shows in a frame. */
function addMailDocuments(app: FastifyInstance, { books }: Service): void {
	app.get<{ Params: { id: string } }>(`${getPagePath('Mail')}/:id`, (request, reply) => {
		requireSameOrigin(request);
		const { html } = books.mail(Number(request.params.id)) ?? {};
		if (html === undefined) {
			reply.callNotFound();
			return reply;
		}
		void reply.headers({ ...headers, ...mailHeaders }).type('text/html; charset=utf-8');
		return reply.send(getMailDocument(html));
	});
}

function getPagePath(title: string): string {
	return title === 'Start' ? '/' : `/dashboard/${title.toLowerCase().replace(' ', '-')}`;
}

/** Renders a page with its frame. */
function page(title: string, content: Markup, { settings, books }: Service): Markup {
	const link = (name: string) =>
		markup`<li><a href="${getPagePath(name)}" ${name === title && markup`aria-current="page"`}>${name}</a></li>`;
	const groups = Object.entries(menu).map(
		([heading, group]) => markup`<small>${heading}</small><ul>${Object.keys(group).map(link)}</ul>`,
	);
	const facts = markup`Plan: <b>${planLabels[settings.plan]}</b> · Credits: <b>${books.balance()}</b> ·
		Pending offers: <b>${books.exchanges('pending', 'incoming').length}</b>`;
	return markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Backlink Exchange sandbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/pico.css">
<link rel="stylesheet" href="/dashboard.css">
<script type="module" src="/dashboard.js"></script>
<body class="container-fluid">
<a class="skip" href="#main">Skip to content</a>
<header><strong>Backlink Exchange sandbox</strong><br><span data-live id="facts">${facts}</span></header>
<aside><nav aria-label="Dashboard">${groups}</nav></aside>
<main id="main" tabindex="-1"><h1>${title}</h1>${content}<article id="message" role="status"></article></main>`;
}
