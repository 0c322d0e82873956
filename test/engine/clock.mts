/**
 * Virtual time for a test process.
 *
 * Time stands still while anything happens. When the process is idle, it jumps to the next timer.
 * So everything that waits (n8n's sleep, Retry On Fail, the timeout of a request, a delay of the
 * sandbox) waits on the same clock, in the right order, and without real time. What takes no time
 * on the network takes none on this clock, so a busy machine can't cause a timeout.
 *
 * The HTTP between node and sandbox stays real. The process is idle if the event loop has turned
 * several times without an event, no system call is pending, and no request or response is in
 * transit.
 */
import { channel } from 'node:diagnostics_channel';
import type { EventEmitter } from 'node:events';
import { ClientRequest } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import timersPromises from 'node:timers/promises';
import { promisify } from 'node:util';

const real = { Date, setTimeout, clearTimeout, clearInterval, setImmediate };

/** Turns of the event loop without an event, after which the process counts as idle. */
const quietTurns = 12;
/**
 * Turns of at least a real millisecond, after which the clock no longer waits for something that
 * doesn't arrive, such as the response of a server that never responds.
 *
 * Counted in turns, not time: on a busy machine, a process that doesn't run doesn't wait.
 */
const patience = 150;
/** Pending system calls of Node.js: files, host names, connections, writes. */
const pendingCallPattern = /Req|ConnectWrap|WriteWrap|ShutdownWrap/;

type Callback = (...args: unknown[]) => void;

export class VirtualClock {
	#time: number;

	#timers: VirtualTimer[] = [];

	readonly #soon = new Set<unknown>();

	/** Replaced globals, for `uninstall`. */
	#replaced: Array<[owner: object, name: string, original: unknown]> = [];

	#isWatching = false;

	#events = 0;

	#turns = 0;

	#clientRequests = 0;

	#serverRequests = 0;

	/** Milliseconds by which the wall clock is ahead. Timers are unaffected. */
	ahead = 0;

	/**
	 * Creates the clock without installing it.
	 *
	 * @param time start, in epoch milliseconds
	 */
	constructor(time: number) {
		this.#time = time;
	}

	now(): number {
		return this.#time;
	}

