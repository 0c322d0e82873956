import { setTimeout as sleep } from 'node:timers/promises';

import { Agent, request } from 'undici';

import type { Faults } from './faults.mts';
import type { Activity, EventName, Exchange, WatchdogEvent } from './records.mts';
import { Refusal } from './refusal.mts';
import type { Settings } from './settings.mts';
import { signatureHeader } from './signature.mts';
import { integer, optionalInteger, optionalText, text, type Row, type Store } from './store.mts';
import { eventPayload, wrapEvent } from './wire.mts';

export interface DeliveryOptions {
	/** How long the receiver may take to answer; default 10,000. */
	timeoutMilliseconds?: number;
	/** The waits before the second, third, … attempt; after the last attempt the delivery is given up. */
	backoffMilliseconds?: readonly number[];
	/** How long a late or reordered delivery is held back at most; default 1,000. */
	lateMilliseconds?: number;
}

export interface Delivery {
	id: number;
	event: EventName;
	exchangeId: string;
	body: string;
	eventHeader: string | undefined;
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
	error: string | undefined;
}

interface Parts {
	store: Store;
	clock: () => number;
	settings: Settings;
	faults: Faults;
	activity: (kind: string, text: string, detail?: Omit<Activity, 'time' | 'kind' | 'text'>) => void;
	options: DeliveryOptions;
}

const defaultBackoff = [1_000, 5_000, 30_000, 120_000, 600_000];
const answerCharacters = 200;

/**
 * Webhook deliveries: written to the store in the transaction of the change that they announce, sent afterwards one at a time and
 * in order, and sent again with growing waits on anything but 2xx. A restart goes on with what was not answered yet.
 */
