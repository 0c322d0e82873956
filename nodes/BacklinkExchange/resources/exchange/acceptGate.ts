/** How long a request to accept is remembered, in milliseconds: longer than any Retry On Fail. */
const memory = 60 * 60_000;
const mostRemembered = 10_000;

/**
 * Keeps accepts of the same exchange apart, within this process: n8n's Retry On Fail runs the whole node again, and an AI
 * agent or two executions may ask for the same offer at the same moment. Across processes (queue mode) the check before
 * each accept and the service itself have to do (docs/decisions/0003-accept-is-paid-once.md).
 */
class AcceptGate {
	readonly #postedAt = new Map<string, number>();

	readonly #turns = new Map<string, Promise<unknown>>();

	/** Runs `work` when no other accept of this exchange is under way. */
	async inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
		const before = this.#turns.get(key) ?? Promise.resolve();
		const turn = before.then(work, work);
		this.#turns.set(key, turn);
		try {
			return await turn;
		} finally {
			if (this.#turns.get(key) === turn) this.#turns.delete(key);
		}
	}

	/** To be called just before a request to accept is sent. */
	posting(key: string): void {
		this.#postedAt.delete(key);
		for (const [oldest, moment] of this.#postedAt) {
			if (this.#postedAt.size < mostRemembered && Date.now() - moment < memory) break;
			this.#postedAt.delete(oldest);
		}
		this.#postedAt.set(key, Date.now());
	}

	/** When a request to accept was last sent (milliseconds); what was read before it no longer counts. */
	lastPosted(key: string): number | undefined {
		return this.#postedAt.get(key);
	}
}

/** The one gate of this process. */
export const acceptGate = new AcceptGate();
