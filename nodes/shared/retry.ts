import type { NetworkError } from './networkError';
import type { ServiceResponse } from './response';

/** What came of one attempt to send a request. */
export type Attempt =
	| { kind: 'answered'; response: ServiceResponse }
	/** No answer came: the request never left, or it was interrupted. */
	| { kind: 'failed'; error: NetworkError };

/**
 * What to do after an attempt:
 * `done`: the service has decided, use its answer; `wait`: the limit is reached, send again when the service says;
 * `again`: send again after a backoff; `giveUp`: nothing reached the service and nothing was done;
 * `ambiguous`: the request may have been carried out, so it must not be sent again before that has been checked.
 */
export type Decision = 'done' | 'wait' | 'again' | 'giveUp' | 'ambiguous';

/** Attempts in all, first one included, where sending again is allowed. */
export const mostAttempts = 4;

/**
 * Whether a request may be sent again, from its idempotence and what happened (RFC 9110, section 9.2.2: only an
 * idempotent method may be repeated automatically; the service documents no idempotency key).
 */
export function decide(attempt: Attempt, idempotent: boolean, attempts: number): Decision {
	const mayGoOn = attempts < mostAttempts;
	if (attempt.kind === 'failed') {
		const { neverSent, obstacle } = attempt.error;
		if (!neverSent && !idempotent) return 'ambiguous';
		return mayGoOn && obstacle === undefined ? 'again' : 'giveUp';
	}
	const { statusCode } = attempt.response;
	if (statusCode === 429) return 'wait';
	if (statusCode !== 408 && statusCode < 500) return 'done';
	if (!idempotent) return 'ambiguous';
	return mayGoOn ? 'again' : 'done';
}

/** Milliseconds before the given repetition (1 for the first): exponential, with up to half of it again as jitter. */
export function backoff(repetition: number, random: () => number = Math.random): number {
	const base = 300 * 2 ** (repetition - 1);
	return Math.round(base * (1 + random() / 2));
}
