/** The checks that do not run the code, and how a step is run and reported in one line. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { runCommand } from './command.mjs';

interface Step {
	title: string;
	command: string;
	args: string[];
}

/** A step that did not end well; its output has been printed. */
export class StepFailed extends Error {}

const root = join(import.meta.dirname, '..');
/** The folders in which code is. */
const folders = [
	'nodes',
	'credentials',
	'sandbox',
	'playground',
	'probe',
	'scripts',
	'bench',
	'test',
];

/** Where checks keep the results of the last run; `npm ci` deletes them. */
const cache = 'node_modules/.cache';
/** Only files whose content has changed are checked; .ci/run checks all, since types come from other files. */
const cached = ['--cache', '--cache-strategy', 'content'];
const eslint = ['-c', 'eslint.dev.config.mjs', '.'];
const typeCheck = (title: string, project: string): Step => ({
	title,
	command: 'tsc',
	args: ['-p', project, '--incremental', '--tsBuildInfoFile', `${cache}/${title}.tsbuildinfo`],
});

// What takes long comes first.
const staticChecks: Step[] = [
	{
		title: 'lint',
		command: 'eslint',
		args: [...eslint, ...cached, '--cache-location', `${cache}/eslint/`],
	},
	typeCheck('types', 'tsconfig.dev.json'),
	{ title: "n8n's lint", command: 'n8n-node', args: ['lint'] },
	{ title: 'format', command: 'prettier', args: ['--check', '.', ...cached] },
	{ title: 'unused', command: 'knip', args: [] },
	{ title: 'imports', command: 'depcruise', args: ['--output-type', 'err-long', ...folders] },
	typeCheck('dashboard', 'sandbox/dashboard/tsconfig.json'),
];

/** What puts right by itself what the static checks would complain about. */
const fixes: Step[] = [
	{ title: "n8n's lint", command: 'n8n-node', args: ['lint', '--fix'] },
	{ title: 'lint', command: 'eslint', args: [...eslint, '--fix'] },
	{ title: 'format', command: 'prettier', args: ['--write', '--log-level', 'warn', '.'] },
];

/** Ctrl-C and the like: what runs is stopped, and counts as failed, so that the run still ends with its result. */
const stopping = new AbortController();
export const stopped = stopping.signal;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.on(name, () => {
		stopping.abort(new StepFailed('Stopped.'));
	});
}

/**
 * Runs the static checks, as many at once as there are cores, until one has failed.
 * @throws StepFailed
 */
export async function checkStatically(): Promise<void> {
	const open = [...staticChecks];
	const work = async (): Promise<void> => {
		for (let step = open.shift(); step !== undefined; step = open.shift()) {
			try {
				await check(step);
			} catch (error) {
				open.length = 0;
				throw error;
			}
		}
	};
	const results = await Promise.allSettled(Array.from({ length: availableParallelism() }, work));
	for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** @throws StepFailed when something is left that a person must fix */
export async function fixStyle(): Promise<void> {
	for (const step of fixes) await check(step);
}

/**
 * Runs a step and tells how it went in one line; when it fails, also what it said.
 * @throws StepFailed
 */
export async function check({ title, command, args }: Step): Promise<void> {
	const start = performance.now();
	// Without spinners and colors in output that is kept for later.
	const env = { ...process.env, CI: 'true', NO_COLOR: '1' };
	const options = { cwd: root, env, signal: stopped };
	const { code, output } = await runCommand(command, args, options).catch((error: unknown) => ({
		code: 1,
		output: String(error),
	}));
	console.log(`${code === 0 ? '✓' : '✗'} ${title.padEnd(12)} ${seconds(start).padStart(7)}`);
	if (code !== 0) {
		console.log(`\n${output.trim()}\n`);
		throw new StepFailed(`${title} failed: ${command} ended with code ${code}.`);
	}
}

/** The time that has passed since `performance.now()` was `since`. */
export function seconds(since: number): string {
	return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
