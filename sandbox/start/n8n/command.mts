import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An error that the user can fix. The message explains what happened and what to do. */
export class InstallationError extends Error {}

interface Options {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
}

/**
 * Runs a command without a terminal.
 *
 * @returns the exit code (1 if a signal ended it) and the output
 * @throws {Error} an AbortError if stopped, or the error if the command can't be started
 */
export async function runCommand(
	command: string,
	args: string[],
	options: Options,
): Promise<{ code: number; output: string }> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-command-'));
	// A file, not a pipe: n8n's commands run forever and use all memory if nobody reads from a pipe.
	const file = join(folder, 'output');
	const output = openSync(file, 'w', 0o600);
	try {
		const code = await getExitCode(command, args, options, [output, output]);
		return { code, output: readFileSync(file, 'utf8') };
	} finally {
		closeSync(output);
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Runs npm, which prints its own errors.
 *
 * @throws {InstallationError} if npm fails
 * @throws {Error} an AbortError if stopped
 */
export async function runNpm(args: string[], options: Options, remedy = ''): Promise<void> {
	const env = { ...process.env, ...options.env };
	const all = [...args, '--loglevel=error', '--no-audit', '--no-fund'];
	const code = await getExitCode('npm', all, { ...options, env }, ['ignore', 'inherit']);
	if (code !== 0) throw new InstallationError(`npm ${args[0] ?? ''} failed. ${remedy}`);
}

async function getExitCode(
	command: string,
	args: string[],
	options: Options,
	output: ['ignore', 'inherit'] | [file: number, file: number],
): Promise<number> {
	const child = spawn(command, args, { ...options, stdio: ['ignore', ...output] });
	return await new Promise((resolve, reject) => {
		let failure: Error | undefined;
		child.on('error', (error) => {
			failure = error;
		});
		// After an error too: a stopped process still writes until it closes.
		child.on('close', (code) => {
			if (failure) reject(failure);
			else resolve(code ?? 1);
		});
	});
}
