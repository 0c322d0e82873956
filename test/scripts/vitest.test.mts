import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

import { runCommand } from '../../scripts/command.mjs';
import { countTests } from '../../scripts/vitest.mts';

const root = path.join(import.meta.dirname, '../..');
/** Each starts a vitest of its own. */
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(tmpdir(), 'counted-'));
});
afterAll(() => {
	vi.resetConfig();
});
afterEach(() => {
	rmSync(folder, { recursive: true });
});

/** Counts the tests of these files, in a vitest of its own. */
async function count(files: Record<string, string>) {
	for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
	let output = '';
	const counts = await countTests(async (args, variables) => {
		const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
		const result = await runCommand(
			process.execPath,
			[vitest, 'run', '--globals', '--root', folder, '--reporter=dot', ...args],
			{ cwd: folder, env: { ...process.env, ...variables } },
		);
		({ output } = result);
		return result.code;
	});
	return { ...counts, output };
}

const passing =
	'describe("a", () => { it("b", () => undefined); it("c", () => undefined); it.skip("d"); });';
const failing = 'it("e", () => { throw new Error("broken"); });';

it('counts what has passed and what has failed, and names no file of its own', async () => {
	const { passed, failed, output } = await count({ 'a.test.js': passing, 'b.test.js': failing });
	expect({ passed, failed }).toEqual({ passed: 2, failed: 1 });
	expect(output).not.toMatch(/written|counts\.json/);
});

it('counts as failed what fails outside of a test, and a vitest that does not start', async () => {
	expect(await count({ 'a.test.js': passing, 'b.test.js': 'throw new Error("x");' })).toMatchObject(
		{ passed: 2, failed: 1 },
	);
	expect(await countTests(() => Promise.resolve(1))).toEqual({ passed: 0, failed: 1 });
});
