import { ServiceError } from '../errors.mts';
import { type Fault, Faults } from '../faults.mts';
import { type Changes, Settings } from '../settings.mts';
import type {
	ApiKey,
	Attempt,
	EventName,
	Exchange,
	Site,
	WatchdogEvent,
} from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { addLedgerEntry, getBalance } from './credits.mts';
import { Deliveries, describeAttempt } from './deliveries.mts';
import { fillDemoAccount, nextOffer } from './demoAccount.mts';
import {
	acceptExchange,
	checkLinks,
	createOffer,
	markLinkRemoved,
	type NewExchange,
	publishExchange,
} from './exchanges.mts';
import { createKey, findKey } from './keys.mts';
import { Limits } from './limits.mts';
import type { Activity, ServiceOptions } from './options.mts';
import { ServiceQueries } from './queries.mts';
import { addSite, type NewSite } from './sites.mts';
import { testRecord } from './testEvents.mts';
import { type NewWatchdogEvent, recordAlert, removedLink } from './watchdog.mts';

/** The most lines that are kept, which is as many as the dashboard shows. */
const keptLines = 200;
/** The most requests that are kept, because a store that is used for months must not grow for ever. */
const keptRequests = 100_000;

/** The service without its API. Each change of the account is one transaction, together with the deliveries that announce it. */
export class Service {
	readonly store: Store;
	readonly settings: Settings;
	/** What happened, read from the store. */
	readonly books: ServiceQueries;
	readonly limits: Limits;
	readonly faults = new Faults();
	readonly deliveries: Deliveries;
	/** The key that the options name, or the first one that is not revoked. */
	readonly apiKey: string;
	/** What happened since the start, the oldest first. */
	activities: Activity[] = [];
	readonly #notice: string;
	readonly #onActivity: ServiceOptions['onActivity'];

	/** @throws InvalidSetting when an option or a setting in the store cannot be used */
	constructor(store: Store, options: ServiceOptions) {
		this.store = store;
		this.#notice = options.notice ?? '';
		this.#onActivity = options.onActivity;
		this.books = new ServiceQueries(store);
		this.settings = new Settings(store);
		this.limits = new Limits(store, options.limits ?? {});
		const { settings, faults } = this;
		const logActivity = this.logActivity.bind(this);
		const parts = { store, settings, faults, logActivity };
		this.deliveries = new Deliveries(parts, options.delivery ?? {});
		// Only now, so that nothing disappears while a test looks.
		store.run('DELETE FROM requests WHERE id <= (SELECT max(id) FROM requests) - ?', keptRequests);
		const { seed, credits, apiKey } = options;
		// First, because a store that has an account is no longer new.
		if (store.isNew && seed === undefined) addLedgerEntry(store, credits ?? 100, 'opening');
		else if (store.isNew) fillDemoAccount(store, seed ?? '', credits ?? 250);
		this.change(options);
		const isValid = ({ revokedAt }: ApiKey) => revokedAt === undefined;
		const valid = apiKey === undefined ? store.rows<ApiKey>('keys').find(isValid) : undefined;
		this.apiKey = (valid ?? createKey(store, undefined, apiKey)).key;
	}

	/** Logs what happened, once the store has kept it. */
	logActivity(text: string): void {
		this.store.afterCommit(() => {
			const activity = { time: new Date(this.store.now()).toISOString(), text };
			this.activities = [...this.activities.slice(1 - keptLines), activity];
			this.#onActivity?.(activity);
		});
	}

	/** Changes how the service behaves. @throws InvalidSetting when that makes no sense */
	change(changes: Changes): void {
		this.settings.change(changes);
	}

	createApiKey(name?: string): string {
		return createKey(this.store, name).key;
	}

	/** Revoking twice does nothing. */
	revokeApiKey(key: string): void {
		const found = findKey(this.store, key);
		if (!found) throw new ServiceError(404, 'key_not_found', 'There is no such API key.');
		const revokedAt = found.revokedAt ?? this.store.now();
		this.store.update('keys', found.id, { revokedAt });
	}

	addFault(fault: Fault): void {
		this.faults.add(fault);
	}

	clearFaults(): void {
		this.faults.clear();
	}

	addSite(site: NewSite): Site {
		return this.store.transaction(() => {
			const added = addSite(this.store, site, this.settings.verification);
			this.logActivity(`Site ${added.url} added (${added.niche}); verification has begun`);
			return added;
		});
	}

	/** A partner makes an offer: status pending, event exchange.requested. */
	requestOffer(offer: NewExchange = {}): Exchange {
		return this.store.transaction(() => {
			const exchange = createOffer(this.store, offer);
			this.deliveries.enqueue('exchange.requested', exchange);
			const { anchor, cost } = exchange;
			this.logActivity(
				`New offer: ${formatRoute(exchange)} (“${anchor}”, ${cost} credits)${this.#notice}`,
			);
			return exchange;
		});
	}

	/**
	 * Several partners make offers, all or none; what is not named differs from one to the next. With an ID it can only be one,
	 * because the second is refused.
	 */
	requestOffers(count: number, offer: NewExchange = {}): Exchange[] {
		const before = this.books.exchanges().length;
		const sites = this.books.sites();
		return this.store.transaction(() =>
			Array.from({ length: count }, (_, index) =>
				this.requestOffer({ ...nextOffer(before + index, sites), ...offer }),
			),
		);
	}

