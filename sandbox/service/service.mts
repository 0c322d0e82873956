import { ServiceError } from '../errors.mts';
import { type Fault, Faults } from '../faults.mts';
import { parseMail } from '../mail/parseMail.mts';
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
import { fillDemoAccount, nextOffer, nextOfferToPartner } from './demoAccount.mts';
import {
	acceptAsPartner,
	acceptExchange,
	checkLinks,
	createOffer,
	formatStatus,
	markLinkRemoved,
	moveBack,
	type NewExchange,
	publishExchange,
	setStatus,
} from './exchanges.mts';
import { createKey, findKey } from './keys.mts';
import { Limits } from './limits.mts';
import type { Activity, ServiceOptions } from './options.mts';
import { ServiceQueries } from './queries.mts';
import { addSite, type NewSite } from './sites.mts';
import { createTestRecord } from './testEvents.mts';
import { createAlert, type NewWatchdogEvent, recordAlert } from './watchdog.mts';

/** The dashboard shows all of them. */
const maxActivities = 200;
/** Older emails are deleted. */
const maxMails = 200;
/** A store that is used for months must not grow without a limit. */
const maxStoredRequests = 100_000;

/**
 * The service without its API.
 *
 * Each change of the account is one transaction, together with the deliveries that report it.
 */
export class Service {
	readonly store: Store;
	readonly settings: Settings;
	/** Read access to the store. */
	readonly books: ServiceQueries;
	readonly limits: Limits;
	readonly faults = new Faults();
	readonly deliveries: Deliveries;
	/** The key from the options, or the first one that isn't revoked. */
	readonly apiKey: string;
	/** Activity log since the start, oldest first. */
	activities: Activity[] = [];
	readonly #onActivity: ServiceOptions['onActivity'];

	/** @throws {InvalidSettingError} if an option or a stored setting can't be used */
	constructor(store: Store, options: ServiceOptions) {
		this.store = store;
		this.#onActivity = options.onActivity;
		this.books = new ServiceQueries(store);
		this.settings = new Settings(store);
		this.limits = new Limits(store, options.limits ?? {});
		const { settings, faults } = this;
		const logActivity = this.logActivity.bind(this);
		const dependencies = { store, settings, faults, logActivity };
		this.deliveries = new Deliveries(dependencies, options.delivery ?? {});
		// Only at a start, so that no request disappears while a test reads them.
		store.run(
			'DELETE FROM requests WHERE id <= (SELECT max(id) FROM requests) - ?',
			maxStoredRequests,
		);
		const { seed, credits, apiKey } = options;
		// Before anything else, because a store with an account is no longer new.
		if (store.isNew && seed === undefined) addLedgerEntry(store, credits ?? 100, 'opening');
		else if (store.isNew) fillDemoAccount(store, seed ?? '', credits ?? 250);
		this.change(options);
		const isValid = ({ revokedAt }: ApiKey) => revokedAt === undefined;
		const valid = apiKey === undefined ? store.rows<ApiKey>('keys').find(isValid) : undefined;
		this.apiKey = (valid ?? createKey(store, undefined, apiKey)).key;
	}

	/** Adds a line to the activity log after the current transaction. */
	logActivity(text: string): void {
		this.store.afterCommit(() => {
			const activity = { time: new Date(this.store.now()).toISOString(), text };
			this.activities = [...this.activities.slice(1 - maxActivities), activity];
			this.#onActivity?.(activity);
		});
	}

	/**
	 * Changes settings.
	 *
	 * @throws {InvalidSettingError} for an invalid setting
	 */
	change(changes: Changes): void {
		this.settings.change(changes);
	}

	createApiKey(name?: string): string {
		return createKey(this.store, name).key;
	}

