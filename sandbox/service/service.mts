import type { LogActivity } from '../activity.mts';
import { ServiceError } from '../errors.mts';
import type { Settings } from '../settings.mts';
import type { Attempt } from '../store/deliveryLog.mts';
import type {
	Balance,
	EventName,
	Exchange,
	ExchangeStatus,
	LedgerEntry,
	Site,
	WatchdogEvent,
} from '../store/records.mts';
import type { Store } from '../store/store.mts';
import type { Accept, Accepts } from './accepts.mts';
import type { Credits } from './credits.mts';
import type { Deliveries } from './deliveries.mts';
import { nextOffer } from './demoAccount.mts';
import type { Exchanges, NewExchange } from './exchanges.mts';
import type { Settlements } from './settlements.mts';
import type { NewSite, Sites } from './sites.mts';
import { testRecord } from './testEvents.mts';
import type { NewWatchdogEvent, Watchdog } from './watchdog.mts';

interface Parts {
	store: Store;
	settings: Settings;
	clock: () => number;
	credits: Credits;
	sites: Sites;
	exchanges: Exchanges;
	accepts: Accepts;
	settlements: Settlements;
	watchdog: Watchdog;
	deliveries: Deliveries;
	logActivity: LogActivity;
	/** What the log adds to an event: who will notice it. */
	notice: string;
}

