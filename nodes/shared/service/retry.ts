import type { NetworkError } from './networkError';
import type { ServiceResponse } from './response';

/** What came of one attempt to send a request. */
export type Attempt =
	| { kind: 'answered'; response: ServiceResponse }
	/** No answer came: the request never left, or it was interrupted. */
	| { kind: 'failed'; error: NetworkError };

/** Whether the service refused the request because of the limit. */
export function isLimited(attempt: Attempt | { kind: 'withheld' }): boolean {
	return attempt.kind === 'answered' && attempt.response.statusCode === 429;
}

/**
 * What to do after an attempt that the limit did not refuse. Only an idempotent method may be repeated automatically (RFC 9110,
 * section 9.2.2), and the service documents no idempotency key.
 * - `decided`: nothing more, because the service has decided
 * - `again`: send again after a backoff
 * - `obstructed`: nothing more, because something stands in the way until somebody changes it
 * - `ambiguous`: do not send again before it has been checked whether the request was carried out
 */
export function decide(
	attempt: Attempt,
	isIdempotent: boolean,
): 'decided' | 'again' | 'obstructed' | 'ambiguous' {
	const { statusCode } = attempt.kind === 'answered' ? attempt.response : { statusCode: 0 };
	const { neverSent, obstacle } = attempt.kind === 'failed' ? attempt.error : { neverSent: false };
	if (statusCode !== 0 && statusCode !== 408 && statusCode < 500) return 'decided';
	if (!neverSent && !isIdempotent) return 'ambiguous';
	return obstacle === undefined ? 'again' : 'obstructed';
}

/** Milliseconds before the given repetition (1 for the first): exponential, with up to half of it again as jitter. */
export function backoff(repetition: number): number {
	const base = 300 * 2 ** (repetition - 1);
	return Math.round(base * (1 + Math.random() / 2));
}
