import { spawn } from 'node:child_process';
import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** An error that the user can fix. The message explains what happened and what to do. */
export class InstallationError extends Error {}

interface Options {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
	/** File that the output is appended to. Default: a temporary file. */
	logFile?: string;
}

/** A step of the start that runs a command. Only the log file gets the command's output. */
export interface Step extends Options {
	/** Describes the result if the command fails, such as "n8n couldn't be installed." */
	failure: string;
	/** Returns what to do about a failed command; empty if that isn't known. */
	getHint?: (output: string) => string;
}

const maxShownLines = 15;

/**
 * Runs a command without a terminal.
 *
 * @returns the exit code (1 if a signal ended it) and the output
 * @throws {Error} an AbortError if stopped, or the error if the command can't be started
 */
export async function runCommand(
	command: string,
	args: string[],
	{ logFile, ...options }: Options,
): Promise<{ code: number; output: string }> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-command-'));
	// A file, not a pipe: n8n's commands run forever and use all memory if nobody reads from a pipe.
	const file = logFile ?? join(folder, 'output');
	const log = openSync(file, 'a', 0o600);
	try {
		const { size } = fstatSync(log);
		const code = await getExitCode(command, args, options, log);
		return { code, output: readFileSync(file).subarray(size).toString('utf8') };
	} finally {
		closeSync(log);
		rmSync(folder, { recursive: true, force: true });
	}
}

/**
 * Runs the command of a step.
 *
 * @throws {InstallationError} if it fails; the message has the end of the output and the log file
 * @throws {Error} an AbortError if stopped
 */
export async function runStep(command: string, args: string[], step: Step): Promise<void> {
	const { failure, getHint, ...options } = step;
	const { code, output } = await runCommand(command, args, options);
	if (code === 0) return;
	const hint = getHint?.(output) ?? '';
	const paragraphs = [
		hint === '' ? failure : `${failure} ${hint}`,
		getLastLines(output),
		options.logFile && `The log file ${options.logFile} has the complete output.`,
	];
	throw new InstallationError(paragraphs.filter(Boolean).join('\n\n'));
}

/**
 * Runs npm.
 *
 * @throws {InstallationError} if npm fails
 * @throws {Error} an AbortError if stopped
 */
export async function runNpm(args: string[], step: Step): Promise<void> {
	const env = { ...process.env, ...step.env };
	await runStep('npm', [...args, '--loglevel=error', '--no-audit', '--no-fund'], { ...step, env });
}

function getLastLines(output: string): string {
	const lines = stripVTControlCharacters(output)
		.split('\n')
		.filter((line) => line.trim() !== '');
	return lines
		.slice(-maxShownLines)
		.map((line) => `  ${line}`)
		.join('\n');
}

async function getExitCode(
	command: string,
	args: string[],
	options: Options,
	log: number,
): Promise<number> {
	const child = spawn(command, args, { ...options, stdio: ['ignore', log, log] });
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