/** Everything that changes the account. Each change is one transaction, together with the deliveries that announce it. */
export class Service {
	readonly #parts: Parts;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	addSite(site: NewSite): Site {
		return this.#change(() => {
			const added = this.#parts.sites.add(site, this.#parts.settings.verification);
			this.#logActivity(`Site ${added.url} added (${added.niche}); verification has begun`);
			return added;
		});
	}

	sites(): Site[] {
		for (const site of this.#parts.sites.finishVerifications()) {
			this.#logActivity(
				`Site ${site.url} ${site.verified ? 'is verified' : 'did not pass verification'}`,
			);
		}
		return this.#parts.sites.list();
	}

	requestOffer(offer: NewExchange = {}): Exchange {
		return this.#change(() => {
			const exchange = this.#parts.exchanges.request(offer);
			this.#parts.deliveries.announce('exchange.requested', exchange);
			const { anchor, cost } = exchange;
			this.#logActivity(
				`New offer: ${fromTo(exchange)} (“${anchor}”, ${cost} credits)${this.#parts.notice}`,
			);
			return exchange;
		});
	}

	/**
	 * Makes several offers, all or none; what is not named differs from one to the next. With an ID it can only be one, because the
	 * second is refused.
	 */
	requestOffers(count: number, offer: NewExchange = {}): Exchange[] {
		const { exchanges, sites } = this.#parts;
		const before = exchanges.list().length;
		return this.#change(() =>
			Array.from({ length: count }, (_, index) =>
				this.requestOffer({ ...nextOffer(before + index, sites.list()), ...offer }),
			),
		);
	}

	/** @throws ServiceError when there is no such exchange, it is not pending, or the credits do not suffice */
	accept(id: string): Accept {
		return this.#change(() => {
			const { settings, accepts, deliveries, settlements, credits } = this.#parts;
			settlements.settleDue();
			const accept = accepts.accept(id, settings.dialect);
			const { exchange, outcome } = accept;
			if (outcome === 'accepted') deliveries.announce('exchange.accepted', exchange);
			// This sets the timer for the accept.
			if (outcome === 'unsettled') settlements.settleDue();
			const what = {
				accepted: `Accepted for ${exchange.cost} credits: ${fromTo(exchange)}`,
				again: `Accepted once more, though it is ${exchange.status} already: ${fromTo(exchange)}`,
				unsettled: `An accept that has not taken effect yet: ${fromTo(exchange)}`,
			}[outcome];
			const { balance } = credits.balance();
			this.#logActivity(`${what}; ${balance} credits left`);
			return accept;
		});
	}

	/** The exchanges as the list endpoint shows them, in the dialect that is set. */
	listedExchanges(status?: ExchangeStatus): Exchange[] {
		const { settlements, exchanges, settings } = this.#parts;
		settlements.settleDue();
		const showsAll = settings.dialect.exchangeList === 'all';
		return exchanges.list(status ?? (showsAll ? undefined : 'pending'));
	}

	/** The balance as its endpoint shows it, in the dialect that is set. */
	balance(): { balance: Balance; entries: LedgerEntry[] } {
		const { settlements, credits, settings, clock } = this.#parts;
		settlements.settleDue();
		const moment = clock() - settings.dialect.balanceLagSeconds * 1000;
		return { balance: credits.balance(moment), entries: credits.entries(moment) };
	}

	publish(id: string, liveUrl?: string): Exchange {
		return this.#change(() => {
			const exchange = this.#parts.exchanges.publish(id, liveUrl);
			this.#parts.deliveries.announce('exchange.published', exchange);
			this.#logActivity(
				`Link is live: ${fromTo(exchange)}, on ${exchange.liveUrl ?? ''}${this.#parts.notice}`,
			);
			return exchange;
		});
	}

	/**
	 * The partner removes the link, and the watchdog's check, which follows at once, notices.
	 *
	 * @param named the exchange; by default the one whose link is live since last
	 * @throws ServiceError when no link is live
	 */
	breakLink(named?: string): Exchange {
		return this.#change(() => {
			const { exchanges } = this.#parts;
			const id = named ?? exchanges.list('live').at(-1)?.id;
			if (id === undefined) {
				throw new ServiceError(409, 'no_exchange', 'No link is live. Publish one first.');
			}
			exchanges.removeLink(id);
			this.#alertOf(exchanges.check().broken);
			return exchanges.get(id);
		});
	}

	/** The partner removes the link; nobody has noticed yet. */
	removeLink(id: string): Exchange {
		return this.#change(() => this.#parts.exchanges.removeLink(id));
	}

	/** The watchdog's check of all earned links: each one that is gone breaks its exchange and raises an alert. */
	checkLinks(): { checked: number; broken: Exchange[] } {
		return this.#change(() => {
			const result = this.#parts.exchanges.check();
			this.#alertOf(result.broken);
			if (result.broken.length === 0) {
				this.#logActivity(`The watchdog checked ${result.checked} links: all are there`);
			}
			return result;
		});
	}

	#alertOf(broken: Exchange[]): void {
		for (const { id, toSite, fromSite, liveUrl } of broken) {
			const detail = `The link to ${toSite} is gone from ${liveUrl ?? fromSite}.`;
			this.alert({ exchangeId: id, severity: 'critical', type: 'link_removed', detail });
		}
	}

	/**
	 * The watchdog raises an alert, by default about the latest live exchange, or else the latest one.
	 * @throws ServiceError when there is no exchange
	 */
	alert(fields: Partial<NewWatchdogEvent> = {}): WatchdogEvent {
		return this.#change(() => {
			const exchangeId =
				fields.exchangeId ??
				this.#parts.exchanges.list('live').at(-1)?.id ??
				this.#parts.exchanges.list().at(-1)?.id;
			if (exchangeId === undefined) {
				throw new ServiceError(
					409,
					'no_exchange',
					'There is no exchange yet that an alert could be about. Make an offer first.',
				);
			}
			const [about] = this.#parts.exchanges.list().filter(({ id }) => id === exchangeId);
			const link = about === undefined ? 'The link' : `The link from ${about.fromSite}`;
			const event = this.#parts.watchdog.record({
				exchangeId,
				severity: fields.severity ?? 'warning',
				type: fields.type ?? 'link_nofollow',
				detail: fields.detail ?? `${link} was changed to nofollow.`,
			});
			this.#parts.deliveries.announce('watchdog.alert', event);
			const { severity } = event;
			this.#logActivity(
				`Alert (${severity}): ${event.detail.replace(/\.$/, '')}${this.#parts.notice}`,
			);
			return event;
		});
	}

	/** Makes the event happen: to the exchange that is named, or else to the oldest one to which it can happen. */
	makeHappen(
		event: EventName,
		fields: NewExchange & Partial<NewWatchdogEvent>,
	): Exchange | WatchdogEvent {
		const { exchangeId, severity, type, detail, ...offer } = fields;
		const next = (status: ExchangeStatus) => {
			const id = exchangeId ?? this.#parts.exchanges.list(status)[0]?.id;
			if (id !== undefined) return id;
			throw new ServiceError(
				409,
				'no_exchange',
				`There is no ${status} exchange that this could happen to.`,
			);
		};
		switch (event) {
			case 'exchange.requested':
				return this.requestOffer({ id: exchangeId, ...offer });
			case 'exchange.accepted':
				return this.accept(next('pending')).exchange;
			case 'exchange.published':
				return this.publish(next('accepted'));
			case 'watchdog.alert':
				return this.alert({ exchangeId, severity, type, detail });
		}
	}

	/**
	 * Sends one test event; no exchange changes. Resolves to the answer.
	 *
	 * @throws ServiceError when there is no webhook to send it to
	 */
	async sendTestEvent(event: EventName): Promise<Attempt> {
		const { deliveries, exchanges, clock, logActivity } = this.#parts;
		const attempt = await deliveries.sendTest(event, testRecord(event, exchanges, clock()));
		const answer = attempt.error ?? `status ${attempt.status ?? ''}`;
		logActivity(`Test event ${event}: ${answer}`);
		return attempt;
	}

	/** Brings the balance to this many credits, with one ledger entry. */
	setCredits(credits: number): void {
		if (!Number.isSafeInteger(credits) || credits < 0) {
			throw new ServiceError(422, 'invalid_credits', 'Credits are a whole number, 0 or more.');
		}
		this.#change(() => {
			this.#parts.credits.enter(credits - this.#parts.credits.balance().balance, 'adjustment');
			this.#logActivity(`The balance is now ${credits} credits`);
		});
	}

	#change<Result>(change: () => Result): Result {
		return this.#parts.store.transaction(change);
	}

	/** Logs what happened once the store has kept it. */
	#logActivity(text: string): void {
		this.#parts.store.afterCommit(() => {
			this.#parts.logActivity(text);
		});
	}
}

/** Whose link to which of the own sites, without what all addresses have in common. */
export function fromTo({ fromSite, toSite }: Exchange): string {
	const short = (url: string) => url.replace(/^https:\/\/|\/$/g, '');
	return `${short(fromSite)} → ${short(toSite)}`;
}
