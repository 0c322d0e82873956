/** The checks that do not run the code, and how a step is run and reported in one line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

export interface Step {
	title: string;
	command: string;
	args: string[];
	/** Of its environment, beside those of this process. */
	variables?: Record<string, string>;
}

/** A step that did not end well; its output has been printed. */
export class StepFailed extends Error {}

const root = join(import.meta.dirname, '..');
/** Where code is. */
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
const running = new Set<ChildProcess>();

/** Where checks keep the results of the last run; `npm ci` deletes them. */
const cache = 'node_modules/.cache';
/** Only files whose content has changed are looked at; .ci/run looks at all, since types come from other files. */
const cached = (name: string) => [
	'--cache',
	'--cache-strategy',
	'content',
	'--cache-location',
	`${cache}/${name}/`,
];
const eslint = ['-c', 'eslint.dev.config.mjs', '.'];
const typeCheck = (title: string, project: string): Step => ({
	title,
	command: 'tsc',
	args: ['-p', project, '--incremental', '--tsBuildInfoFile', `${cache}/${title}.tsbuildinfo`],
});

// What takes long comes first.
const staticChecks: Step[] = [
	{ title: 'lint', command: 'eslint', args: [...eslint, ...cached('eslint')] },
	typeCheck('types', 'tsconfig.dev.json'),
	{ title: "n8n's lint", command: 'n8n-node', args: ['lint'] },
	{ title: 'format', command: 'prettier', args: ['--check', '.', ...cached('prettier')] },
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

/** @throws StepFailed when one of the static checks fails */
export async function checkStatically(): Promise<void> {
	await checkAll(staticChecks, availableParallelism());
}

/** @throws StepFailed when something is left that a person must fix */
export async function fixStyle(): Promise<void> {
	await checkAll(fixes, 1);
}

/**
 * Runs a step and tells how it went in one line; when it fails, also what it said.
 * @throws StepFailed
 */
export async function check(step: Step): Promise<void> {
	const start = performance.now();
	const { code, output } = await run(step, false);
	console.log(`${code === 0 ? '✓' : '✗'} ${step.title.padEnd(12)} ${seconds(start).padStart(7)}`);
	if (code !== 0) {
		console.log(`\n${output.trim()}\n`);
		throw new StepFailed(`${step.title} failed: ${step.command} ended with code ${code}.`);
	}
}

/** Runs a step and resolves to its exit code (a signal or a missing command counts as 1) and its output. */
export async function run(step: Step, show: boolean): Promise<{ code: number; output: string }> {
	const child = spawn(step.command, step.args, {
		cwd: root,
		// Without spinners and colours in output that is kept for later.
		env: { ...process.env, ...(!show && { CI: 'true', NO_COLOR: '1' }), ...step.variables },
		stdio: show ? 'inherit' : ['ignore', 'pipe', 'pipe'],
	});
	running.add(child);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text: string) => {
			output += text;
		});
	}
	return await new Promise((resolve) => {
		child.on('error', (error) => {
			resolve({ code: 1, output: error.message });
		});
		child.on('close', (code) => {
			running.delete(child);
			resolve({ code: code ?? 1, output });
		});
	});
}

/** The time that has passed since `performance.now()` was `since`. */
export function seconds(since: number): string {
	return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

/** Ctrl-C and the like stop the step that runs, which then counts as failed, so that the run still ends with its result. */
export function stopOnSignals(): void {
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(name, () => {
			// A terminal sends Ctrl-C to all its processes by itself.
			if (name === 'SIGINT' && process.stdin.isTTY) return;
			for (const child of running) child.kill(name);
		});
	}
}

/** Runs steps, as many at once as there are cores, until one has failed. */
async function checkAll(steps: Step[], atOnce: number): Promise<void> {
	const open = [...steps];
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
	const results = await Promise.allSettled(Array.from({ length: atOnce }, work));
	for (const result of results) if (result.status === 'rejected') throw result.reason;
}
