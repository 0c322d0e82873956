import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { codeOf, notedIn } from './command.mjs';
import { requireWritable } from './installation.mjs';

/**
 * Runs `work` while no other process that uses the same lock file does. Otherwise calls `busy`, which may throw, and
 * waits for its turn. A lock whose process has died (power cut, kill -9) is taken over as soon as the commands that it had
 * started have ended, too.
 *
 * @template Result
 * @param {string} file
 * @param {() => Promise<Result>} work
 * @param {{ signal?: AbortSignal, busy?: (holder: number | string, file: string) => void }} options
 * @returns {Promise<Result>}
 * @throws InstallationError when the folder of the lock cannot be written to, or what `work` and `busy` throw
 */
export async function withLock(file, work, { signal, busy = sayWaiting } = {}) {
	requireWritable(dirname(file));
	let isAnnounced = false;
	while (!tryToTake(file)) {
		const holder = holderOf(file);
		if (holder === undefined) {
			removeDead(file);
			continue;
		}
		if (!isAnnounced) {
			busy(holder, file);
			isAnnounced = true;
		}
		await sleep(500, undefined, signal && { signal });
	}
	notedIn.add(file);
	try {
		return await work();
	} finally {
		notedIn.delete(file);
		rmSync(file, { force: true });
	}
}

// Plain JavaScript, because it is needed before Node 24 is there.

/**
 * A process that holds the lock, or undefined when nobody alive does.
 *
 * @param {string} file
 * @returns {number | string | undefined}
 */
function holderOf(file) {
	for (const line of linesOf(file)) {
		const processId = Number.parseInt(line, 10);
		try {
			process.kill(processId, 0); // signal 0 only asks whether the process exists
			return processId;
		} catch (error) {
			if (codeOf(error) === 'EPERM') return 'of another user';
		}
	}
	return undefined;
}

/**
 * Removes a lock that nobody alive holds. If another process has taken it over just before, it is put back.
 *
 * @param {string} file
 */
function removeDead(file) {
	const removed = `${file}.${process.pid}.dead`;
	try {
		renameSync(file, removed);
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return;
		throw error;
	}
	if (holderOf(removed) !== undefined) linkSync(removed, file);
	rmSync(removed);
}

/**
 * The lines of a lock; none when it has just been released.
 *
 * @param {string} file
 */
function linesOf(file) {
	try {
		return readFileSync(file, 'utf8').trim().split('\n');
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return [];
		throw error;
	}
}

/**
 * Takes the lock if nobody has it. It is linked, not written, so that it never lacks its holder's number.
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
