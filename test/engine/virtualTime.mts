import { afterAll, beforeAll } from 'vitest';

import { VirtualClock } from './clock.mts';

/**
 * Not the real time, on which the result of a test would depend, for example on the last of a
 * month.
 */
const start = Date.UTC(2026, 6, 8, 9, 30);

/** Runs the tests of a file in virtual time. For files that don't test real waiting. */
export function useVirtualTime(): VirtualClock {
	const clock = new VirtualClock(start);
	beforeAll(() => {
		clock.install();
	});
	afterAll(() => {
		clock.uninstall();
	});
	return clock;
}