	/**
	 * Replaces the process's own clock: Date, performance, timers, and the timeouts based on them.
	 */
	install(): void {
		const set =
			(repeats: boolean) =>
			(callback: Callback, delay?: number, ...args: unknown[]) => {
				const milliseconds = Math.trunc(Number(delay));
				const call = () => {
					callback(...args);
				};
				if (!(milliseconds >= 1) && !repeats) return this.#callSoon(call);
				return this.#after(milliseconds || 1, call, repeats);
			};
		const clear = (original: (timer: never) => void) => (timer: unknown) => {
			if (timer instanceof VirtualTimer) this.remove(timer);
			else original(timer as never);
			this.#soon.delete(timer);
		};
		const wait = (delay?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
			this.wait(delay ?? 1, value, signal);
		const endAfter = this.#endAfter.bind(this);
		this.#replace(globalThis, {
			Date: this.#date(),
			setTimeout: Object.assign(set(false), { [promisify.custom]: wait }),
			clearTimeout: clear(real.clearTimeout),
			setInterval: set(true),
			clearInterval: clear(real.clearInterval),
		});
		this.#replace(performance, { now: () => this.#time - performance.timeOrigin });
		// The delay before a retry is partly random.
		this.#replace(Math, { random: createRandom() });
		this.#replace(AbortSignal, { timeout: (delay: number) => this.#abortAfter(delay) });
		this.#replace(timersPromises, { setTimeout: wait });
		this.#replace(ClientRequest.prototype, {
			setTimeout(this: ClientRequest, delay: number, callback?: () => void) {
				return endAfter(this, delay, callback);
			},
		});
		syncBuiltinESMExports();
		channel('http.client.request.start').subscribe(this.#clientStarts);
		channel('http.server.request.start').subscribe(this.#serverStarts);
	}

	/** Restores the real clock. Timers that are still set never fire. */
	uninstall(): void {
		for (const [owner, name, original] of this.#replaced) Reflect.set(owner, name, original);
		this.#replaced = [];
		syncBuiltinESMExports();
		channel('http.client.request.start').unsubscribe(this.#clientStarts);
		channel('http.server.request.start').unsubscribe(this.#serverStarts);
		this.#timers = [];
	}

	#replace(owner: object, by: Record<string, unknown>): void {
		for (const [name, value] of Object.entries(by)) {
			this.#replaced.push([owner, name, Reflect.get(owner, name)]);
			Reflect.set(owner, name, value);
		}
	}

	/** Waits until this many milliseconds have passed. */
	async wait<Value>(delay: number, value?: Value, signal?: AbortSignal): Promise<Value> {
		signal?.throwIfAborted();
		return await new Promise((resolve, reject) => {
			const timer = this.#after(delay, () => {
				signal?.removeEventListener('abort', stop);
				resolve(value as Value);
			});
			const stop = () => {
				this.remove(timer);
				reject(new DOMException('The operation was aborted', 'AbortError'));
			};
			signal?.addEventListener('abort', stop, { once: true });
		});
	}

	#after(delay: number, call: () => void, repeats = false): VirtualTimer {
		return this.add(new VirtualTimer(this, call, Math.max(1, delay), repeats));
	}

	add(timer: VirtualTimer): VirtualTimer {
		this.remove(timer);
		const place = this.#timers.findIndex(({ due }) => due > timer.due);
		this.#timers.splice(place === -1 ? this.#timers.length : place, 0, timer);
		this.#turns = 0;
		if (!this.#isWatching) {
			this.#isWatching = true;
			real.setImmediate(this.#watch);
		}
		return timer;
	}

	remove(timer: VirtualTimer): void {
		const place = this.#timers.indexOf(timer);
		if (place === -1) return;
		this.#timers.splice(place, 1);
		this.#turns = 0;
	}

	readonly #watch = (): void => {
		if (!this.#timers.some(({ holds }) => holds)) {
			this.#isWatching = false;
			return;
		}
		const { events } = performance.nodeTiming.uvMetricsInfo;
		if (events !== this.#events) this.#turns = 0;
		this.#events = events;
		this.#turns++;
		if (this.#turns > quietTurns) {
			if (!this.#isBusy() || this.#turns > quietTurns + patience) {
				this.#turns = 0;
				this.#fireNext();
			} else {
				real.setTimeout(this.#watch, 1);
				return;
			}
		}
		real.setImmediate(this.#watch);
	};

	/**
	 * Schedules a call "as soon as possible". It takes no time, only a later turn of the event loop.
	 */
	#callSoon(call: () => void): NodeJS.Timeout {
		const timer = real.setTimeout(() => {
			this.#soon.delete(timer);
			call();
		}, 0);
		this.#soon.add(timer);
		return timer;
	}

	#isBusy(): boolean {
		return (
			this.#soon.size > 0 ||
			this.#clientRequests > this.#serverRequests ||
			process.getActiveResourcesInfo().some((name) => pendingCallPattern.test(name))
		);
	}

	/**
	 * Fires the next timer.
	 *
	 * Only one: its effects have to finish before the next, even if both have the same time.
	 */
	#fireNext(): void {
		const timer = this.#timers.shift();
		if (timer === undefined) return;
		this.#time = Math.max(this.#time, timer.due);
		if (timer.repeats) {
			timer.due = this.#time + timer.delay;
			this.add(timer);
		}
		timer.callback();
	}

	/**
	 * Counts a request until both ends have released it: a higher count on the client's side means
	 * that something is in transit.
	 */
	readonly #clientStarts = (message: unknown): void => {
		this.#clientRequests++;
		(message as { request: EventEmitter }).request.once('close', () => {
			this.#clientRequests--;
		});
	};

	readonly #serverStarts = (message: unknown): void => {
		this.#serverRequests++;
		(message as { response: EventEmitter }).response.once('close', () => {
			this.#serverRequests--;
		});
	};

	#abortAfter(delay: number): AbortSignal {
		const controller = new AbortController();
		this.#after(delay, () => {
			controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
		}).unref();
		return controller.signal;
	}

	/**
	 * Replaces the timeout of a request, which Node.js leaves to its socket (and which axios requests
	 * in older versions of n8n).
	 */
	#endAfter(request: ClientRequest, delay: number, callback?: () => void): ClientRequest {
		if (callback !== undefined) request.once('timeout', callback);
		const timer = this.#after(delay, () => {
			request.emit('timeout');
		});
		return request.once('close', () => {
			this.remove(timer);
		});
	}

	#date(): DateConstructor {
		const now = () => this.#time + this.ahead;
		return new Proxy(real.Date, {
			construct: (target, args, newTarget) =>
				Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
			apply: () => new real.Date(now()).toString(),
			get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
		});
	}
}

/**
 * Returns a Math.random that gives the same numbers in every run: a linear congruential generator.
 */
function createRandom(): () => number {
	let state = 1;
	return () => {
		state = (state * 48_271) % 2_147_483_647;
		return state / 2_147_483_647;
	};
}

/** Return value of setTimeout and setInterval: the part of Node.js's Timeout that libraries use. */
class VirtualTimer {
	readonly callback: () => void;

	readonly delay: number;

	readonly repeats: boolean;

	due: number;

	holds = true;

	readonly #clock: VirtualClock;

	constructor(clock: VirtualClock, callback: () => void, delay: number, repeats: boolean) {
		this.#clock = clock;
		this.callback = callback;
		this.delay = delay;
		this.repeats = repeats;
		this.due = clock.now() + delay;
	}

	ref(): this {
		this.holds = true;
		return this;
	}

	unref(): this {
		this.holds = false;
		return this;
	}

	hasRef(): boolean {
		return this.holds;
	}

	refresh(): this {
		this.due = this.#clock.now() + this.delay;
		this.#clock.add(this);
		return this;
	}
}
