import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { codeOf } from './command.mjs';

/**
 * Runs `work` while no other process that uses the same lock file does. Otherwise calls `busy`, which may throw, and
 * waits for its turn. A lock whose process has died (power cut, kill -9) is taken over.
 *
 * @template Result
 * @param {string} file
 * @param {() => Promise<Result>} work
 * @param {{ signal?: AbortSignal, busy?: (holder: number | string, file: string) => void }} options
 * @returns {Promise<Result>}
 */
export async function withLock(file, work, { signal, busy = sayWaiting } = {}) {
	mkdirSync(dirname(file), { recursive: true });
	let told = false;
	while (!tryToTake(file)) {
		const holder = holderOf(file);
		if (holder === undefined) {
			rmSync(file, { force: true });
			continue;
		}
		if (!told) {
			busy(holder, file);
			told = true;
		}
		await sleep(500, undefined, signal && { signal });
	}
	try {
		return await work();
	} finally {
		rmSync(file, { force: true });
	}
}

// Plain JavaScript, because it is needed before Node 24 is there.

/**
 * The process that holds the lock, or undefined when nobody alive does.
 *
 * @param {string} file
 * @returns {number | string | undefined}
 */
function holderOf(file) {
	try {
		const processId = Number.parseInt(readFileSync(file, 'utf8'), 10);
		process.kill(processId, 0); // signal 0 only asks whether the process exists
		return processId;
	} catch (error) {
		return codeOf(error) === 'EPERM' ? 'of another user' : undefined;
	}
}

/**
 * Never leaves a lock without its holder's number in it, not even for a moment.
 *
 * @param {string} file
 */
function tryToTake(file) {
	const own = `${file}.${process.pid}`;
	writeFileSync(own, `${process.pid}\n`);
	try {
		linkSync(own, file);
		return true;
	} catch (error) {
		if (codeOf(error) === 'EEXIST') return false;
		throw error;
	} finally {
		rmSync(own, { force: true });
	}
}

/**
 * @param {number | string} holder
 * @param {string} file
 */
function sayWaiting(holder, file) {
	console.log(`Waiting for process ${holder}, another run of this project that installs as well.`);
	console.log(`If there is no such run, delete ${file}`);
}
