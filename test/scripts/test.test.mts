/** The last line of `npm test`, which .ci/run and others add up. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, expect, it } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { temporaryFolder } from '../untilTheTestEnds.mts';

const root = path.join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
	folder = temporaryFolder();
});

const passing =
	'describe("a", () => { it("b", () => undefined); it("c", () => undefined); it.skip("d"); });';

// Each starts a vitest of its own.
it.each([
	['what passed', { 'a.test.js': passing }, [], '2 passed, 0 failed'],
	['what failed', { 'a.test.js': 'it("e", () => { throw 1; });' }, [], '0 passed, 1 failed'],
	[
		'a file that does not load',
		{ 'a.test.js': passing, 'b.test.js': 'throw 1;' },
		[],
		'2 passed, 1 failed',
	],
	['no test at all', {}, [], '0 passed, 1 failed'],
	['a vitest that does not start', { 'a.test.js': passing }, ['--nothing'], '0 passed, 1 failed'],
])('counts %s', { timeout: 120_000 }, async (_, files, options, expected) => {
	for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
	const { code, output } = await runCommand(
		process.execPath,
		['scripts/test.mts', '--globals', '--root', folder, ...options],
		{ cwd: root },
	);
	// Two streams in one text: what vitest writes as an error may come after the last line.
	const counts = output.split('\n').filter((line) => /^\d+ passed, \d+ failed$/.test(line));
	expect(counts).toEqual([expected]);
	expect(code).toBe(expected.endsWith(', 0 failed') ? 0 : 1);
});
