/** The hook that ends n8n when the playground that started it is gone. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { temporaryFolder } from '../../fixtures.mts';
import { root } from '../../repository.mts';

const load = `require(${JSON.stringify(join(root, 'sandbox/start/n8n/executionHook.cjs'))})`;

/** Creates a program file that replaces n8n and doesn't end by itself. */
function createProgram(text: string): string {
	const file = join(temporaryFolder(), 'n8n.cjs');
	writeFileSync(file, `setInterval(() => undefined, 1000); process.send('up'); ${text}`);
	return file;
}

test.each([
	['after the start', load],
	['during the start', `process.once('disconnect', () => ${load})`],
])('n8n ends when its playground is killed %s', async (_, text) => {
	const n8n = fork(createProgram(text));
	onTestFinished(() => void n8n.kill('SIGKILL'));
	const ended = once(n8n, 'exit');
	await once(n8n, 'message');
	n8n.disconnect();
	expect(await ended).toEqual([null, 'SIGTERM']);
});
