import { afterAll, beforeAll } from 'vitest';

import { VirtualClock } from './clock.mts';

/** Runs the tests of a file in virtual time. For files that don't test real waiting. */
export function useVirtualTime(): VirtualClock {
	const clock = new VirtualClock(Date.now());
	beforeAll(() => {
		clock.install();
	});
	afterAll(() => {
		clock.uninstall();
	});
	return clock;
}
