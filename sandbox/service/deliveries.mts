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
	/** Timeout of a request to the receiver; default 10,000. */
	timeoutMilliseconds?: number;
	/** Waits before the second and further attempts. The delivery is given up after the last one. */
	backoffMilliseconds?: readonly number[];
}

interface Dependencies {
	store: Store;
	settings: Settings;
	faults: Faults;
	logActivity: (text: string) => void;
}

const defaultBackoff = [1_000, 5_000, 30_000, 120_000, 600_000];
const maxExcerptLength = 600;

/**
 * Webhook deliveries.
 *
 * A delivery is stored in the transaction of the change that it reports. Afterwards deliveries are
 * sent one at a time, in order, and retried with growing waits on anything but 2xx. A restart
 * continues with those that weren't acknowledged.
 */
export class Deliveries {
	readonly #dependencies: Dependencies;
	readonly #timeout: number;
	readonly #backoff: readonly number[];
	readonly #stopped = new AbortController();
	/** Deliveries to send, each with a controller that aborts its wait. */
	readonly #pending = new Map<number, AbortController>();
	/** Resolves after the previous attempt. */
	#previousAttempt = Promise.resolve();
	#settledCallbacks: (() => void)[] = [];

	constructor(dependencies: Dependencies, options: DeliveryOptions) {
		this.#dependencies = dependencies;
		this.#timeout = options.timeoutMilliseconds ?? 10_000;
		this.#backoff = options.backoffMilliseconds ?? defaultBackoff;
	}

	/** Resumes deliveries of an earlier process. */
	start(): void {
		const { store } = this.#dependencies;
		for (const delivery of store.rows<Delivery>('deliveries', { state: 'waiting' })) {
			const now = store.now();
			this.#schedule(delivery.id, (delivery.nextAttemptAt ?? now) - now);
		}
	}

	/**
	 * Stores the delivery of an event, and sends it after the current transaction.
	 *
	 * Without a webhook URL it is only stored. It can be sent later.
	 */
	enqueue(event: EventName, record: Exchange | WatchdogEvent): void {
		const { store, settings } = this.#dependencies;
		const id = this.#add(event, record, settings.webhook ? 'waiting' : 'no webhook');
		if (settings.webhook) {
			store.afterCommit(() => {
				this.#schedule(id);
			});
		}
	}

	/**
	 * Sends a delivery again with the same body, in any state.
	 *
	 * @throws {ServiceError} if there is no such delivery, or no webhook URL
	 */
	redeliver(id: number): void {
		this.#getDelivery(id);
		this.#requireWebhook();
		this.#dependencies.store.update('deliveries', id, { state: 'waiting', attempts: 0 });
		this.#schedule(id);
	}

	/**
	 * Sends an event exactly once, and logs the attempt.
	 *
	 * @throws {ServiceError} if there is no webhook URL
	 */
	async sendTest(event: EventName, record: Exchange | WatchdogEvent): Promise<Attempt> {
		this.#requireWebhook();
		// Stored as given up until the receiver responds, so that a restart doesn't send it again.
		const delivery = this.#getDelivery(this.#add(event, record, 'given up'));
		const attempt = await this.#post(delivery);
		if (!attempt) throw new ServiceError(409, 'stopped', 'The sandbox is stopping.');
		const state = isAcknowledged(attempt) ? 'delivered' : 'given up';
		this.#dependencies.store.update('deliveries', delivery.id, { state, attempts: 1 });
		return attempt;
	}

	/** Resolves when every delivery has been acknowledged or given up. */
	async settled(): Promise<void> {
		if (this.#pending.size > 0) {
			await new Promise<void>((resolve) => this.#settledCallbacks.push(resolve));
		}
	}

	/** Stops immediately. Aborted deliveries are sent at the next start. */
	async stop(): Promise<void> {
		this.#stopped.abort();
		for (const waiting of this.#pending.values()) waiting.abort();
		await this.settled();
	}

	/**
	 * Stores a delivery.
	 *
	 * @returns its ID
	 */
	#add(event: EventName, record: Exchange | WatchdogEvent, state: Delivery['state']): number {
		const { store, settings } = this.#dependencies;
		const exchangeId = 'exchangeId' in record ? record.exchangeId : record.id;
		const body = eventBody(event, record, settings.dialect);
		return store.insert('deliveries', { event, exchangeId, body, state, createdAt: store.now() });
	}

	/** @throws {ServiceError} delivery_not_found */
	#getDelivery(id: number): Delivery {
		const [delivery] = this.#dependencies.store.rows<Delivery>('deliveries', { id });
		if (delivery) return delivery;
		throw new ServiceError(404, 'delivery_not_found', `The delivery ${id} doesn't exist.`);
	}

	#requireWebhook(): void {
		if (this.#dependencies.settings.webhook) return;
		throw new ServiceError(
			409,
			'no_webhook',
			"No webhook URL is set, so the event can't be sent. Set a URL on the Webhooks page.",
		);
	}

