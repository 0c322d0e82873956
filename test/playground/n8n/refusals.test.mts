import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import { watchForRefusal } from '../../../playground/n8n/refusals.mts';

function newLog(content: string): string {
	const folder = mkdtempSync(join(tmpdir(), 'log-'));
	onTestFinished(() => {
		rmSync(folder, { recursive: true });
	});
	const file = join(folder, 'n8n.log');
	writeFileSync(file, content);
	return file;
}

it("gives the reason that the trigger has written since, and not an older delivery's", async () => {
	const file = newLog('Backlink Exchange Trigger refused a delivery: it is stale (older)\n');
	const reason = watchForRefusal(file);
	appendFileSync(
		file,
		'Something else\nBacklink Exchange Trigger refused a delivery: no match (here)\n',
	);
	expect(await reason()).toBe('Backlink Exchange Trigger refused a delivery: no match (here)');
});

it('gives nothing where the log says nothing', async () => {
	const reason = watchForRefusal(newLog('Backlink Exchange Trigger refused a delivery: old\n'));
	expect(await reason()).toBeUndefined();
});