export class Deliveries {
	readonly #parts: Parts;
	readonly #agent: Agent;
	readonly #stopped = new AbortController();
	/** Deliveries to send, first in rank first. */
	#queue: number[] = [];
	/** Deliveries that wait for their next attempt or are held back. */
	readonly #timers = new Map<number, NodeJS.Timeout>();
	/** A reordered delivery goes out after the next one. */
	#held: number | undefined;
	#sending = 0;
	#onSettled: (() => void)[] = [];

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#agent = new Agent({ connect: { timeout: this.#timeout } });
	}

	/** Takes up what an earlier process left. */
	start(): void {
		const now = this.#parts.clock();
		for (const row of this.#parts.store.all(
			"SELECT id, next_attempt_at FROM deliveries WHERE state = 'waiting' ORDER BY id",
		)) {
			this.#later(integer(row, 'id'), (optionalInteger(row, 'next_attempt_at') ?? now) - now);
		}
	}

	/** Call it inside the transaction of the change. Without a webhook URL the event is kept in the log, from where it can be sent later. */
	announce(event: EventName, record: Exchange | WatchdogEvent): void {
		const { store, clock, settings } = this.#parts;
		const { body, eventHeader } = wrapEvent(
			event,
			eventPayload(event, record, settings.dialect),
			settings.dialect,
		);
		const exchangeId = 'exchangeId' in record ? record.exchangeId : record.id;
		const hasWebhook = settings.webhook !== undefined;
		const id = store.insert(
			'INSERT INTO deliveries (event, exchange_id, body, event_header, state, created_at) VALUES (?, ?, ?, ?, ?, ?)',
			event,
			exchangeId,
			body,
			eventHeader ?? null,
			hasWebhook ? 'waiting' : 'no webhook',
			clock(),
		);
		if (hasWebhook)
			store.afterCommit(() => {
				this.#enqueue(id);
			});
	}

	/** Sends a delivery once more, with the same body, whatever became of it. */
	redeliver(id: number): void {
		const { store, settings } = this.#parts;
		this.get(id);
		if (!settings.webhook)
			throw new Refusal(
				409,
				'no_webhook',
				'No webhook URL is set, so there is nowhere to deliver to.',
			);
		store.run(
			"UPDATE deliveries SET state = 'waiting', attempts = 0, next_attempt_at = NULL WHERE id = ?",
			id,
		);
		clearTimeout(this.#timers.get(id));
		this.#timers.delete(id);
		if (!this.#queue.includes(id)) this.#enqueue(id);
	}

	get(id: number): Delivery {
		const row = this.#parts.store.get('SELECT * FROM deliveries WHERE id = ?', id);
		if (!row) throw new Refusal(404, 'delivery_not_found', `There is no delivery ${id}.`);
		return deliveryOf(row);
	}

	/** Oldest first. */
	list(): Delivery[] {
		return this.#parts.store.all('SELECT * FROM deliveries ORDER BY id').map(deliveryOf);
	}

	/** Oldest first; of one delivery or of all. */
	attempts(deliveryId?: number): Attempt[] {
		const { store } = this.#parts;
		const rows =
			deliveryId === undefined
				? store.all('SELECT * FROM delivery_attempts ORDER BY id')
				: store.all(
						'SELECT * FROM delivery_attempts WHERE delivery_id = ? ORDER BY id',
						deliveryId,
					);
		return rows.map((row) => ({
			deliveryId: integer(row, 'delivery_id'),
			startedAt: integer(row, 'started_at'),
			milliseconds: integer(row, 'milliseconds'),
			status: optionalInteger(row, 'status'),
			answer: optionalText(row, 'answer'),
			error: optionalText(row, 'error'),
		}));
	}

	/** Resolves when every delivery has been answered or given up. */
	settled(): Promise<void> {
		if (this.#isSettled) return Promise.resolve();
		return new Promise((resolve) => this.#onSettled.push(resolve));
	}

	/** Ends at once; what was under way is sent again at the next start. */
	async stop(): Promise<void> {
		this.#stopped.abort();
		this.#queue = [];
		for (const timer of this.#timers.values()) clearTimeout(timer);
		this.#timers.clear();
		await this.#agent.destroy();
		while (this.#sending > 0) await sleep(1);
		for (const resolve of this.#onSettled.splice(0)) resolve();
	}

	get #timeout(): number {
		return this.#parts.options.timeoutMilliseconds ?? 10_000;
	}

	get #lateness(): number {
		return this.#parts.options.lateMilliseconds ?? 1_000;
	}

	get #isSettled(): boolean {
		return this.#queue.length === 0 && this.#timers.size === 0 && this.#sending === 0;
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
				this.#timers.delete(id);
				if (this.#held === id) this.#held = undefined;
				this.#enqueue(id);
			},
			Math.max(0, milliseconds),
		);
		this.#timers.set(id, timer);
	}

	#pump(): void {
		const parallel = this.#parts.settings.dialect.delivery === 'concurrent' ? 8 : 1;
		while (!this.#stopped.signal.aborted && this.#sending < parallel) {
			const id = this.#queue.shift();
			if (id === undefined) break;
			this.#sending += 1;
			void this.#send(id).finally(() => {
				this.#sending -= 1;
				this.#pump();
				if (this.#isSettled) for (const resolve of this.#onSettled.splice(0)) resolve();
			});
		}
	}

	async #send(id: number): Promise<void> {
		const delivery = this.get(id);
		const { settings, faults } = this.#parts;
		const isFirst = delivery.attempts === 0 && !this.#wasHeldBack.delete(id);
		const fault = isFirst ? faults.takeForDelivery(delivery.event) : undefined;
		const manner = fault?.kind ?? (isFirst ? mannerOf[settings.dialect.delivery] : undefined);
		if (manner === 'late-delivery' || manner === 'reordered-delivery') {
			this.#wasHeldBack.add(id);
			this.#later(id, fault?.milliseconds ?? this.#lateness);
			if (manner === 'reordered-delivery' && this.#held === undefined) this.#held = id;
			return;
		}
		const sent = {
			delivery,
			skew: fault?.kind === 'skewed-delivery' ? fault.milliseconds : 0,
			forged: manner === 'forged-delivery',
		};
		const answers: boolean[] = [];
		if (manner === 'concurrent-delivery')
			answers.push(...(await Promise.all([this.#attempt(sent), this.#attempt(sent)])));
		else {
			answers.push(await this.#attempt(sent));
			if (manner === 'duplicate-delivery') answers.push(await this.#attempt(sent));
		}
		if (this.#stopped.signal.aborted) return;
		this.#conclude(delivery, answers.includes(true));
		this.#releaseHeld(id);
	}

	readonly #wasHeldBack = new Set<number>();

	#releaseHeld(sent: number): void {
		const held = this.#held;
		if (held === undefined || held === sent) return;
		clearTimeout(this.#timers.get(held));
		this.#timers.delete(held);
		this.#held = undefined;
		this.#queue.unshift(held);
	}

	/** One POST. Whether it was answered with 2xx. */
	async #attempt({
		delivery,
		skew,
		forged,
	}: {
		delivery: Delivery;
		skew: number;
		forged: boolean;
	}): Promise<boolean> {
		const { store, clock, settings } = this.#parts;
		const { webhook, dialect } = settings;
		if (!webhook) return false;
		const startedAt = clock();
		const begun = performance.now();
		const secret = forged ? 'whsec_Zm9yZ2Vk' : webhook.secret;
		let status: number | undefined;
		let answer: string | undefined;
		let error: string | undefined;
		try {
			const response = await request(webhook.url, {
				method: 'POST',
				dispatcher: this.#agent,
				signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(this.#timeout)]),
				headers: {
					'content-type': 'application/json',
					'user-agent': 'backlink-exchange-sandbox',
					'x-pb-signature': signatureHeader(
						delivery.body,
						secret,
						startedAt + dialect.clockSkewSeconds * 1000 + skew,
						dialect,
					),
					...(delivery.eventHeader ? { 'x-pb-event': delivery.eventHeader } : {}),
				},
				body: delivery.body,
			});
			status = response.statusCode;
			answer = await beginningOf(response.body);
		} catch (cause) {
			if (this.#stopped.signal.aborted) return false;
			error = reasonOf(cause, this.#timeout);
		}
		store.insert(
			'INSERT INTO delivery_attempts (delivery_id, started_at, milliseconds, status, answer, error) VALUES (?, ?, ?, ?, ?, ?)',
			delivery.id,
			startedAt,
			Math.round(performance.now() - begun),
			status ?? null,
			answer ?? null,
			error ?? null,
		);
		return status !== undefined && status >= 200 && status < 300;
	}

	#conclude(delivery: Delivery, delivered: boolean): void {
		const { store, clock, settings, activity, options } = this.#parts;
		const attempts = delivery.attempts + 1;
		const last = this.attempts(delivery.id).at(-1);
		const answer =
			last?.status === undefined ? (last?.error ?? 'no webhook URL') : `status ${last.status}`;
		const wait = (options.backoffMilliseconds ?? defaultBackoff)[attempts - 1];
		const goesOn = !delivered && wait !== undefined && settings.webhook !== undefined;
		const state = delivered ? 'delivered' : goesOn ? 'waiting' : 'given up';
		store.run(
			'UPDATE deliveries SET state = ?, attempts = ?, next_attempt_at = ? WHERE id = ?',
			state,
			attempts,
			goesOn ? clock() + wait : null,
			delivery.id,
		);
		if (goesOn) this.#later(delivery.id, wait);
		const outcome = delivered
			? `delivered (${answer})`
			: goesOn
				? `not delivered (${answer}); next attempt in ${wait / 1000} s`
				: `given up after ${attempts} attempts (${answer})`;
		activity('delivery', `${delivery.event} for ${delivery.exchangeId} ${outcome}.`, {
			deliveryId: delivery.id,
			event: delivery.event,
			exchangeId: delivery.exchangeId,
			status: last?.status ?? null,
			state,
		});
	}
}

const mannerOf = {
	once: undefined,
	repeated: 'duplicate-delivery',
	late: 'late-delivery',
	'out-of-order': 'reordered-delivery',
	concurrent: 'concurrent-delivery',
} as const;

/** Reads as much of an answer as the log keeps; a receiver cannot fill the memory. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	let beginning = '';
	for await (const chunk of body) {
		beginning += chunk.toString('utf8');
		if (beginning.length >= answerCharacters) break;
	}
	return beginning.slice(0, answerCharacters);
}

function reasonOf(cause: unknown, timeout: number): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === 'TimeoutError') return `no answer within ${timeout} ms`;
	const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
	return code ? `${code}: ${cause.message}` : cause.message;
}

function deliveryOf(row: Row): Delivery {
	return {
		id: integer(row, 'id'),
		event: text(row, 'event') as EventName,
		exchangeId: text(row, 'exchange_id'),
		body: text(row, 'body'),
		eventHeader: optionalText(row, 'event_header'),
		state: text(row, 'state') as Delivery['state'],
		attempts: integer(row, 'attempts'),
		createdAt: integer(row, 'created_at'),
	};
}