	/**
	 * Accepts an offer, as POST /exchanges/:id/accept does.
	 *
	 * @throws ServiceError when there is no such exchange, it is not pending, or the credits do not suffice
	 */
	accept(id: string): Exchange {
		return this.store.transaction(() => {
			const { exchange, isAgain } = acceptExchange(this.store, id, this.settings.dialect);
			if (!isAgain) this.deliveries.enqueue('exchange.accepted', exchange);
			const what = isAgain
				? `Accepted once more, though it is ${exchange.status} already`
				: `Accepted for ${exchange.cost} credits`;
			const { balance } = getBalance(this.store);
			this.logActivity(`${what}: ${formatRoute(exchange)}; ${balance} credits left`);
			return exchange;
		});
	}

	/**
	 * The partner puts the link up: accepted or broken → live, event exchange.published.
	 *
	 * @param named the exchange; by default the oldest accepted one
	 */
	publish(named?: string, liveUrl?: string): Exchange {
		return this.store.transaction(() => {
			const id = named ?? this.books.exchanges('accepted')[0]?.id;
			if (id === undefined) throw createNoExchangeError('No offer is accepted. Accept one first.');
			const exchange = publishExchange(this.store, id, liveUrl);
			this.deliveries.enqueue('exchange.published', exchange);
			this.logActivity(
				`Link is live: ${formatRoute(exchange)}, on ${exchange.liveUrl ?? ''}${this.#notice}`,
			);
			return exchange;
		});
	}

	/**
	 * The link disappears, and the watchdog's check, which follows at once, notices: live → broken, event watchdog.alert.
	 *
	 * @param named the exchange; by default the one whose link is live since last
	 * @throws ServiceError when no link is live
	 */
	breakLink(named?: string): Exchange {
		return this.store.transaction(() => {
			const id = named ?? this.books.exchanges('live').at(-1)?.id;
			if (id === undefined) throw createNoExchangeError('No link is live. Publish one first.');
			this.removeLink(id);
			this.#alertOfBroken();
			return this.books.exchange(id);
		});
	}

	/** The link disappears; the exchange stays live until the watchdog's next check. */
	removeLink(id: string): Exchange {
		return markLinkRemoved(this.store, id);
	}

	/** The watchdog's check of all earned links: each one that is gone breaks its exchange and raises an alert. */
	checkLinks(): { checked: number; broken: Exchange[] } {
		return this.store.transaction(() => {
			const result = this.#alertOfBroken();
			if (result.broken.length === 0) {
				this.logActivity(`The watchdog checked ${result.checked} links: all are there`);
			}
			return result;
		});
	}

	/**
	 * The watchdog raises an alert, by default about the latest live exchange, or else the latest one.
	 * @throws ServiceError when there is no exchange
	 */
	alert(fields: Partial<NewWatchdogEvent> = {}): WatchdogEvent {
		return this.store.transaction(() => {
			const latest = () =>
				this.books.exchanges('live').at(-1)?.id ?? this.books.exchanges().at(-1)?.id;
			const id = fields.exchangeId ?? latest();
			if (id === undefined) {
				throw createNoExchangeError(
					'There is no exchange yet that an alert could be about. Make an offer first.',
				);
			}
			const [about] = this.store.rows<Exchange>('exchanges', { id });
			const page = about === undefined ? 'the page' : about.fromSite;
			const event = recordAlert(this.store, {
				exchangeId: id,
				severity: fields.severity ?? 'warning',
				type: fields.type ?? 'link_nofollow',
				detail: fields.detail ?? `All links from ${page} are nofollow now.`,
			});
			this.deliveries.enqueue('watchdog.alert', event);
			const detail = event.detail.replace(/\.$/, '');
			this.logActivity(`Alert (${event.severity}): ${detail}${this.#notice}`);
			return event;
		});
	}

	/**
	 * Sends one test event; no exchange changes. Resolves to the answer.
	 *
	 * @throws ServiceError when there is no webhook to send it to
	 */
	async sendTestEvent(event: EventName): Promise<Attempt> {
		const attempt = await this.deliveries.sendTest(event, testRecord(event, this.store));
		this.logActivity(`Test event ${event}: ${describeAttempt(attempt)}`);
		return attempt;
	}

	/** Brings the balance to this many credits, with one ledger entry. */
	setCredits(credits: number): void {
		if (!Number.isSafeInteger(credits) || credits < 0) {
			throw new ServiceError(422, 'invalid_credits', 'Credits are a whole number, 0 or more.');
		}
		addLedgerEntry(this.store, credits - getBalance(this.store).balance, 'adjustment');
		this.logActivity(`The balance is now ${credits} credits`);
	}

	/** Resolves when every delivery was answered or given up. */
	settled(): Promise<void> {
		return this.deliveries.settled();
	}

	#alertOfBroken(): { checked: number; broken: Exchange[] } {
		const result = checkLinks(this.store);
		for (const exchange of result.broken) this.alert(removedLink(exchange));
		return result;
	}
}

/** Whose link to which of the own sites, without what all addresses have in common. */
export function formatRoute({ fromSite, toSite }: Exchange): string {
	const short = (url: string) => url.replace(/^https:\/\/|\/$/g, '');
	return `${short(fromSite)} → ${short(toSite)}`;
}

function createNoExchangeError(message: string): ServiceError {
	return new ServiceError(409, 'no_exchange', message);
}
