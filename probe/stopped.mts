/** The probe cannot go on; the message says why, in plain words, and holds nothing secret. */
export class ProbeStopped extends Error {
	/** A request that changes something had left: whether it was carried out is not known. */
	readonly mayHaveActed: boolean;

	constructor(message: string, mayHaveActed = false) {
		super(message);
		this.mayHaveActed = mayHaveActed;
	}
}
