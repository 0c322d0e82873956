/** Redelivery in a real n8n, small; `npm run test:long -- redelivery` is the same with more events. */
import { afterAll, beforeAll, describe, it } from 'vitest';

import { testedN8n } from '../realN8n.mts';
import { Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

// Durable poll cursors came with n8n 2.
const modes = testedN8n.startsWith('1.')
	? (['single', 'queue'] as const)
	: (['single', 'queue', 'durable'] as const);

/** One n8n for each mode, and one test after the other in it. */
describe.each(modes)('%s', { timeout: 900_000 }, (mode) => {
	let rig: Rig;
	beforeAll(async () => {
		rig = await Rig.prepare(mode, { events: {}, others: { hasOthers: true } });
	});
	afterAll(() => rig.close());

	it('the service is away while n8n starts; afterwards events come, also beside other triggers', async () => {
		await scenarios.serviceAwayAtStart(rig);
	});

	it('an event whose execution fails comes again', async () => {
		await scenarios.failsTwice(rig, 3);
	});

	it('after a restart nothing comes again that has succeeded', async () => {
		await scenarios.restartsAfterSuccess(rig, 3);
	});

	it('nothing comes again that has succeeded while n8n was stopping, or right before', async () => {
		await scenarios.stopWhileRunning(rig, 3);
		await scenarios.stopRightAfter(rig, 2);
	});

	it('nothing is lost when processes are killed', async () => {
		await scenarios.kills(rig, 30, mode === 'queue' ? 3 : 1);
	});
});
