/** Why the webhook trigger refused a delivery, as n8n's log tells it. */
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { endOfLog } from '../../../sandbox/start/n8n/process.mts';
import { watchForRefusal } from '../../../sandbox/start/n8n/refusals.mts';
import { temporaryFolder } from '../../untilTheTestEnds.mts';

const refusal = (why: string) => `Backlink Exchange Webhook Trigger refused a delivery: ${why}`;

it.each([
	["the reason that the trigger has written since, and not an older delivery's", 'no match (here)'],
	['nothing where the log says nothing', undefined],
])('gives %s', async (_, why) => {
	const file = join(temporaryFolder(), 'n8n.log');
	writeFileSync(file, `${refusal('it is stale (older)')}\n`);
	const reason = watchForRefusal(file);
	appendFileSync(file, 'Something else\n');
	if (why !== undefined) appendFileSync(file, `${refusal(why)}\n`);
	expect(await reason()).toBe(why && refusal(why));
});

it('gives nothing where somebody has deleted the log, before or meanwhile', async () => {
	const file = join(temporaryFolder(), 'n8n.log');
	writeFileSync(file, 'Something\n');
	const reason = watchForRefusal(file);
	rmSync(file);
	expect(await reason()).toBeUndefined();
	expect(await watchForRefusal(file)()).toBeUndefined();
	expect(endOfLog(file)).toBe('');
});
