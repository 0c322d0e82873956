/** Puts the sandbox together: each part once, with the same store and clock. */
import type { FastifyInstance } from 'fastify';

import { ActivityLog } from './activity.mts';
import { addApi } from './api/api.mts';
import { addControl } from './control/control.mts';
import { addDashboard } from './dashboard/dashboard.mts';
import { resolveDialect } from './dialects.mts';
import { Faults } from './faults.mts';
import type { SandboxOptions } from './options.mts';
import { newServer } from './server.mts';
import { Accepts } from './service/accepts.mts';
import { ApiKeys } from './service/apiKeys.mts';
import { Books, forgetOldRequests } from './service/books.mts';
import { Credits } from './service/credits.mts';
import { Deliveries } from './service/deliveries.mts';
import { fillDemoAccount } from './service/demoAccount.mts';
import { Exchanges } from './service/exchanges.mts';
import { Limits } from './service/limits.mts';
import { Service } from './service/service.mts';
import { Settlements } from './service/settlements.mts';
import { Sites } from './service/sites.mts';
import { Watchdog } from './service/watchdog.mts';
import { Settings } from './settings.mts';
import { DeliveryLog } from './store/deliveryLog.mts';
import type { Store } from './store/store.mts';

export interface Parts {
	settings: Settings;
	keys: ApiKeys;
	/** The key that the options name, or the first one that is not revoked. */
	apiKey: string;
	service: Service;
	faults: Faults;
	deliveries: Deliveries;
	settlements: Settlements;
	books: Books;
	app: FastifyInstance;
	/** The endpoints of the API, such as `GET /api/sites`; complete once `app` listens. */
	endpoints: readonly string[];
}

/**
 * @param closing ends the delays of requests that are under way
 * @throws InvalidSetting when an option or a setting in the store cannot be used
 */
export function buildParts(store: Store, options: SandboxOptions, closing: AbortSignal): Parts {
	const clock = options.clock ?? Date.now;
	forgetOldRequests(store);
	const activityLog = new ActivityLog(clock, options.onActivity);
	const logActivity = activityLog.log;
	const settings = new Settings(store);
	store.transaction(() => {
		applyOptions(settings, options);
	});
	const keys = new ApiKeys(store, clock);
	const credits = new Credits(store, clock);
	if (store.isNew) openAccount(store, credits, options, clock());
	const sites = new Sites(store, clock);
	const exchanges = new Exchanges(store, clock);
	const accepts = new Accepts(store, clock, credits, exchanges);
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
		logActivity,
		options: options.delivery ?? {},
	});
	const settlements = new Settlements({ store, clock, accepts, deliveries, logActivity });
	const service = new Service({
		store,
		clock,
		settings,
		credits,
		sites,
		exchanges,
		accepts,
		settlements,
		watchdog,
		deliveries,
		logActivity,
		notice: options.receiver ? '; n8n will notice within a minute or two' : '',
	});
	const books = new Books({ store, credits, sites, exchanges, watchdog, log });

	const app = newServer();
	const { receiver, latencyMilliseconds = 0 } = options;
	const all = {
		...{ store, clock, settings, keys, limits, faults, service, watchdog, deliveries, log, books },
		...{ activityLog, logActivity, receiver, latencyMilliseconds, closing },
	};
	const endpoints = addApi(app, all);
	addControl(app, all);
	addDashboard(app, all);
	const apiKey = firstKey(keys, options.apiKey);
	return {
		settings,
		keys,
		apiKey,
		service,
		faults,
		deliveries,
		settlements,
		books,
		app,
		endpoints,
	};
}

function openAccount(
	store: Store,
	credits: Credits,
	{ seed, credits: opening }: SandboxOptions,
	now: number,
): void {
	if (seed === undefined) credits.enter(opening ?? 100, 'opening');
	else fillDemoAccount(store, seed, opening ?? 250, now);
}

function firstKey(keys: ApiKeys, wanted: string | undefined): string {
	const found =
		wanted === undefined
			? keys.list().find((key) => key.revokedAt === undefined)
			: keys.create('API key', wanted);
	return (found ?? keys.create()).key;
}

function applyOptions(settings: Settings, options: SandboxOptions): void {
	if (options.plan !== undefined) settings.setPlan(options.plan);
	if (options.readOnly !== undefined) settings.setReadOnly(options.readOnly);
	// A dialect that fits the new secret may not fit the old one, so the old one is removed first.
	if (options.webhook) settings.setWebhook(undefined);
	if (options.dialect !== undefined) settings.setDialect(resolveDialect(options.dialect));
	if (options.webhook) settings.setWebhook(options.webhook);
	if (options.verification) settings.setVerification(options.verification);
}
