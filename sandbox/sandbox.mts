/** The Backlink Exchange Service on your desk: everything in service-api.md, over real HTTP, with a real store and real deliveries. */
import type { AddressInfo } from 'node:net';

import { addApi } from './api.mts';
import { Books, forgetOldRequests } from './books.mts';
import { addControl } from './control.mts';
import { Credits } from './credits.mts';
import { addDashboard } from './dashboard.mts';
import { Deliveries, type DeliveryOptions } from './deliveries.mts';
import { DeliveryLog } from './delivery-log.mts';
import { resolveDialect, type Dialect } from './dialects.mts';
import { Exchanges, type NewExchange } from './exchanges.mts';
import { Faults, type Fault } from './faults.mts';
import { ApiKeys } from './keys.mts';
import { Limits, type LimitOptions } from './limits.mts';
import type {
	Activity,
	Announce,
	Exchange,
	Plan,
	Site,
	WatchdogEvent,
	Webhook,
} from './records.mts';
import { InvalidSetting } from './refusal.mts';
import { seedStore } from './seed.mts';
import { newServer } from './server.mts';
import { Service } from './service.mts';
import { Settings, type Verification } from './settings.mts';
import { Sites, type NewSite } from './sites.mts';
import { Store } from './store.mts';
import { Watchdog, type NewWatchdogEvent } from './watchdog.mts';

export interface SandboxOptions {
	/** Default 0: any free port. The address is always 127.0.0.1. */
	port?: number;
	/** SQLite file; default `:memory:`. */
	data?: string;
	/** Default: what the store says, `pro` in a new one. `none` is a plan without API access. */
	plan?: Plan;
	/** Name of a dialect, or single settings on top of the plain one. Default: what the store says. */
	dialect?: string | Partial<Dialect>;
	/** Makes sure that this key exists; by default a new store gets one of its own. */
	apiKey?: string;
	webhook?: Webhook;
	/** Opening balance of a new store; default 100, or 250 with demo data. */
	credits?: number;
	/** Fills a new store with demo data; the same seed gives the same data. */
	seed?: number | string;
	limits?: LimitOptions;
	/** How the verification of added sites ends, and after how long; default: verified after 2,000 ms. */
	verification?: Partial<Verification>;
	/** Time-out and backoff of webhook deliveries. */
	delivery?: DeliveryOptions;
	/** Only the read-only endpoints, as before Q3 2026. */
	readOnly?: boolean;
	/** Added to each answer of the API. */
	latencyMilliseconds?: number;
	/** Milliseconds since 1970. */
	clock?: () => number;
	/** One line for each thing that happens. */
	onActivity?: (activity: Activity) => void;
}

/** Lines of activity that the dashboard can show. */
const recentLines = 200;

/** @throws InvalidSetting when an option or the store cannot be used; the message says how to put it right */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const store = new Store(options.data ?? ':memory:');
	try {
		return await startOn(store, options);
	} catch (error) {
		store.close();
		throw error;
	}
}

async function startOn(store: Store, options: SandboxOptions): Promise<Sandbox> {
	const clock = options.clock ?? Date.now;
	forgetOldRequests(store);
	const recent: { lines: Activity[]; count: number } = { lines: [], count: 0 };
	const activity: Announce = (kind, text, detail = {}) => {
		const line = { ...detail, time: new Date(clock()).toISOString(), kind, text };
		recent.count += 1;
		recent.lines = [...recent.lines.slice(1 - recentLines), line];
		options.onActivity?.(line);
	};
	const settings = new Settings(store);
	store.transaction(() => {
		applyOptions(settings, options);
	});

	const keys = new ApiKeys(store, clock);
	const credits = new Credits(store, clock);
	if (store.isNew) {
		const opening = options.credits ?? (options.seed === undefined ? 100 : 250);
		if (options.seed === undefined) credits.enter(opening, 'opening');
		else seedStore(store, options.seed, opening);
	}
	const sites = new Sites(store, clock);
	const exchanges = new Exchanges(store, clock, credits);
	const watchdog = new Watchdog(store, clock);
	const faults = new Faults();
	const limits = new Limits(store, clock, options.limits ?? {});
	const log = new DeliveryLog(store);
	const deliveries = new Deliveries({
		log,
		store,
		clock,
		settings,
		faults,
		activity,
		options: options.delivery ?? {},
	});
	const service = new Service({
		store,
		settings,
		credits,
		sites,
		exchanges,
		watchdog,
		deliveries,
		activity,
	});
	const books = new Books({ store, credits, sites, exchanges, watchdog, log });
	const firstKey =
		options.apiKey === undefined
			? keys.list().find((key) => key.revokedAt === undefined)
			: keys.create('API key', options.apiKey);
	const apiKey = (firstKey ?? keys.create()).key;

	const closing = new AbortController();
	const app = newServer();
	addApi(app, {
		store,
		clock,
		settings,
		keys,
		limits,
		faults,
		service,
		credits,
		exchanges,
		watchdog,
		activity,
		latencyMilliseconds: options.latencyMilliseconds ?? 0,
		closing: closing.signal,
	});
	addControl(app, {
		service,
		settings,
		keys,
		faults,
		deliveries,
		log,
		books,
		activity,
		recent: () => recent,
	});
	addDashboard(app);
	try {
		await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	} catch (error) {
		throw error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
			? new InvalidSetting(`Port ${options.port ?? 0} is in use. Choose another one with --port.`)
			: error;
	}
	const { port } = app.server.address() as AddressInfo;
	const origin = `http://127.0.0.1:${port}`;
	deliveries.start();

	let closed: Promise<void> | undefined;
	const close = async () => {
		closing.abort();
		await app.close();
		await deliveries.stop();
		store.close();
	};

	return {
		origin,
		baseUrl: `${origin}/api`,
		apiKey,
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
		dialect: () => settings.dialect,
		addSite: (site) => service.addSite(site),
		requestOffer: (offer) => service.requestOffer(offer),
		accept: (id) => service.accept(id),
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
		settled: () => deliveries.settled(),
		close: () => (closed ??= close()),
	};
}

function applyOptions(settings: Settings, options: SandboxOptions): void {
	if (options.plan !== undefined) settings.setPlan(options.plan);
	if (options.readOnly !== undefined) settings.setReadOnly(options.readOnly);
	// The old secret must not stand in the way of a dialect that only the new one fits.
	if (options.webhook) settings.setWebhook(undefined);
	if (options.dialect !== undefined) settings.setDialect(resolveDialect(options.dialect));
	if (options.webhook) settings.setWebhook(options.webhook);
	if (options.verification) settings.setVerification(options.verification);
}

export interface Sandbox {
	/** http://127.0.0.1:PORT, the dashboard's address. */
	origin: string;
	/** What goes into the n8n credential. */
	baseUrl: string;
	apiKey: string;
	/** What happened, read from the store. */
	books: Books;
	createApiKey(name?: string): string;
	revokeApiKey(key: string): void;
	setWebhook(webhook: Webhook | undefined): void;
	setPlan(plan: Plan): void;
	setReadOnly(readOnly: boolean): void;
	/** A name (or `name,setting=variant`) makes a whole dialect; an object changes single settings. */
	setDialect(dialect: string | Partial<Dialect>): void;
	setVerification(change: Partial<Verification>): void;
	dialect(): Dialect;
	addSite(site: NewSite): Site;
	/** A partner makes an offer: status pending, event exchange.requested. */
	requestOffer(offer?: NewExchange): Exchange;
	/** Like POST /exchanges/:id/accept. */
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
	/** Resolves when every delivery has been answered or given up. */
	settled(): Promise<void>;
	close(): Promise<void>;
}
