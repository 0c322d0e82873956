import type { Attempt, Delivery, DeliveryLog } from '../store/deliveryLog.mts';
import type {
	Balance,
	Exchange,
	ExchangeStatus,
	LedgerEntry,
	Site,
	WatchdogEvent,
} from '../store/records.mts';
import { integer, optionalInteger, optionalText, type Store, text } from '../store/store.mts';
import type { Credits } from './credits.mts';
import type { Exchanges } from './exchanges.mts';
import type { Sites } from './sites.mts';
import type { Watchdog } from './watchdog.mts';

export interface BookedRequest {
	id: number;
	/** When it came in, in milliseconds since 1970. */
	receivedAt: number;
	/** The API key's number; undefined when the request had no valid one. */
	keyId: number | undefined;
	method: string;
	/** The path as it was sent, with the query. */
	path: string;
	/** The endpoint, such as `POST /api/exchanges/:id/accept`; undefined for an unknown path. */
	endpoint: string | undefined;
	exchangeId: string | undefined;
	/** The status of the answer; undefined when the connection was cut. */
	status: number | undefined;
	/** The fault that was applied. */
	fault: string | undefined;
	/** How many requests were under way when this one came in, itself included. */
	inFlight: number;
}

export interface RequestFilter {
	keyId?: number;
	method?: string;
	endpoint?: string;
	exchangeId?: string;
	status?: number;
}

export interface DeliveryFilter {
	event?: string;
	exchangeId?: string;
	state?: Delivery['state'];
}

export interface DeliveryBook extends Delivery {
	log: Attempt[];
}

interface Parts {
	store: Store;
	credits: Credits;
	sites: Sites;
	exchanges: Exchanges;
	watchdog: Watchdog;
	log: DeliveryLog;
}

/** What happened, for tests to ask. Every read is synchronous and comes from the store. */
export class Books {
	readonly #parts: Parts;

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/** The requests that were answered or cut, the oldest first. */
	requests(filter: RequestFilter = {}): BookedRequest[] {
		const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
		const columns: Record<string, string> = { keyId: 'key_id', exchangeId: 'exchange_id' };
		const where = conditions.map(([name]) => `${columns[name] ?? name} = ?`).join(' AND ');
		return this.#parts.store
			.all(
				`SELECT * FROM requests ${where && `WHERE ${where}`} ORDER BY id`,
				...conditions.map(([, value]) => value as string | number),
			)
			.map((row) => ({
				id: integer(row, 'id'),
				receivedAt: integer(row, 'received_at'),
				keyId: optionalInteger(row, 'key_id'),
				method: text(row, 'method'),
				path: text(row, 'path'),
				endpoint: optionalText(row, 'endpoint'),
				exchangeId: optionalText(row, 'exchange_id'),
				status: optionalInteger(row, 'status'),
				fault: optionalText(row, 'fault'),
				inFlight: integer(row, 'in_flight'),
			}));
	}

	/** How many times credits were deducted for the exchange: 1 if it was paid once. */
	acceptsOf(exchangeId: string): number {
		return this.#parts.credits.deductionsFor(exchangeId);
	}

	creditsSpentOn(exchangeId: string): number {
		return this.#parts.credits.spentOn(exchangeId);
	}

	balance(): number {
		return this.#parts.credits.balance().balance;
	}

	/** The balance and both lifetime figures. */
	balances(): Balance {
		return this.#parts.credits.balance();
	}

	/** The entries of the ledger, the newest first. */
	ledger(): LedgerEntry[] {
		return this.#parts.credits.entries();
	}

	sites(): Site[] {
		return this.#parts.sites.list();
	}

	exchanges(status?: ExchangeStatus): Exchange[] {
		return this.#parts.exchanges.list(status);
	}

	/** @throws ServiceError when there is none */
	exchange(id: string): Exchange {
		return this.#parts.exchanges.get(id);
	}

	/** The watchdog events, the newest first. */
	watchdogEvents(): WatchdogEvent[] {
		return this.#parts.watchdog.list();
	}

	/** The deliveries with their attempts, the oldest first. */
	deliveries(filter: DeliveryFilter = {}): DeliveryBook[] {
		const { log } = this.#parts;
		return log
			.list()
			.filter(
				(delivery) =>
					(filter.event === undefined || delivery.event === filter.event) &&
					(filter.exchangeId === undefined || delivery.exchangeId === filter.exchangeId) &&
					(filter.state === undefined || delivery.state === filter.state),
			)
			.map((delivery) => ({ ...delivery, log: log.attempts(delivery.id) }));
	}
}

/** The most requests that are kept, because a store that is used for months must not grow for ever. */
const keptRequests = 100_000;

/** Drops all but the newest requests. Call it at the start alone, so that nothing disappears while a test looks. */
export function forgetOldRequests(store: Store): void {
	store.run('DELETE FROM requests WHERE id <= (SELECT max(id) FROM requests) - ?', keptRequests);
}
