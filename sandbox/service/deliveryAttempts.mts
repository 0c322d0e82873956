import { Agent, request } from 'undici';

import type { Settings } from '../settings.mts';
import type { Delivery, DeliveryLog } from '../store/deliveryLog.mts';
import { signatureHeader } from '../wire/signature.mts';

interface Parts {
	log: DeliveryLog;
	clock: () => number;
	settings: Settings;
	/** How long the receiver may take to answer. */
	timeoutMilliseconds: number;
}

const answerCharacters = 600;

/** Posts deliveries to the webhook URL, signed, and writes each attempt into the log. */
export class DeliveryAttempts {
	readonly #parts: Parts;
	readonly #agent: Agent;
	readonly #stopped = new AbortController();

	constructor(parts: Parts) {
		this.#parts = parts;
		this.#agent = new Agent({ connect: { timeout: parts.timeoutMilliseconds } });
	}

	get isStopped(): boolean {
		return this.#stopped.signal.aborted;
	}

	/** Stops at once; an attempt that is under way leaves no trace. */
	async stop(): Promise<void> {
		this.#stopped.abort();
		await this.#agent.destroy();
	}

	/**
	 * Posts a delivery once, and writes the attempt into the log, unless there is no webhook or the sandbox is stopping.
	 *
	 * @returns whether the answer was a 2xx
	 */
	async post(delivery: Delivery): Promise<boolean> {
		const { log, clock, settings, timeoutMilliseconds } = this.#parts;
		const { webhook, dialect } = settings;
		if (!webhook) return false;
		const startedAt = clock();
		const begun = performance.now();
		const shownTime = startedAt + dialect.clockSkewSeconds * 1000;
		let status: number | undefined;
		let answer: string | undefined;
		let error: string | undefined;
		try {
			const response = await request(webhook.url, {
				method: 'POST',
				dispatcher: this.#agent,
				signal: AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(timeoutMilliseconds)]),
				headers: {
					'content-type': 'application/json',
					'user-agent': 'backlink-exchange-sandbox',
					'x-pb-signature': signatureHeader(delivery.body, webhook.secret, shownTime, dialect),
				},
				body: delivery.body,
			});
			status = response.statusCode;
			answer = await beginningOf(response.body);
		} catch (cause) {
			if (this.isStopped) return false;
			error = reasonOf(cause, timeoutMilliseconds);
		}
		const milliseconds = Math.round(performance.now() - begun);
		const isDelivered =
			error === undefined && status !== undefined && status >= 200 && status < 300;
		// The sandbox may have been closed meanwhile.
		if (this.isStopped) return false;
		log.addAttempt({
			deliveryId: delivery.id,
			startedAt,
			milliseconds,
			status,
			answer,
			error,
		});
		return isDelivered;
	}
}

/** Reads as much of an answer as the log keeps, so that no receiver can fill the memory. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		length += chunk.length;
		if (length >= answerCharacters) break;
	}
	return Buffer.concat(chunks).toString('utf8').slice(0, answerCharacters);
}

function reasonOf(cause: unknown, timeout: number): string {
	if (!(cause instanceof Error)) return String(cause);
	if (cause.name === 'TimeoutError') return `no answer within ${timeout} ms`;
	const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined;
	return code === undefined ? cause.message : `${code}: ${cause.message}`;
}
