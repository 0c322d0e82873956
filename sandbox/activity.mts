/** A line in plain English about something that happened; it never holds a key or a secret. */
export interface Activity {
	time: string;
	text: string;
}

export type LogActivity = (text: string) => void;

/** The most lines that are kept, which is as many as the dashboard can show. */
const keptLines = 200;

/** The last lines, for the dashboard. They are kept in memory alone, and every line also goes to `onActivity`. */
export class ActivityLog {
	readonly #clock: () => number;
	readonly #onActivity: ((activity: Activity) => void) | undefined;
	#lines: Activity[] = [];

	constructor(clock: () => number, onActivity: ((activity: Activity) => void) | undefined) {
		this.#clock = clock;
		this.#onActivity = onActivity;
	}

	/** The lines that are kept, the oldest first. */
	get lines(): readonly Activity[] {
		return this.#lines;
	}

	readonly log: LogActivity = (text) => {
		const line = { time: new Date(this.#clock()).toISOString(), text };
		this.#lines = [...this.#lines.slice(1 - keptLines), line];
		this.#onActivity?.(line);
	};
}
