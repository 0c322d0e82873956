import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';

// Plain JavaScript, because it is needed before Node 24 is there.

/**
 * The files in which each process that `runCommand` starts is noted, so that it is known that something goes on even after
 * this process was killed.
 *
 * @type {Set<string>}
 */
export const notedIn = new Set();

/**
 * Runs a command without a terminal, in a process group of its own, so that stopping it stops what it started as well.
 * Resolves to its exit code (1 when a signal ended it) and the end of what it printed.
 *
 * With `outputFile`, it prints there: then it can print on, and so end, even after this process was killed.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv | undefined, signal?: AbortSignal | undefined, outputFile?: string }} options
 * @returns {Promise<{ code: number, output: string }>}
 * @throws the signal's reason when stopped, or the error when the command cannot be started
 */
export async function runCommand(command, args, { cwd, env, signal, outputFile }) {
	signal?.throwIfAborted();
	return await new Promise((resolve, reject) => {
		const to = outputFile === undefined ? 'pipe' : openSync(outputFile, 'w', 0o600);
		const child = spawn(command, args, { cwd, env, stdio: ['ignore', to, to], detached: true });
		if (to !== 'pipe') closeSync(to);
		for (const file of notedIn) appendFileSync(file, `${child.pid ?? ''}\n`);
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
				output = (output + text).slice(-200_000);
			});
		}
		const kill = (/** @type {NodeJS.Signals} */ name) => {
			try {
				if (child.pid !== undefined) process.kill(-child.pid, name);
			} catch {
				// it has just ended by itself
			}
		};
		/** @type {NodeJS.Timeout | undefined} */
		let killTimer;
		const stop = () => {
			kill('SIGTERM');
			// npm, for one, first rolls back what it did, which takes as long as an installation. Nobody needs that here: what
			// is incomplete is recognised and done again.
			killTimer = setTimeout(kill, 2000, 'SIGKILL');
		};
		signal?.addEventListener('abort', stop, { once: true });
		child.on('error', reject);
		child.on('close', (code) => {
			clearTimeout(killTimer);
			signal?.removeEventListener('abort', stop);
			if (outputFile !== undefined && existsSync(outputFile)) {
				output = readFileSync(outputFile, 'utf8').slice(-200_000);
			}
			if (signal?.aborted) reject(signal.reason);
			else resolve({ code: code ?? 1, output });
		});
	});
}

/**
 * The code of one of Node's errors, such as `ENOENT`.
 *
 * @param {unknown} error
 */
export function codeOf(error) {
	return error instanceof Error && 'code' in error ? error.code : undefined;
}
