/** What every command stands on: the line that a run of tests ends with, and that nothing goes on when npm is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it, vi } from 'vitest';

import { runCommand } from '../../sandbox/start/n8n/command.mts';
import { temporaryFolder } from '../fixtures.mts';
import { root } from '../repository.mts';

const passing = 'it("a", () => undefined); it("b", () => undefined); it.skip("c");';

// Each starts a vitest of its own.
it.each([
	['what passed', [passing], '2 passed, 0 failed'],
	['what failed', ['it("d", () => { throw 1; });'], '0 passed, 1 failed'],
	['a file that does not load', [passing, 'throw 1;'], '2 passed, 1 failed'],
	['what fails between tests', [`${passing} Promise.reject(1);`], '2 passed, 1 failed'],
	['no test at all', [], '0 passed, 1 failed'],
])('the last line counts %s', { timeout: 120_000 }, async (_, files, expected) => {
	const folder = temporaryFolder();
	files.forEach((text, index) => {
		writeFileSync(path.join(folder, `${index}.test.js`), text);
	});
	const reporter = `--reporter=${path.join(root, 'scripts/countReporter.mts')}`;
	const args = ['run', '--globals', '--root', folder, '--reporter=default', reporter];
	const { code, output } = await runCommand('vitest', args, { cwd: root });
	expect(output.trimEnd().split('\n').at(-1), output).toBe(expected);
	expect(code).toBe(expected.endsWith(', 0 failed') ? 0 : 1);
});

it.each(['SIGTERM', 'SIGKILL'] as const)(
	'a command ends when its npm gets %s',
	{ timeout: 60_000 },
	async (signal) => {
		const folder = temporaryFolder();
		const file = path.join(folder, 'process');
		const program = `require('fs').writeFileSync('${file}', String(process.pid)); setInterval(() => {}, 1e3)`;
		const start = `exec node '${root}/scripts/node24.mjs' node --version + node --eval "${program}"`;
		writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
		const npm = spawn('npm', ['start'], { cwd: folder, stdio: 'ignore' });
		await vi.waitUntil(() => existsSync(file) && readFileSync(file, 'utf8'), { timeout: 30_000 });
		const processId = Number(readFileSync(file, 'utf8'));
		const ended = once(npm, 'exit');
		npm.kill(signal);
		await ended;
		await vi.waitUntil(() => !isRunning(processId), { timeout: 10_000 });
	},
);

function isRunning(processId: number): boolean {
	try {
		return process.kill(processId, 0);
	} catch {
		return false;
	}
}
