/** A line in plain English about something that happened; it never holds a key or a secret. */
export interface Activity {
	time: string;
	kind: string;
	text: string;
	[detail: string]: unknown;
}

export type LogActivity = (
	kind: string,
	text: string,
	detail?: Omit<Activity, 'time' | 'kind' | 'text'>,
) => void;

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

	readonly log: LogActivity = (kind, text, detail = {}) => {
		const line = { ...detail, time: new Date(this.#clock()).toISOString(), kind, text };
		this.#lines = [...this.#lines.slice(1 - keptLines), line];
		this.#onActivity?.(line);
	};
}
