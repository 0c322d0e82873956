/** The event inbox in a real n8n, as one process and in queue mode. `npm run test:inbox` is the same with more events. */
import { afterAll, beforeAll, describe, it } from 'vitest';

import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

describe.each<Mode>(['single', 'queue'])('%s', (mode) => {
	let rig: Rig;

	beforeAll(async () => {
		rig = await Rig.start(mode, scenarios.quickly);
		await scenarios.begin(rig);
	});

	afterAll(async () => {
		await rig.close();
	});

	it('tries again what failed, and tells once what fails for good', async () => {
		await scenarios.failures(rig);
	}, 300_000);

	it('takes the same alert for the same within the window, and for a new one after it', async () => {
		await scenarios.sameAlert(rig);
	}, 300_000);

	it('works once on what arrives several times, at once, at two processes, and by polling', async () => {
		await scenarios.overlap(rig, 20);
	}, 600_000);

	it('works on an array of events, and on what comes after it', async () => {
		await scenarios.volume(rig, 60, 30);
	}, 600_000);

	it('loses nothing when processes are killed', async () => {
		await scenarios.kills(rig, 30, mode === 'single' ? 1 : 3);
	}, 900_000);
});
