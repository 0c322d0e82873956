import { ServiceError } from '../errors.mts';
import type { EventName } from './records.mts';
import { integer, optionalInteger, optionalText, type Row, type Store, text } from './store.mts';

export interface Delivery {
	id: number;
	event: EventName;
	exchangeId: string;
	/** The exact bytes that are sent (as UTF-8), the same at every attempt. */
	body: string;
	/** What became of it; with `no webhook`, there was no URL to send it to when it happened. */
	state: 'waiting' | 'delivered' | 'given up' | 'no webhook';
	attempts: number;
	createdAt: number;
}

export interface Attempt {
	deliveryId: number;
	startedAt: number;
	milliseconds: number;
	/** HTTP status of the answer; undefined when there was none. */
	status: number | undefined;
	/** The beginning of the answer's body. */
	answer: string | undefined;
	/** Why there was no answer. */
	error: string | undefined;
}

export type NewDelivery = Pick<Delivery, 'event' | 'exchangeId' | 'body' | 'state' | 'createdAt'>;

/** The deliveries and their attempts, as the store keeps them. */
export class DeliveryLog {
	readonly #store: Store;

	constructor(store: Store) {
		this.#store = store;
	}

	/** Returns the delivery's number. */
	add(delivery: NewDelivery): number {
		return this.#store.insert(
			'INSERT INTO deliveries (event, exchange_id, body, state, created_at) VALUES (?, ?, ?, ?, ?)',
			delivery.event,
			delivery.exchangeId,
			delivery.body,
			delivery.state,
			delivery.createdAt,
		);
	}

	addAttempt(attempt: Attempt): void {
		this.#store.run(
			'INSERT INTO delivery_attempts (delivery_id, started_at, milliseconds, status, answer, error) VALUES (?, ?, ?, ?, ?, ?)',
			attempt.deliveryId,
			attempt.startedAt,
			attempt.milliseconds,
			attempt.status ?? null,
			attempt.answer ?? null,
			attempt.error ?? null,
		);
	}

	update(id: number, state: Delivery['state'], attempts: number, nextAttemptAt?: number): void {
		this.#store.run(
			'UPDATE deliveries SET state = ?, attempts = ?, next_attempt_at = ? WHERE id = ?',
			state,
			attempts,
			nextAttemptAt ?? null,
			id,
		);
	}

	/** @throws ServiceError delivery_not_found */
	get(id: number): Delivery {
		const row = this.#store.get('SELECT * FROM deliveries WHERE id = ?', id);
		if (!row) throw new ServiceError(404, 'delivery_not_found', `There is no delivery ${id}.`);
		return deliveryOf(row);
	}

	/** The deliveries, the oldest first; with a limit, only so many of the newest. */
	list(limit = -1): Delivery[] {
		return this.#store
			.all('SELECT * FROM deliveries ORDER BY id DESC LIMIT ?', limit)
			.map(deliveryOf)
			.reverse();
	}

	/** What is still to be sent, the oldest first, and when, in milliseconds since 1970; undefined for now. */
	waiting(): { id: number; nextAttemptAt: number | undefined }[] {
		return this.#store
			.all("SELECT id, next_attempt_at FROM deliveries WHERE state = 'waiting' ORDER BY id")
			.map((row) => ({
				id: integer(row, 'id'),
				nextAttemptAt: optionalInteger(row, 'next_attempt_at'),
			}));
	}

	/** The attempts of a delivery, the oldest first. */
	attempts(deliveryId: number): Attempt[] {
		return this.#store
			.all('SELECT * FROM delivery_attempts WHERE delivery_id = ? ORDER BY id', deliveryId)
			.map((row) => ({
				deliveryId: integer(row, 'delivery_id'),
				startedAt: integer(row, 'started_at'),
				milliseconds: integer(row, 'milliseconds'),
				status: optionalInteger(row, 'status'),
				answer: optionalText(row, 'answer'),
				error: optionalText(row, 'error'),
			}));
	}
}

function deliveryOf(row: Row): Delivery {
	return {
		id: integer(row, 'id'),
		event: text(row, 'event') as EventName,
		exchangeId: text(row, 'exchange_id'),
		body: text(row, 'body'),
		state: text(row, 'state') as Delivery['state'],
		attempts: integer(row, 'attempts'),
		createdAt: integer(row, 'created_at'),
	};
}
