import { setTimeout as sleep } from 'node:timers/promises';

import type { LogActivity } from '../activity.mts';
import { ServiceError } from '../errors.mts';
import type { Faults } from '../faults.mts';
import type { Settings } from '../settings.mts';
import type { Attempt, Delivery, DeliveryLog } from '../store/deliveryLog.mts';
import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { eventPayload, wrapEvent } from '../wire/events.mts';
import { DeliveryAttempts } from './deliveryAttempts.mts';

export interface DeliveryOptions {
	/** How long the receiver may take to answer; default 10,000. */
	timeoutMilliseconds?: number;
	/** The waits before the second, third, … attempt; after the last attempt the delivery is given up. */
	backoffMilliseconds?: readonly number[];
}

interface Parts {
	store: Store;
	log: DeliveryLog;
	clock: () => number;
	settings: Settings;
	faults: Faults;
	logActivity: LogActivity;
	options: DeliveryOptions;
}

const defaultBackoff = [1_000, 5_000, 30_000, 120_000, 600_000];

/**
 * Webhook deliveries: written to the store in the transaction of the change that they announce, sent afterwards one at a time and
 * in order, and sent again with growing waits on anything but 2xx. A restart goes on with what was not answered yet.
 */
export class Deliveries {
	readonly #parts: Parts;
	readonly #attempts: DeliveryAttempts;
	/** Deliveries to send now, in order. */
	#queue: number[] = [];
	/** Deliveries that wait for their next attempt or are held back. */
	readonly #timers = new Map<number, NodeJS.Timeout>();
	/** Deliveries that were held back, which happens to each of them once. */
	readonly #wasHeldBack = new Set<number>();
	#isSending = false;
	#onSettled: (() => void)[] = [];

