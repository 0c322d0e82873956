/** The Backlink Exchange Service on your desk: everything in service-api.md, over real HTTP, with a real store and real deliveries. */
import type { AddressInfo } from 'node:net';

import type { FastifyInstance } from 'fastify';

import type { Dialect } from './dialects.mts';
import { InvalidSetting } from './errors.mts';
import type { Fault } from './faults.mts';
import type { SandboxOptions } from './options.mts';
import { buildParts, type Parts } from './parts.mts';
import type { Books } from './service/books.mts';
import type { NewExchange } from './service/exchanges.mts';
import type { NewSite } from './service/sites.mts';
import type { NewWatchdogEvent } from './service/watchdog.mts';
import type { Verification } from './settings.mts';
import type { Exchange, Plan, Site, WatchdogEvent, Webhook } from './store/records.mts';
import { Store } from './store/store.mts';

export type { SandboxOptions } from './options.mts';

export interface Sandbox {
	/** http://127.0.0.1:PORT, the dashboard's address. */
	origin: string;
	/** What goes into the n8n credential. */
	baseUrl: string;
	apiKey: string;
	/** What the API offers, such as `GET /api/sites`. */
	endpoints: readonly string[];
	/** What happened, read from the store. */
	books: Books;
	createApiKey(name?: string): string;
	revokeApiKey(key: string): void;
	webhook(): Webhook | undefined;
	setWebhook(webhook: Webhook | undefined): void;
	setPlan(plan: Plan): void;
	setReadOnly(readOnly: boolean): void;
	/** Sets a whole dialect by its name (or `name,setting=variant`), or single settings by an object. */
	setDialect(dialect: string | Partial<Dialect>): void;
	setVerification(change: Partial<Verification>): void;
	plan(): Plan;
	dialect(): Dialect;
	addSite(site: NewSite): Site;
	/** A partner makes an offer: status pending, event exchange.requested. */
	requestOffer(offer?: NewExchange): Exchange;
	/** Several partners make offers, each with its own partner and anchor, for one of the account's sites. */
	requestOffers(count: number): Exchange[];
	/** Accepts an offer, as POST /exchanges/:id/accept does. */
	accept(id: string): Exchange;
	/** The partner puts the link up: accepted or broken → live, event exchange.published. */
	publish(id: string, liveUrl?: string): Exchange;
	/** The link disappears and the watchdog notices: live → broken, event watchdog.alert. */
	breakLink(id: string): Exchange;
	/** The link disappears; the exchange stays live until the watchdog's next check. */
	removeLink(id: string): Exchange;
	checkLinks(): { checked: number; broken: Exchange[] };
	alert(fields?: Partial<NewWatchdogEvent>): WatchdogEvent;
	setCredits(credits: number): void;
	addFault(fault: Fault): void;
	clearFaults(): void;
	/** The faults that are switched on. */
	faults(): Fault[];
	/** Sends a delivery of the log once more. */
	redeliver(deliveryId: number): void;
	/** Resolves when every accept has taken effect, and every delivery was answered or given up. */
	settled(): Promise<void>;
	close(): Promise<void>;
}

/** @throws InvalidSetting when an option or the store cannot be used; the message says how to fix it */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const store = new Store(options.data ?? ':memory:');
	const closing = new AbortController();
	try {
		const parts = buildParts(store, options, closing.signal);
		const origin = await listen(parts.app, options.port ?? 0);
		parts.deliveries.start();
		parts.settlements.settleDue();
		return sandboxOf(parts, origin, async () => {
			closing.abort();
			await parts.app.close();
			parts.settlements.stop();
			await parts.deliveries.stop();
			store.close();
		});
	} catch (error) {
		store.close();
		throw error;
	}
}

/** Returns the address. */
async function listen(app: FastifyInstance, port: number): Promise<string> {
	try {
		await app.listen({ host: '127.0.0.1', port });
	} catch (error) {
		throw error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
			? new InvalidSetting(`Port ${port} is in use. Choose another one with --port.`)
			: error;
	}
	return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

function sandboxOf(
	{ settings, keys, apiKey, service, faults, deliveries, settlements, books, endpoints }: Parts,
	origin: string,
	close: () => Promise<void>,
): Sandbox {
	let closed: Promise<void> | undefined;
	return {
		origin,
		baseUrl: `${origin}/api`,
		apiKey,
		endpoints,
		books,
		createApiKey: (name) => keys.create(name).key,
		revokeApiKey: (key) => {
			const found = keys.find(key);
			if (!found) throw new InvalidSetting('There is no such API key.');
			keys.revoke(found.id);
		},
		setWebhook: (webhook) => {
			settings.setWebhook(webhook);
		},
		setPlan: (plan) => {
			settings.setPlan(plan);
		},
		setReadOnly: (readOnly) => {
			settings.setReadOnly(readOnly);
		},
		setDialect: (dialect) => {
			settings.setDialect(dialect);
		},
		setVerification: (change) => {
			settings.setVerification(change);
		},
		webhook: () => settings.webhook,
		plan: () => settings.plan,
		dialect: () => settings.dialect,
		addSite: (site) => service.addSite(site),
		requestOffer: (offer) => service.requestOffer(offer),
		requestOffers: (count) => service.requestOffers(count),
		accept: (id) => service.accept(id).exchange,
		publish: (id, liveUrl) => service.publish(id, liveUrl),
		breakLink: (id) => service.breakLink(id),
		removeLink: (id) => service.removeLink(id),
		checkLinks: () => service.checkLinks(),
		alert: (fields) => service.alert(fields),
		setCredits: (amount) => {
			service.setCredits(amount);
		},
		addFault: (fault) => {
			faults.add(fault);
		},
		clearFaults: () => {
			faults.clear();
		},
		faults: () => faults.list(),
		redeliver: (deliveryId) => {
			deliveries.redeliver(deliveryId);
		},
		settled: async () => {
			await settlements.settled();
			await deliveries.settled();
		},
		close: () => (closed ??= close()),
	};
}
