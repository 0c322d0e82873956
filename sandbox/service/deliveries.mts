import { setTimeout as sleep } from 'node:timers/promises';

import { request } from 'undici';

import { ServiceError } from '../errors.mts';
import type { Faults } from '../faults.mts';
import { eventBody } from '../serialization/events.mts';
import { signatureHeader } from '../serialization/signature.mts';
import type { Settings } from '../settings.mts';
import type { Attempt, Delivery, EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';

export interface DeliveryOptions {
	/** How long the receiver may take to answer; default 10,000. */
	timeoutMilliseconds?: number;
	/** The waits before the second, third, … attempt; after the last attempt the delivery is given up. */
	backoffMilliseconds?: readonly number[];
}

interface Dependencies {
	store: Store;
	settings: Settings;
	faults: Faults;
	logActivity: (text: string) => void;
}

const defaultBackoff = [1_000, 5_000, 30_000, 120_000, 600_000];
/** How much of an answer the log keeps. */
const answerCharacters = 600;

/**
 * Webhook deliveries: written to the store in the transaction of the change that they announce, sent afterwards one at a time and
 * in order, and sent again with growing waits on anything but 2xx. A restart goes on with what was not answered yet.
 */
export class Deliveries {
	readonly #parts: Dependencies;
	readonly #timeout: number;
	readonly #backoff: readonly number[];
	readonly #stopped = new AbortController();
	/** The deliveries that are to be sent, each with what ends its waiting. */
	readonly #pending = new Map<number, AbortController>();
	/** Resolves when the attempt before the next one is over. */
	#turn = Promise.resolve();
	#onSettled: (() => void)[] = [];

	constructor(parts: Dependencies, options: DeliveryOptions) {
		this.#parts = parts;
		this.#timeout = options.timeoutMilliseconds ?? 10_000;
		this.#backoff = options.backoffMilliseconds ?? defaultBackoff;
	}

	/** Takes up the deliveries that an earlier process left. */
	start(): void {
		const { store } = this.#parts;
		for (const delivery of store.rows<Delivery>('deliveries', { state: 'waiting' })) {
			const now = store.now();
			this.#begin(delivery.id, (delivery.nextAttemptAt ?? now) - now);
		}
	}

	/**
	 * Writes down the delivery of an event, and sends it once the transaction that this is called in is kept. Without a webhook
	 * URL it is only written down; it can be sent later.
	 */
	enqueue(event: EventName, record: Exchange | WatchdogEvent): void {
		const { store, settings } = this.#parts;
		const id = this.#add(event, record, settings.webhook ? 'waiting' : 'no webhook');
		if (settings.webhook) {
			store.afterCommit(() => {
				this.#begin(id);
			});
		}
	}

	/**
	 * Sends a delivery once more, with the same body, whatever became of it.
	 *
	 * @throws ServiceError when there is no such delivery, or no webhook to send it to
	 */
	redeliver(id: number): void {
		this.#deliveryOf(id);
		this.#requireWebhook();
		this.#parts.store.update('deliveries', id, { state: 'waiting', attempts: 0 });
		this.#begin(id);
	}

	/**
	 * Sends an event once and only once, and resolves to the answer. The log keeps it.
	 *
	 * @throws ServiceError when there is no webhook to send it to
	 */
	async sendTest(event: EventName, record: Exchange | WatchdogEvent): Promise<Attempt> {
		this.#requireWebhook();
		// It is given up until it is answered, so that a restart does not send it again.
		const delivery = this.#deliveryOf(this.#add(event, record, 'given up'));
		const attempt = await this.#post(delivery);
		if (!attempt) throw new ServiceError(409, 'stopped', 'The sandbox is stopping.');
		const state = isAcknowledged(attempt) ? 'delivered' : 'given up';
		this.#parts.store.update('deliveries', delivery.id, { state, attempts: 1 });
		return attempt;
	}

	/** Resolves when every delivery has been answered or given up. */
	async settled(): Promise<void> {
		if (this.#pending.size > 0) {
			await new Promise<void>((resolve) => this.#onSettled.push(resolve));
		}
	}

	/** Stops at once; deliveries that were under way are sent again at the next start. */
	async stop(): Promise<void> {
		this.#stopped.abort();
		for (const waiting of this.#pending.values()) waiting.abort();
		await this.settled();
	}

	/** Writes a delivery into the log, and returns its number. */
	#add(event: EventName, record: Exchange | WatchdogEvent, state: Delivery['state']): number {
		const { store, settings } = this.#parts;
		const exchangeId = 'exchangeId' in record ? record.exchangeId : record.id;
		const body = eventBody(event, record, settings.dialect);
		return store.insert('deliveries', { event, exchangeId, body, state, createdAt: store.now() });
	}

	/** @throws ServiceError delivery_not_found */
	#deliveryOf(id: number): Delivery {
		const [delivery] = this.#parts.store.rows<Delivery>('deliveries', { id });
		if (delivery) return delivery;
		throw new ServiceError(404, 'delivery_not_found', `There is no delivery ${id}.`);
	}

	#requireWebhook(): void {
		if (this.#parts.settings.webhook) return;
		throw new ServiceError(
			409,
			'no_webhook',
			'No webhook URL is set, so there is nowhere to deliver to. Set one under Webhooks.',
		);
	}

	/** Sends a delivery after a wait, in place of an earlier wait of its. */
	#begin(id: number, milliseconds = 0): void {
		this.#pending.get(id)?.abort();
		const waiting = new AbortController();
		this.#pending.set(id, waiting);
		void this.#deliver(id, milliseconds, waiting.signal).finally(() => {
			if (this.#pending.get(id) === waiting) this.#pending.delete(id);
			if (this.#pending.size === 0) for (const resolve of this.#onSettled.splice(0)) resolve();
		});
	}

	/** Sends a delivery until it is taken or given up, in the manner of a fault where one is on. */
	async #deliver(id: number, milliseconds: number, waiting: AbortSignal): Promise<void> {
		let wait: number | undefined = milliseconds;
		const { event, attempts } = this.#deliveryOf(id);
		const fault = attempts === 0 ? this.#parts.faults.takeForDelivery(event) : undefined;
		if (fault?.kind === 'late-delivery') wait = fault.milliseconds;
		let times = fault?.kind === 'duplicate-delivery' ? 2 : 1;
		while (wait !== undefined) {
			if (wait > 0) await sleep(wait, undefined, { signal: waiting }).catch(() => undefined);
			const attempt = this.#turn.then(() =>
				waiting.aborted ? undefined : this.#attempt(this.#deliveryOf(id), times),
			);
			this.#turn = attempt.then(() => undefined);
			wait = await attempt;
			times = 1;
		}
	}

	/**
	 * Posts a delivery, and writes down what came of it.
	 *
	 * @param times how often, one after the other
	 * @returns the wait before the next attempt; undefined when there is none
	 */
	async #attempt(delivery: Delivery, times: number): Promise<number | undefined> {
		const { store, settings, logActivity } = this.#parts;
		let attempt: Attempt | undefined;
		for (let count = 0; count < times; count++) attempt = await this.#post(delivery);
		if (this.#stopped.signal.aborted) return undefined;
		const attempts = delivery.attempts + 1;
		const isDelivered = isAcknowledged(attempt);
		const wait = isDelivered || !settings.webhook ? undefined : this.#backoff[attempts - 1];
		const state = isDelivered ? 'delivered' : wait === undefined ? 'given up' : 'waiting';
		const nextAttemptAt = wait === undefined ? undefined : store.now() + wait;
		store.update('deliveries', delivery.id, { state, attempts, nextAttemptAt });
		// What was taken has been told as what happened.
		if (!isDelivered) {
			const next = wait === undefined ? 'given up' : `next attempt in ${wait / 1000} s`;
			logActivity(`${delivery.event} was not taken (${describeAttempt(attempt)}); ${next}`);
		}
		return wait;
	}

	/** Posts a delivery once, and writes the attempt into the log; undefined when there is no webhook or the sandbox is stopping. */
	async #post({ id, body }: Delivery): Promise<Attempt | undefined> {
		const { store, settings } = this.#parts;
		const { webhook, dialect } = settings;
		if (!webhook) return undefined;
		const startedAt = store.now();
		const begun = performance.now();
		const shownTime = startedAt + dialect.clockSkewSeconds * 1000;
		let status: number | undefined;
		let answer: string | undefined;
		let error: string | undefined;
		try {
			const response = await request(webhook.url, {
				method: 'POST',
				signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#timeout)]),
				headers: {
					'content-type': 'application/json',
					'user-agent': 'backlink-exchange-sandbox',
					'x-pb-signature': signatureHeader(body, webhook.secret, shownTime, dialect),
				},
				body,
			});
			status = response.statusCode;
			answer = await readExcerpt(response.body);
		} catch (cause) {
			error = describeError(cause, this.#timeout);
		}
		// The sandbox may have been closed meanwhile.
		if (this.#stopped.signal.aborted) return undefined;
		const milliseconds = Math.round(performance.now() - begun);
		const attempt = { deliveryId: id, startedAt, milliseconds, status, answer, error };
		store.insert('attempts', attempt);
		return attempt;
	}
}

/** How a delivery was answered, in a few words. */
export function describeAttempt(attempt: Attempt | undefined): string {
	if (!attempt) return 'no webhook URL';
	return attempt.error ?? `status ${attempt.status ?? ''}`;
}

function isAcknowledged(attempt: Attempt | undefined): boolean {
	const { status = 0, error } = attempt ?? {};
	return error === undefined && status >= 200 && status < 300;
}

/** Reads as much of an answer as the log keeps, so that no receiver can fill the memory. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= answerCharacters) break;
	}
	return Buffer.concat(chunks).toString('utf8').slice(0, answerCharacters);
}

function describeError(cause: unknown, timeout: number): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === 'TimeoutError') return `no answer within ${timeout} ms`;
	const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
	return code === undefined ? cause.message : `${code}: ${cause.message}`;
}
