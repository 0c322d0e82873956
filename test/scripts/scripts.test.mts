/** The last line of a test run, and the end of a command whose npm is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, onTestFinished, test, vi } from 'vitest';

import { runCommand } from '../../sandbox/start/n8n/command.mts';
import { temporaryFolder } from '../fixtures.mts';
import { root } from '../repository.mts';

const passing = 'it("a", () => undefined); it("b", () => undefined); it.skip("c");';

// Each starts a vitest of its own.
test.each([
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

test.each([
	['npm gets SIGTERM', (npm: number) => process.kill(npm, 'SIGTERM')],
	['npm is killed', (npm: number) => process.kill(npm, 'SIGKILL')],
	['somebody presses Ctrl-C', (npm: number) => process.kill(-npm, 'SIGINT')],
])('a command ends when %s', { timeout: 60_000 }, async (_, end) => {
	const args = ['run', 'sandbox', '--', '--data', ':memory:', '--port', '0'];
	// A process group of its own, as in a terminal.
	const npm = spawn('npm', args, {
		cwd: root,
		stdio: ['ignore', 'pipe', 'ignore'],
		detached: true,
	});
	const group = -(npm.pid ?? NaN);
	onTestFinished(() => {
		if (isRunning(group)) process.kill(group, 'SIGKILL');
	});
	let output = '';
	npm.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
	const findOrigin = () => /Dashboard: +(\S+)/.exec(output)?.[1];
	const origin = await vi.waitUntil(findOrigin, { timeout: 30_000 });
	expect(await isReachable(origin)).toBe(true);
	const ended = once(npm, 'exit');
	end(-group);
	await ended;
	await vi.waitUntil(async () => !(await isReachable(origin)), { timeout: 10_000 });
});

async function isReachable(url: string): Promise<boolean> {
	try {
		await fetch(url);
		return true;
	} catch {
		return false;
	}
}

function isRunning(processId: number): boolean {
	try {
		return process.kill(processId, 0);
	} catch {
		return false;
	}
}
