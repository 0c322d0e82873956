import { spawn } from 'node:child_process';

// Plain JavaScript, because it is needed before Node 24 is there. Types for the rest of the project: command.d.mts.

/**
 * Runs a command without a terminal, in a process group of its own, so that stopping it stops what it started as well.
 * Resolves to its exit code (1 when a signal ended it) and the end of what it printed.
 * @throws the signal's reason when stopped, or the error when the command cannot be started
 */
export async function runCommand(command, args, { cwd, env, signal }) {
	signal?.throwIfAborted();
	return await new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			cwd,
			env,
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
		});
		let output = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text) => {
				output = (output + text).slice(-200_000);
			});
		}
		const kill = (name) => {
			try {
				process.kill(-child.pid, name);
			} catch {
				// it has just ended by itself
			}
		};
		let killTimer;
		const stop = () => {
			kill('SIGTERM');
			// npm, for one, first rolls back what it did, which takes as long as an installation. Nobody needs that here: what
			// is incomplete is recognised and done anew.
			killTimer = setTimeout(kill, 2000, 'SIGKILL');
		};
		signal?.addEventListener('abort', stop, { once: true });
		child.on('error', reject);
		child.on('close', (code) => {
			clearTimeout(killTimer);
			signal?.removeEventListener('abort', stop);
			if (signal?.aborted) reject(signal.reason);
			else resolve({ code: code ?? 1, output });
		});
	});
}
