import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { watchForRefusal } from '../../../playground/n8n/refusals.mts';
import { temporaryFolder } from '../../untilTheTestEnds.mts';

function newLog(content: string): string {
	const file = join(temporaryFolder(), 'n8n.log');
	writeFileSync(file, content);
	return file;
}

it("gives the reason that the trigger has written since, and not an older delivery's", async () => {
	const file = newLog(
		'Backlink Exchange Webhook Trigger refused a delivery: it is stale (older)\n',
	);
	const reason = watchForRefusal(file);
	appendFileSync(
		file,
		'Something else\nBacklink Exchange Webhook Trigger refused a delivery: no match (here)\n',
	);
	expect(await reason()).toBe(
		'Backlink Exchange Webhook Trigger refused a delivery: no match (here)',
	);
});

it('gives nothing where the log says nothing', async () => {
	const reason = watchForRefusal(
		newLog('Backlink Exchange Webhook Trigger refused a delivery: old\n'),
	);
	expect(await reason()).toBeUndefined();
});
