import { afterAll, beforeAll } from 'vitest';

import { VirtualClock } from './clock.mts';

/** For a test file in which waiting is not what is tested: its tests wait in virtual time. */
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
