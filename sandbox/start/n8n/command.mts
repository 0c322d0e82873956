import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Something that the user can fix; its message says what happened and what to do. */
export class InstallationError extends Error {}

interface Options {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
}

/**
 * Runs a command without a terminal, and resolves to its exit code (1 when a signal ended it) and what it printed.
 * @throws an AbortError when stopped, or the error when the command cannot be started
 */
export async function runCommand(
	command: string,
	args: string[],
	options: Options,
): Promise<{ code: number; output: string }> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-command-'));
	// A file and no pipe: n8n's commands go on for ever, and take all memory, when nobody is left at the other end.
	const file = join(folder, 'output');
	const output = openSync(file, 'w', 0o600);
	try {
		const code = await exitCode(command, args, options, [output, output]);
		return { code, output: readFileSync(file, 'utf8') };
	} finally {
		closeSync(output);
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Runs npm, which says itself what goes wrong.
 * @throws InstallationError when it fails, or an AbortError when stopped
 */
export async function runNpm(args: string[], options: Options, remedy = ''): Promise<void> {
	const env = { ...process.env, ...options.env };
	const all = [...args, '--loglevel=error', '--no-audit', '--no-fund'];
	const code = await exitCode('npm', all, { ...options, env }, ['ignore', 'inherit']);
	if (code !== 0) throw new InstallationError(`npm ${args[0] ?? ''} failed. ${remedy}`);
}

async function exitCode(
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
		// Also after an error: what is stopped still writes until then.
		child.on('close', (code) => {
			if (failure) reject(failure);
			else resolve(code ?? 1);
		});
	});
}
