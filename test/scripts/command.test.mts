/** How commands are run that do a part of the work. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect, it, onTestFinished, vi } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { temporaryFolder } from '../untilTheTestEnds.mts';

it.each([undefined, 'printed.log'])(
	'tells what a command printed (into the file: %s)',
	async (name) => {
		const folder = temporaryFolder();
		const program = "console.log('one'); console.error('two'); process.exitCode = 3;";
		const outputFile = name && join(folder, name);
		const options = { cwd: folder, ...(outputFile !== undefined && { outputFile }) };
		const result = await runCommand(process.execPath, ['--eval', program], options);
		expect(result).toEqual({
			code: 3,
			output: expect.stringMatching(/^(one\ntwo|two\none)\n$/) as unknown,
		});
	},
);

it('a command that prints into a file can end in good order after whoever started it was killed', async () => {
	const outputFile = join(temporaryFolder(), 'printed.log');
	const printed = () => (existsSync(outputFile) ? readFileSync(outputFile, 'utf8') : '');
	const command = `
		const starter = process.ppid;
		console.log('begun');
		setInterval(() => {
			if (process.ppid === starter) return;
			console.log('ended');
			process.exit();
		}, 20);`;
	const scripts = pathToFileURL(join(import.meta.dirname, '../../scripts/')).href;
	const program = `
		import { runCommand } from '${scripts}command.mjs';
		const options = { cwd: '/', outputFile: ${JSON.stringify(outputFile)} };
		await runCommand(process.execPath, ['--eval', ${JSON.stringify(command)}], options);`;
	const killed = spawn(process.execPath, ['--input-type=module', '--eval', program]);
	onTestFinished(() => void killed.kill('SIGKILL'));
	await vi.waitUntil(() => printed().includes('begun'), { timeout: 20_000 });
	killed.kill('SIGKILL');
	await once(killed, 'close');
	await vi.waitUntil(() => printed().includes('ended'), { timeout: 20_000 });
});
