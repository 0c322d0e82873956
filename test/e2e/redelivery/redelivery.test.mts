/** Redelivery in a real n8n, small; `npm run test:long -- redelivery` is the same with more events. */
import { onTestFinished, test } from 'vitest';

import { testedN8n } from '../realN8n.mts';
import { type Mode, Rig } from './rig.mts';
import * as scenarios from './scenarios.mts';

async function prepare(mode: Mode): Promise<Rig> {
	const rig = await Rig.prepare(mode);
	onTestFinished(() => rig.close());
	return rig;
}

async function start(mode: Mode): Promise<Rig> {
	const rig = await prepare(mode);
	await rig.start();
	await rig.polls(rig.triggers);
	return rig;
}

// Durable poll cursors came with n8n 2.
const modes = testedN8n.startsWith('1.')
	? (['single', 'queue'] as const)
	: (['single', 'queue', 'durable'] as const);

test.each(modes)(
	'%s: the service is away while n8n starts; afterwards events come',
	async (mode) => {
		await scenarios.serviceAwayAtStart(await prepare(mode));
	},
	600_000,
);

test.each(modes)(
	'%s: an event whose execution fails comes again',
	async (mode) => {
		await scenarios.failsTwice(await start(mode), 3);
	},
	900_000,
);

test.each(modes)(
	'%s: after a restart nothing comes again that has succeeded',
	async (mode) => {
		await scenarios.restartsAfterSuccess(await start(mode), 3);
	},
	900_000,
);

test.each(modes)(
	'%s: nothing is lost when processes are killed',
	async (mode) => {
		await scenarios.kills(await start(mode), 30, mode === 'queue' ? 3 : 1);
	},
	900_000,
);