	constructor(parts: Parts) {
		this.#parts = parts;
		const { log, clock, settings, options } = parts;
		const timeoutMilliseconds = options.timeoutMilliseconds ?? 10_000;
		this.#attempts = new DeliveryAttempts({
			log,
			clock,
			settings,
			timeoutMilliseconds,
		});
	}

	/** Takes up the deliveries that an earlier process left. */
	start(): void {
		const now = this.#parts.clock();
		for (const { id, nextAttemptAt } of this.#parts.log.waiting()) {
			this.#later(id, (nextAttemptAt ?? now) - now);
		}
	}

	/**
	 * Writes down the delivery of an event, and sends it once the transaction that this is called in is kept. Without a webhook
	 * URL it is only written down; it can be sent later.
	 */
	announce(event: EventName, record: Exchange | WatchdogEvent): void {
		const { store, settings } = this.#parts;
		if (!settings.webhook) {
			this.#add(event, record, 'no webhook');
			return;
		}
		const id = this.#add(event, record, 'waiting');
		store.afterCommit(() => {
			this.#enqueue(id);
		});
	}

	/**
	 * Sends a delivery once more, with the same body, whatever became of it.
	 *
	 * @throws ServiceError when there is no such delivery, or no webhook to send it to
	 */
	redeliver(id: number): void {
		const { log } = this.#parts;
		log.get(id);
		this.#requireWebhook();
		log.update(id, 'waiting', 0);
		this.#forgetTimer(id);
		if (!this.#queue.includes(id)) this.#enqueue(id);
	}

	/**
	 * Sends an event at once and only once, ahead of what is waiting, and resolves to the answer. The log keeps it.
	 *
	 * @throws ServiceError when there is no webhook to send it to
	 */
	async sendTest(event: EventName, record: Exchange | WatchdogEvent): Promise<Attempt> {
		const { log } = this.#parts;
		this.#requireWebhook();
		// It is given up until it is answered, so that a restart does not send it again.
		const id = this.#add(event, record, 'given up');
		const isDelivered = await this.#attempts.post(log.get(id));
		const attempt = log.attempts(id).at(-1);
		if (!attempt) throw new ServiceError(409, 'stopped', 'The sandbox is stopping.');
		log.update(id, isDelivered ? 'delivered' : 'given up', 1);
		return attempt;
	}

	/** Resolves when every delivery has been answered or given up. */
	settled(): Promise<void> {
		if (this.#isSettled) return Promise.resolve();
		return new Promise((resolve) => this.#onSettled.push(resolve));
	}

	/** Stops at once; deliveries that were under way are sent again at the next start. */
	async stop(): Promise<void> {
		const stopping = this.#attempts.stop();
		this.#queue = [];
		for (const id of [...this.#timers.keys()]) this.#forgetTimer(id);
		await stopping;
		while (this.#isSending) await sleep(1);
		for (const resolve of this.#onSettled.splice(0)) resolve();
	}

	/** Writes a delivery into the log, and returns its number. */
	#add(event: EventName, record: Exchange | WatchdogEvent, state: Delivery['state']): number {
		const { log, clock, settings } = this.#parts;
		return log.add({
			event,
			exchangeId: 'exchangeId' in record ? record.exchangeId : record.id,
			body: wrapEvent(event, eventPayload(event, record, settings.dialect), settings.dialect),
			state,
			createdAt: clock(),
		});
	}

	#requireWebhook(): void {
		if (this.#parts.settings.webhook) return;
		throw new ServiceError(
			409,
			'no_webhook',
			'No webhook URL is set, so there is nowhere to deliver to. Set one under Webhooks.',
		);
	}

	get #isSettled(): boolean {
		return this.#queue.length === 0 && this.#timers.size === 0 && !this.#isSending;
	}

	#enqueue(id: number): void {
		this.#queue.push(id);
		setImmediate(() => {
			this.#pump();
		});
	}

	#later(id: number, milliseconds: number): void {
		const timer = setTimeout(
			() => {
				this.#forgetTimer(id);
				this.#enqueue(id);
			},
			Math.max(0, milliseconds),
		);
		this.#timers.set(id, timer);
	}

	#forgetTimer(id: number): void {
		clearTimeout(this.#timers.get(id));
		this.#timers.delete(id);
	}

	/** Sends what is due, one after the other, so that a receiver sees it in order. */
	#pump(): void {
		if (this.#attempts.isStopped || this.#isSending) return;
		const id = this.#queue.shift();
		if (id === undefined) return;
		this.#isSending = true;
		void this.#send(id).finally(() => {
			this.#isSending = false;
			this.#pump();
			if (this.#isSettled) for (const resolve of this.#onSettled.splice(0)) resolve();
		});
	}

	/** Sends a delivery, in the manner of a fault where one is on; a fault concerns only the first time that it is to be sent. */
	async #send(id: number): Promise<void> {
		const delivery = this.#parts.log.get(id);
		const wasHeldBack = this.#wasHeldBack.delete(id);
		const isFirst = delivery.attempts === 0 && !wasHeldBack;
		const fault = isFirst ? this.#parts.faults.takeForDelivery(delivery.event) : undefined;
		if (fault?.kind === 'late-delivery') {
			this.#wasHeldBack.add(id);
			this.#later(id, fault.milliseconds);
			return;
		}
		let isDelivered = await this.#attempts.post(delivery);
		if (fault?.kind === 'duplicate-delivery') {
			isDelivered = (await this.#attempts.post(delivery)) || isDelivered;
		}
		if (!this.#attempts.isStopped) this.#conclude(delivery, isDelivered);
	}

	/** Writes down what came of an attempt; after a failure plans the next one, or gives the delivery up. */
	#conclude(delivery: Delivery, isDelivered: boolean): void {
		const { log, clock, settings, logActivity, options } = this.#parts;
		const { id, event } = delivery;
		const attempts = delivery.attempts + 1;
		const last = log.attempts(id).at(-1);
		const answer =
			last?.error ?? (last?.status === undefined ? 'no webhook URL' : `status ${last.status}`);
		const backoff = options.backoffMilliseconds ?? defaultBackoff;
		const wait = isDelivered || !settings.webhook ? undefined : backoff[attempts - 1];
		const state = isDelivered ? 'delivered' : wait === undefined ? 'given up' : 'waiting';
		log.update(id, state, attempts, wait === undefined ? undefined : clock() + wait);
		if (wait !== undefined) this.#later(id, wait);
		// What was taken has been told as what happened.
		if (isDelivered) return;
		const next = wait === undefined ? 'given up' : `next attempt in ${wait / 1000} s`;
		logActivity(`${event} was not taken (${answer}); ${next}`);
	}
}
