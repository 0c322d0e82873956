import type {
	Attempt,
	Balance,
	BookedRequest,
	Delivery,
	Direction,
	Exchange,
	ExchangeStatus,
	LedgerEntry,
	Mail,
	Site,
	WatchdogEvent,
} from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { getBalance } from './credits.mts';
import { asListed, getExchange, parseStatus } from './exchanges.mts';

type RequestFilter = Partial<
	Pick<BookedRequest, 'keyId' | 'method' | 'endpoint' | 'exchangeId' | 'status'>
>;

/**
 * Read access for tests and the dashboard.
 *
 * Every read is synchronous and comes from the store. Lists are oldest first unless noted.
 */
export class ServiceQueries {
	readonly #store: Store;

	constructor(store: Store) {
		this.#store = store;
	}

	/** Returns the requests that were answered or cut. */
	requests(filter: RequestFilter = {}): BookedRequest[] {
		return this.#store.rows<BookedRequest>('requests', filter);
	}

	/** Returns how many times credits were deducted for an exchange: 1 if it was paid once. */
	acceptCount(exchangeId: string): number {
		return this.#getEntries(exchangeId).filter(({ amount }) => amount < 0).length;
	}

	creditsSpentOn(exchangeId: string): number {
		return this.#getEntries(exchangeId).reduce((sum, { amount }) => sum - amount, 0);
	}

	balance(): number {
		return getBalance(this.#store).balance;
	}

	/** Returns the balance and both lifetime figures. */
	balances(): Balance {
		return getBalance(this.#store);
	}

	/** Returns the ledger entries, newest first. */
	ledger(): LedgerEntry[] {
		const now = this.#store.now();
		const all = this.#store.rows<LedgerEntry>('ledger').reverse();
		const entries = all.filter(({ createdAt }) => createdAt <= now);
		// An exchange that was made older has moved its entry.
		return entries.sort((one, other) => other.createdAt - one.createdAt);
	}

	sites(): Site[] {
		return this.#store.rows<Site>('sites');
	}

	/** Returns the exchanges with a status, in any letter case. */
	exchanges(status?: ExchangeStatus, direction?: Direction): Exchange[] {
		const now = this.#store.now();
		return this.#store
			.rows<Exchange>('exchanges', { direction })
			.map((exchange) => asListed(exchange, now))
			.filter((exchange) => status === undefined || parseStatus(exchange) === status);
	}

	/** @throws {ServiceError} exchange_not_found */
	exchange(id: string): Exchange {
		return asListed(getExchange(this.#store, id), this.#store.now());
	}

	/** Returns the watchdog events, newest first. */
	watchdogEvents(): WatchdogEvent[] {
		return this.#store.rows<WatchdogEvent>('watchdogEvents').reverse();
	}

	/** Returns the emails, newest first. */
	mails(): Mail[] {
		return this.#store.rows<Mail>('mails').reverse();
	}

	/** Returns the email with this ID. */
	mail(id: number): Mail | undefined {
		return this.#store.rows<Mail>('mails', { id })[0];
	}

	/** Returns the deliveries with their attempts. */
	deliveries(
		filter: Partial<Pick<Delivery, 'event' | 'exchangeId' | 'state'>> = {},
	): (Delivery & { log: Attempt[] })[] {
		return this.#store.rows<Delivery>('deliveries', filter).map((delivery) => {
			const log = this.#store.rows<Attempt>('attempts', { deliveryId: delivery.id });
			return { ...delivery, log };
		});
	}

	#getEntries(exchangeId: string): LedgerEntry[] {
		return this.#store.rows<LedgerEntry>('ledger', { exchangeId });
	}
}
