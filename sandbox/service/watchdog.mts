import { ServiceError } from '../errors.mts';
import type { WatchdogEvent } from '../store/records.mts';
import { integer, type Store, text } from '../store/store.mts';

/** The severities that the dashboard offers. The document shows none, so any other text is accepted as well. */
export const severities = ['info', 'warning', 'critical'] as const;

export interface NewWatchdogEvent {
	exchangeId: string;
	severity: string;
	type: string;
	detail: string;
	createdAt?: number;
}

/** What the watchdog noticed about the account's earned links. */
export class Watchdog {
	readonly #store: Store;
	readonly #clock: () => number;

	constructor(store: Store, clock: () => number) {
		this.#store = store;
		this.#clock = clock;
	}

	/** @throws ServiceError for an alert without an exchange, a severity or a type */
	record(event: NewWatchdogEvent): WatchdogEvent {
		if (event.exchangeId === '' || event.severity === '' || event.type === '') {
			throw new ServiceError(
				422,
				'invalid_alert',
				'An alert needs an exchange, a severity and a type.',
			);
		}
		const createdAt = event.createdAt ?? this.#clock();
		const next = this.#store.get(
			'SELECT coalesce(max(number), 0) + 1 AS number FROM watchdog_events',
		);
		const id = `wde_${next ? integer(next, 'number') : 1}`;
		this.#store.run(
			'INSERT INTO watchdog_events (id, exchange_id, severity, type, detail, created_at) VALUES (?, ?, ?, ?, ?, ?)',
			id,
			event.exchangeId,
			event.severity,
			event.type,
			event.detail,
			createdAt,
		);
		return { ...event, id, createdAt };
	}

	/** The watchdog events, the newest first. */
	list(): WatchdogEvent[] {
		return this.#store.all('SELECT * FROM watchdog_events ORDER BY number DESC').map((row) => ({
			id: text(row, 'id'),
			exchangeId: text(row, 'exchange_id'),
			severity: text(row, 'severity'),
			type: text(row, 'type'),
			detail: text(row, 'detail'),
			createdAt: integer(row, 'created_at'),
		}));
	}
}
