/**
 * npm run mutation [-- part of a mutant's sentence]: applies each mutant to a copy of the package and runs the tests, which must fail. The copy is in a
 * temporary folder; the working tree is not touched.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { type Mutant, mutants } from './mutants.mts';

const root = path.resolve(import.meta.dirname, '../..');
const copied = ['nodes', 'credentials', 'icons', 'sandbox', 'test', 'package.json'];
const settings = ['tsconfig.json', 'vitest.config.mts'];
const tests = ['test/unit/shared', 'test/engine/action'];

function newCopy(): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'mutation-'));
	for (const entry of [...copied, ...settings]) {
		cpSync(path.join(root, entry), path.join(folder, entry), { recursive: true });
	}
	symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
	return folder;
}

function run(folder: string, command: string, args: string[]): Promise<number | null> {
	return new Promise((resolve, reject) => {
		spawn(command, args, { cwd: folder, stdio: 'ignore' })
			.once('exit', resolve)
			.once('error', reject);
	});
}

/** Whether the package builds, and its tests pass. */
async function passes(folder: string): Promise<boolean> {
	// Types are not the question here: a mutant may leave something unused.
	await run(folder, 'tsc', ['--noCheck']);
	return (await run(folder, 'vitest', ['run', '--bail', '1', ...tests])) === 0;
}

async function survives(folder: string, { file, original, mutated }: Mutant): Promise<boolean> {
	const target = path.join(folder, file);
	const source = readFileSync(target, 'utf8');
	if (source.split(original).length !== 2) {
		throw new Error(`not exactly once in ${file}: ${original}`);
	}
	writeFileSync(
		target,
		source.replace(original, () => mutated),
	);
	try {
		return await passes(folder);
	} finally {
		writeFileSync(target, source);
	}
}

const folder = newCopy();
let died = 0;
let survived = 0;
try {
	if (!(await passes(folder))) throw new Error('The tests fail without a mutant already.');
	const [part = ''] = process.argv.slice(2);
	for (const mutant of mutants.filter(({ breaks }) => breaks.includes(part))) {
		const alive = await survives(folder, mutant);
		if (alive) survived++;
		else died++;
		console.log(`${alive ? 'SURVIVED' : 'died    '}  ${mutant.breaks}`);
	}
} finally {
	rmSync(folder, { recursive: true, force: true });
}
console.log(`${died} passed, ${survived} failed`);
process.exitCode = survived === 0 ? 0 : 1;
