import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

import { codeOf, runCommand } from './command.mjs';

// Plain JavaScript, because it is needed before Node 24 is there.

/** Something that the user can fix; its message says what happened and what to do. */
export class InstallationError extends Error {}

/**
 * Throws an InstallationError unless the disk under `folder` (which need not exist yet) has that many bytes free.
 *
 * @param {string} folder
 * @param {number} bytes
 * @param {string} purpose
 */
export function requireDiskSpace(folder, bytes, purpose) {
	let existing = folder;
	while (!existsSync(existing)) existing = dirname(existing);
	const { bavail, bsize } = statfsSync(existing);
	const free = bavail * bsize;
	if (free >= bytes) return;
	const gigabytes = (/** @type {number} */ size) => `${(size / 1e9).toFixed(1)} GB`;
	throw new InstallationError(
		`Not enough disk space: ${purpose} needs about ${gigabytes(bytes)} in ${folder}, where ${gigabytes(free)} are free.\n` +
			'Free some space and run the same command again.',
	);
}

/**
 * Makes sure that the folder is there, and that it can be written to.
 *
 * @param {string} folder
 * @throws InstallationError
 */
export function requireWritable(folder) {
	try {
		mkdirSync(folder, { recursive: true });
		accessSync(folder, constants.W_OK);
	} catch (error) {
		const code = codeOf(error);
		if (code !== 'EACCES' && code !== 'EROFS') throw error;
		throw new InstallationError(cannotWrite(folder));
	}
}

/**
 * Shows that something is going on: a line that changes in a terminal, a line every 30 seconds elsewhere.
 * Call what it returns with the outcome.
 *
 * @param {string} title
 * @param {string} usually
 * @returns {(outcome: string) => void}
 */
export function showProgress(title, usually) {
	const start = Date.now();
	const elapsed = () => `${Math.round((Date.now() - start) / 1000)} s`;
	const terminal = process.stdout.isTTY;
	if (!terminal) console.log(`${title} (usually ${usually})`);
	const draw = () => {
		if (terminal) process.stdout.write(`\r\x1b[K${title} (usually ${usually}): ${elapsed()}`);
		else console.log(`  still at it after ${elapsed()}`);
	};
	const timer = setInterval(draw, terminal ? 1000 : 30_000);
	if (terminal) draw();
	return (outcome) => {
		clearInterval(timer);
		console.log(`${terminal ? '\r\x1b[K' : ''}${title}: ${outcome} after ${elapsed()}`);
	};
}

/**
 * Makes sure that what an installation was for is there and works. An installer that ended well is no proof of that: npm
 * may have left out a package that is not for this machine, or a script that it was not allowed to run.
 *
 * @param {string} what
 * @param {{ command: string, args: string[], cwd: string, signal?: AbortSignal | undefined, remedy: string }} options a
 *   command that fails unless it works, and what the user can do then
 * @returns {Promise<void>}
 * @throws InstallationError with the reason and the remedy, or the signal's reason when stopped
 */
export async function requireWorking(what, { command, args, cwd, signal, remedy }) {
	const reason = await failureOf(command, args, { cwd, signal });
	if (reason === undefined) return;
	throw new InstallationError(`${what} was installed, but does not work: ${reason}\n${remedy}`);
}

/**
 * The message that nothing can be written to a path, and what to do about it.
 *
 * @param {string} path
 */
export function cannotWrite(path) {
	return `Nothing can be written to ${path}. Make it writable and run the same command again. Another folder is chosen for npm's cache with "npm config set cache …", for n8n with XDG_CACHE_HOME.`;
}

/**
 * The last lines of what a command printed.
 *
 * @param {string} output
 * @param {number} lines
 */
export function endOf(output, lines) {
	return output.trimEnd().split('\n').slice(-lines).join('\n');
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, signal: AbortSignal | undefined }} options
 */
async function failureOf(command, args, options) {
	try {
		const { code, output } = await runCommand(command, args, options);
		return code === 0 ? undefined : endOf(output, 10);
	} catch (error) {
		if (codeOf(error) === undefined) throw error;
		return error instanceof Error ? error.message : String(error);
	}
}