	/** Revokes an API key; does nothing if it is revoked already. */
	revokeApiKey(key: string): void {
		const found = findKey(this.store, key);
		if (!found) throw new ServiceError(404, 'key_not_found', "This API key doesn't exist.");
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
			this.logActivity(
				`You added the site ${added.url} (${added.niche}). Its verification has started.`,
			);
			return added;
		});
	}

	/** Creates an offer from a partner: status pending, event exchange.requested. */
	requestOffer(offer: NewExchange = {}): Exchange {
		return this.store.transaction(() => {
			const exchange = createOffer(this.store, offer);
			this.deliveries.enqueue('exchange.requested', exchange);
			const { anchor } = exchange;
			const { from, to } = getSites(exchange);
			this.logActivity(`New offer: ${from} offers a link to ${to} with the anchor “${anchor}”.`);
			return exchange;
		});
	}

	/**
	 * Creates several offers, all or none. Fields that aren't given differ from one to the next.
	 *
	 * With an ID there can be only one, because the second is rejected.
	 */
	requestOffers(count: number, offer: NewExchange = {}): Exchange[] {
		const before = this.books.exchanges(undefined, 'incoming').length;
		const sites = this.books.sites();
		return this.store.transaction(() =>
			Array.from({ length: count }, (_, index) =>
				this.requestOffer({ ...nextOffer(before + index, sites, offer.toSite), ...offer }),
			),
		);
	}

	/**
	 * Creates an outgoing offer: status pending.
	 *
	 * service-api.md doesn't show whether it sends exchange.requested, so the dialect decides.
	 */
	offerToPartner(offer: Omit<NewExchange, 'cost'> = {}): Exchange {
		return this.store.transaction(() => {
			const exchange = createOffer(this.store, { ...offer, cost: 0 }, 'outgoing');
			if (this.settings.dialect.requestedEvents === 'all') {
				this.deliveries.enqueue('exchange.requested', exchange);
			}
			const { from, to } = getSites(exchange);
			this.logActivity(
				`Your offer: ${from} offers a link to ${to} with the anchor “${exchange.anchor}”. The partner hasn't accepted it yet.`,
			);
			return exchange;
		});
	}

	/** Creates an outgoing offer. Fields that aren't given differ from one to the next. */
	offerToNextPartner(offer: Omit<NewExchange, 'cost'> = {}): Exchange {
		const count = this.books.exchanges(undefined, 'outgoing').length;
		return this.offerToPartner({ ...nextOfferToPartner(count, this.books.sites()), ...offer });
	}

	/**
	 * Accepts an outgoing offer, as its partner does: event exchange.accepted, no credits.
	 *
	 * @param requestedId ID of the exchange; default: the oldest pending one
	 * @throws {ServiceError} if no outgoing offer is pending
	 */
	partnerAccepts(requestedId?: string): Exchange {
		return this.store.transaction(() => {
			const id = requestedId ?? this.books.exchanges('pending', 'outgoing')[0]?.id;
			if (id === undefined) {
				throw createNoExchangeError(
					'None of your offers to partners is pending. Offer a link to a partner first.',
				);
			}
			const exchange = acceptAsPartner(this.store, id);
			this.deliveries.enqueue('exchange.accepted', exchange);
			const { from, to } = getSites(exchange);
			this.logActivity(`The partner ${to} accepted your offer of a link from ${from}.`);
			return exchange;
		});
	}

	/**
	 * Accepts an incoming offer, as POST /exchanges/:id/accept does.
	 *
	 * @throws {ServiceError} exchange_not_found, exchange_not_incoming, exchange_not_pending or
	 * insufficient_credits
	 */
	accept(id: string): Exchange {
		return this.store.transaction(() => {
			const { dialect } = this.settings;
			const { exchange, isAgain, isCharged } = acceptExchange(this.store, id, dialect);
			if (isCharged) this.deliveries.enqueue('exchange.accepted', exchange);
			const { from, to } = getSites(exchange);
			const action = isAgain ? 'was accepted again' : 'was accepted';
			const charge = isCharged
				? `for ${formatCredits(exchange.cost)}`
				: `without a charge, because it is ${exchange.status} already`;
			const { balance } = getBalance(this.store);
			this.logActivity(
				`The offer of ${from} to ${to} ${action} ${charge}. The balance is now ${formatCredits(balance)}.`,
			);
			return exchange;
		});
	}

	/**
	 * Makes an exchange older, without an event.
	 *
	 * @throws {ServiceError} exchange_not_found
	 */
	makeOlder(id: string, days: number): Exchange {
		return this.store.transaction(() => {
			const exchange = moveBack(this.store, id, days * 86_400_000);
			const age = days === 1 ? '1 day' : `${days} days`;
			this.logActivity(`The times of ${formatRoute(exchange)} moved back by ${age}.`);
			return exchange;
		});
	}

	/**
	 * Lists an exchange with another status, such as `declined` or `PENDING`, without an event.
	 *
	 * @param status any text; empty: the list leaves the field out
	 * @throws {ServiceError} exchange_not_found
	 */
	setStatus(id: string, status: string): Exchange {
		return this.store.transaction(() => {
			const exchange = setStatus(this.store, id, status);
			this.logActivity(
				`The status of ${formatRoute(exchange)} changed. It is now ${formatStatus(exchange)}.`,
			);
			return exchange;
		});
	}

	/**
	 * Publishes the link: accepted or broken → live, event exchange.published.
	 *
	 * @param requestedId ID of the exchange; default: the oldest accepted one
	 */
	publish(requestedId?: string, liveUrl?: string): Exchange {
		return this.store.transaction(() => {
			const id = requestedId ?? this.books.exchanges('accepted')[0]?.id;
			if (id === undefined) {
				throw createNoExchangeError('There is no accepted offer. Accept an offer first.');
			}
			const exchange = publishExchange(this.store, id, liveUrl);
			this.deliveries.enqueue('exchange.published', exchange);
			const { from, to } = getSites(exchange);
			this.logActivity(
				`Link published: the link from ${from} to ${to} is live on ${exchange.liveUrl ?? ''}.`,
			);
			return exchange;
		});
	}

	/**
	 * Removes the link and runs the watchdog's check: live → broken, event watchdog.alert.
	 *
	 * @param requestedId ID of the exchange; default: the newest live one
	 * @throws {ServiceError} if no link is live
	 */
	breakLink(requestedId?: string): Exchange {
		return this.store.transaction(() => {
			const id = requestedId ?? this.books.exchanges('live').at(-1)?.id;
			if (id === undefined) {
				throw createNoExchangeError('There is no live link. Publish a link first.');
			}
			this.removeLink(id);
			this.#alertBrokenLinks();
			return this.books.exchange(id);
		});
	}

	/** Removes the link. The exchange stays live until the watchdog's next check. */
	removeLink(id: string): Exchange {
		return markLinkRemoved(this.store, id);
	}

	/** Runs the watchdog's check of all live links. Each broken one raises an alert. */
	checkLinks(): { checked: number; broken: Exchange[] } {
		return this.store.transaction(() => {
			const result = this.#alertBrokenLinks();
			if (result.broken.length === 0) {
				this.logActivity(`The watchdog checked ${result.checked} links and found all of them.`);
			}
			return result;
		});
	}

	/**
	 * Raises an alert, by default about the newest live exchange, otherwise about the newest one.
	 *
	 * @throws {ServiceError} if there is no exchange
	 */
	alert(fields: Partial<NewWatchdogEvent> = {}): WatchdogEvent {
		return this.store.transaction(() => {
			const latest = () =>
				this.books.exchanges('live').at(-1)?.id ?? this.books.exchanges().at(-1)?.id;
			const id = fields.exchangeId ?? latest();
			if (id === undefined) {
				throw createNoExchangeError(
					'An alert needs an exchange, and there is none. Create an offer first.',
				);
			}
			const usual = createAlert(id, fields.type ?? 'nofollow');
			const event = recordAlert(this.store, { ...usual, ...fields });
			this.deliveries.enqueue('watchdog.alert', event);
			const { severity, type, detail } = event;
			const [exchange] = this.store.rows<Exchange>('exchanges', { id });
			const subject = exchange === undefined ? `the exchange ${id}` : formatRoute(exchange);
			this.logActivity(
				`New alert (${severity}, ${type.replaceAll('_', ' ')}) about ${subject}. ${detail}`.trim(),
			);
			return event;
		});
	}

	/**
	 * Sends one test event; no exchange changes.
	 *
	 * @throws {ServiceError} if there is no webhook URL
	 */
	async sendTestEvent(event: EventName): Promise<Attempt> {
		const attempt = await this.deliveries.sendTest(event, createTestRecord(event, this.store));
		this.logActivity(`Test event ${event}: ${describeAttempt(attempt)}.`);
		return attempt;
	}

	/** Sets the balance with one ledger entry. */
	setCredits(credits: number): void {
		if (!Number.isSafeInteger(credits) || credits < 0) {
			throw new ServiceError(
				422,
				'invalid_credits',
				'The credits must be a whole number, 0 or more.',
			);
		}
		addLedgerEntry(this.store, credits - getBalance(this.store).balance, 'adjustment');
		this.logActivity(`The balance is now ${formatCredits(credits)}.`);
	}

	/** Stores an email that was sent to the mail server. */
	receiveMail(source: Buffer): void {
		const { from, to, subject, text, html } = parseMail(source);
		this.store.transaction(() => {
			const mail = {
				receivedAt: this.store.now(),
				sender: from,
				recipients: to,
				subject,
				text,
				html,
			};
			const id = this.store.insert('mails', mail);
			this.store.run('DELETE FROM mails WHERE id <= ?', id - maxMails);
			this.logActivity(`Email to ${to}: ${subject}`);
		});
	}

	/** Resolves when every delivery has been acknowledged or given up. */
	settled(): Promise<void> {
		return this.deliveries.settled();
	}

	#alertBrokenLinks(): { checked: number; broken: Exchange[] } {
		const result = checkLinks(this.store);
		for (const exchange of result.broken) this.alert(createAlert(exchange.id, 'link_removed'));
		return result;
	}
}

/** Formats both sites of an exchange, such as `partner.example → your-site.example`. */
export function formatRoute(exchange: Exchange): string {
	const { from, to } = getSites(exchange);
	return `${from} → ${to}`;
}

/** Returns both sites of an exchange without scheme and trailing slash. */
function getSites({ fromSite, toSite }: Exchange): { from: string; to: string } {
	const shorten = (url: string) => url.replace(/^https:\/\/|\/$/g, '');
	return { from: shorten(fromSite), to: shorten(toSite) };
}

function formatCredits(credits: number): string {
	return credits === 1 ? '1 credit' : `${credits} credits`;
}

function createNoExchangeError(message: string): ServiceError {
	return new ServiceError(409, 'no_exchange', message);
}
