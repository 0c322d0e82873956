/** What is sent again, and after which pause. */
import { expect, test } from 'vitest';

import {
	type Attempt,
	backoff,
	decide,
	isLimited,
	mostAttempts,
} from '../../../../nodes/shared/service/retry.ts';
import { answered } from './answered.mts';

const notSent: Attempt = { kind: 'failed', error: { code: 'ECONNREFUSED', neverSent: true } };
const interrupted: Attempt = { kind: 'failed', error: { code: 'ECONNRESET', neverSent: false } };
const refusedByTls: Attempt = {
	kind: 'failed',
	error: { code: 'CERT_HAS_EXPIRED', neverSent: true, obstacle: 'certificate' },
};

type Decision = ReturnType<typeof decide>;
/** What happened, then what to do with a request that reads, and with one that spends or creates. */
const rules: Array<[string, Attempt, reading: Decision, spending: Decision]> = [
	['the connection was refused', notSent, 'again', 'again'],
	['the connection was cut', interrupted, 'again', 'ambiguous'],
	['the certificate is not valid', refusedByTls, 'done', 'done'],
	['200', answered({ statusCode: 200 }), 'done', 'done'],
	['307', answered({ statusCode: 307 }), 'done', 'done'],
	['400', answered({ statusCode: 400 }), 'done', 'done'],
	['408', answered({ statusCode: 408 }), 'again', 'ambiguous'],
	['499', answered({ statusCode: 499 }), 'done', 'done'],
	['500', answered({ statusCode: 500 }), 'again', 'ambiguous'],
	['599', answered({ statusCode: 599 }), 'again', 'ambiguous'],
];

test.each(rules)('what may be sent again: %s', (_, attempt, reading, spending) => {
	expect(isLimited(attempt)).toBe(false);
	for (const [isReading, decision] of [
		[true, reading],
		[false, spending],
	] as const) {
		expect(decide(attempt, isReading, 1)).toBe(decision);
		expect(decide(attempt, isReading, mostAttempts - 1)).toBe(decision);
		// The last attempt is the last; what is in doubt stays in doubt.
		const atLast = decision === 'again' ? 'done' : decision;
		expect(decide(attempt, isReading, mostAttempts)).toBe(atLast);
	}
});

test('a 429 is the limit, whatever was asked for', () => {
	expect(isLimited(answered({ statusCode: 429 }))).toBe(true);
});

test('the backoff doubles, and its jitter only ever makes it longer, by half at most', () => {
	expect([1, 2, 3].map((repetition) => backoff(repetition, () => 0))).toEqual([300, 600, 1200]);
	expect([1, 2, 3].map((repetition) => backoff(repetition, () => 1))).toEqual([450, 900, 1800]);
});
