import type {
	Attempt,
	Balance,
	BookedRequest,
	Delivery,
	Exchange,
	ExchangeStatus,
	LedgerEntry,
	Site,
	WatchdogEvent,
} from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { getBalance } from './credits.mts';
import { getExchange } from './exchanges.mts';

type RequestFilter = Partial<
	Pick<BookedRequest, 'keyId' | 'method' | 'endpoint' | 'exchangeId' | 'status'>
>;

/** What happened, for tests to ask. Every read is synchronous and comes from the store; lists begin with the oldest. */
export class ServiceQueries {
	readonly #store: Store;

	constructor(store: Store) {
		this.#store = store;
	}

	/** The requests that were answered or cut. */
	requests(filter: RequestFilter = {}): BookedRequest[] {
		return this.#store.rows<BookedRequest>('requests', filter);
	}

	/** How many times credits were deducted for the exchange: 1 if it was paid once. */
	acceptCount(exchangeId: string): number {
		return this.#entriesOf(exchangeId).filter(({ amount }) => amount < 0).length;
	}

	creditsSpentOn(exchangeId: string): number {
		return this.#entriesOf(exchangeId).reduce((sum, { amount }) => sum - amount, 0);
	}

	balance(): number {
		return getBalance(this.#store).balance;
	}

	/** The balance and both lifetime figures. */
	balances(): Balance {
		return getBalance(this.#store);
	}

	/** The entries of the ledger, the newest first. */
	ledger(): LedgerEntry[] {
		return this.#store.rows<LedgerEntry>('ledger').reverse();
	}

	sites(): Site[] {
		return this.#store.rows<Site>('sites');
	}

	exchanges(status?: ExchangeStatus): Exchange[] {
		return this.#store.rows<Exchange>('exchanges', { status });
	}

	/** @throws ServiceError when there is none */
	exchange(id: string): Exchange {
		return getExchange(this.#store, id);
	}

	/** The watchdog events, the newest first. */
	watchdogEvents(): WatchdogEvent[] {
		return this.#store.rows<WatchdogEvent>('watchdogEvents').reverse();
	}

	/** The deliveries with their attempts. */
	deliveries(
		filter: Partial<Pick<Delivery, 'event' | 'exchangeId' | 'state'>> = {},
	): (Delivery & { log: Attempt[] })[] {
		return this.#store.rows<Delivery>('deliveries', filter).map((delivery) => {
			const log = this.#store.rows<Attempt>('attempts', { deliveryId: delivery.id });
			return { ...delivery, log };
		});
	}

	#entriesOf(exchangeId: string): LedgerEntry[] {
		return this.#store.rows<LedgerEntry>('ledger', { exchangeId });
	}
}