	/** Schedules a delivery, and replaces its earlier schedule. */
	#schedule(id: number, milliseconds = 0): void {
		this.#pending.get(id)?.abort();
		const waiting = new AbortController();
		this.#pending.set(id, waiting);
		void this.#deliver(id, milliseconds, waiting.signal).finally(() => {
			if (this.#pending.get(id) === waiting) this.#pending.delete(id);
			if (this.#pending.size > 0) return;
			for (const resolve of this.#settledCallbacks.splice(0)) resolve();
		});
	}

	/** Sends a delivery until it is acknowledged or given up. Faults may delay or duplicate it. */
	async #deliver(id: number, milliseconds: number, waiting: AbortSignal): Promise<void> {
		let wait: number | undefined = milliseconds;
		const { event, attempts } = this.#getDelivery(id);
		const fault = attempts === 0 ? this.#dependencies.faults.takeForDelivery(event) : undefined;
		if (fault?.kind === 'late-delivery') wait = fault.milliseconds;
		let times = fault?.kind === 'duplicate-delivery' ? 2 : 1;
		while (wait !== undefined) {
			if (wait > 0) await sleep(wait, undefined, { signal: waiting }).catch(() => undefined);
			const attempt = this.#previousAttempt.then(() =>
				waiting.aborted ? undefined : this.#attempt(this.#getDelivery(id), times),
			);
			this.#previousAttempt = attempt.then(() => undefined);
			wait = await attempt;
			times = 1;
		}
	}

	/**
	 * Posts a delivery and stores its new state.
	 *
	 * @param times how often it is posted, one after the other
	 * @returns the wait before the next attempt, or `undefined` if there is none
	 */
	async #attempt(delivery: Delivery, times: number): Promise<number | undefined> {
		const { store, settings, logActivity } = this.#dependencies;
		let attempt: Attempt | undefined;
		for (let count = 0; count < times; count++) attempt = await this.#post(delivery);
		if (this.#stopped.signal.aborted) return undefined;
		const attempts = delivery.attempts + 1;
		const isDelivered = isAcknowledged(attempt);
		const wait = isDelivered || !settings.webhook ? undefined : this.#backoff[attempts - 1];
		const state = isDelivered ? 'delivered' : wait === undefined ? 'given up' : 'waiting';
		const nextAttemptAt = wait === undefined ? undefined : store.now() + wait;
		store.update('deliveries', delivery.id, { state, attempts, nextAttemptAt });
		// Acknowledged deliveries aren't logged, because the event itself has been.
		if (!isDelivered) {
			const next =
				wait === undefined
					? "The sandbox won't send it again by itself"
					: `The sandbox sends it again in ${formatSeconds(wait)}`;
			logActivity(
				`The event ${delivery.event} wasn't delivered (${describeAttempt(attempt)}). ${next}.`,
			);
		}
		return wait;
	}

	/**
	 * Posts a delivery once and stores the attempt.
	 *
	 * @returns the attempt, or `undefined` if there is no webhook URL or the sandbox is stopping
	 */
	async #post({ id, body }: Delivery): Promise<Attempt | undefined> {
		const { store, settings } = this.#dependencies;
		const { webhook, dialect } = settings;
		if (!webhook) return undefined;
		const startedAt = store.now();
		const startedAtMono = performance.now();
		const serviceTime = startedAt + dialect.clockSkewSeconds * 1000;
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
					'x-pb-signature': signatureHeader(body, webhook.secret, serviceTime, dialect),
				},
				body,
			});
			status = response.statusCode;
			answer = await readExcerpt(response.body);
		} catch (cause) {
			error = describeError(cause, this.#timeout);
		}
		// The store may be closed by now.
		if (this.#stopped.signal.aborted) return undefined;
		const milliseconds = Math.round(performance.now() - startedAtMono);
		const attempt = { deliveryId: id, startedAt, milliseconds, status, answer, error };
		store.insert('attempts', attempt);
		return attempt;
	}
}

/** Describes an attempt for the activity log. */
export function describeAttempt(attempt: Attempt | undefined): string {
	if (!attempt) return 'no webhook URL is set';
	return attempt.error ?? `the response had the status ${attempt.status ?? ''}`;
}

function formatSeconds(milliseconds: number): string {
	const seconds = milliseconds / 1000;
	return seconds === 1 ? '1 second' : `${seconds} seconds`;
}

function isAcknowledged(attempt: Attempt | undefined): boolean {
	const { status = 0, error } = attempt ?? {};
	return error === undefined && status >= 200 && status < 300;
}

/**
 * Reads the beginning of a response.
 *
 * The limit protects the memory from endless responses.
 */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= maxExcerptLength) break;
	}
	return Buffer.concat(chunks).toString('utf8').slice(0, maxExcerptLength);
}

function describeError(cause: unknown, timeout: number): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === 'TimeoutError') return `no response within ${formatSeconds(timeout)}`;
	const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
	return code === undefined || cause.message.includes(code)
		? cause.message
		: `${code}: ${cause.message}`;
}
