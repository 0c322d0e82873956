/** As much of a clock as its timers use. */
interface TimerClock {
	now(): number;
	add(timer: VirtualTimer): void;
}

/** What setTimeout and setInterval give back: as much of Node.js's Timeout as libraries use. */
export class VirtualTimer {
	readonly callback: () => void;

	readonly delay: number;

	readonly repeats: boolean;

	due: number;

	holds = true;

	readonly #clock: TimerClock;

	constructor(clock: TimerClock, callback: () => void, delay: number, repeats: boolean) {
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
