/**
 * Which files ESLint has to look at: those that have changed since it last passed, and all that import them, however
 * indirectly. ESLint's own cache knows only the first kind, and would miss that the type of an import is another one now.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** Names of files, each with the hash of its content. */
export type Hashes = Record<string, string>;

/** What a check was given when it passed. */
export interface Passed {
	code: Hashes;
	/** A change of these can change what is said about any file. */
	settings: Hashes;
}

/** A file as dependency-cruiser reports it. */
export interface Module {
	source: string;
	dependents: string[];
}

const root = join(import.meta.dirname, '..');
const record = join(root, 'node_modules/.cache/linted.json');
const code = '**/*.{ts,mts,mjs,cjs,js}';
const settings = [
	'eslint.dev.config.mjs',
	'package-lock.json',
	'tsconfig*.json',
	'sandbox/dashboard/tsconfig.json',
	'**/*.d.{ts,mts,cts}',
	// `code` leaves out what begins with a dot.
	'.*.{js,cjs,mjs}',
];
const left = ['node_modules/**', 'dist/**', 'playground/data*/**'];

/** What ESLint has to look at, as its arguments; none if nothing has changed. `passed` is to be called when it has passed. */
export function lintSelection(folders: string[]): { files: string[]; passed: () => void } {
	const now: Passed = { code: hashes(code), settings: hashes(settings) };
	const passed = () => {
		mkdirSync(dirname(record), { recursive: true });
		writeFileSync(record, JSON.stringify(now));
	};
	return { files: affectedFiles(now, readRecord(), () => importers(folders)), passed };
}

/**
 * @param now what there is
 * @param passed what there was when the check last passed, if it has
 * @param modules who imports whom; asked for only if it matters
 * @returns names of files, sorted; `['.']` for all
 */
export function affectedFiles(
	now: Passed,
	passed: Passed | undefined,
	modules: () => Module[],
): string[] {
	if (!isDeepStrictEqual(now.settings, passed?.settings)) return ['.'];
	const open = Object.keys(now.code).filter((file) => now.code[file] !== passed?.code[file]);
	if (open.length === 0) return [];
	const dependents = new Map(modules().map((each) => [each.source, each.dependents]));
	const affected = new Set<string>();
	for (let file = open.pop(); file !== undefined; file = open.pop()) {
		if (affected.has(file)) continue;
		affected.add(file);
		open.push(...(dependents.get(file) ?? []));
	}
	return [...affected].sort();
}

function hashes(patterns: string | string[]): Hashes {
	const files = globSync(patterns, { cwd: root, exclude: left }).sort();
	return Object.fromEntries(
		files.map((file) => [
			file,
			createHash('sha256')
				.update(readFileSync(join(root, file)))
				.digest('hex'),
		]),
	);
}

function readRecord(): Passed | undefined {
	try {
		return JSON.parse(readFileSync(record, 'utf8')) as Passed;
	} catch {
		return undefined;
	}
}

function importers(folders: string[]): Module[] {
	const output = execFileSync('depcruise', ['--output-type', 'json', ...folders], {
		cwd: root,
		maxBuffer: 2 ** 28,
	});
	return (JSON.parse(output.toString()) as { modules: Module[] }).modules;
}
