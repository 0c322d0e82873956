import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Plain JavaScript, because it is needed before Node 24 is there. Types for the rest of the project: lock.d.mts.

/** The process that holds the lock, or undefined when nobody alive does. */
function holderOf(file) {
	try {
		const processId = Number.parseInt(readFileSync(file, 'utf8'), 10);
		process.kill(processId, 0); // signal 0 only asks whether the process exists
		return processId;
	} catch (error) {
		return error.code === 'EPERM' ? 'of another user' : undefined;
	}
}

function tryToTake(file) {
	try {
		writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
		return true;
	} catch (error) {
		if (error.code === 'EEXIST') return false;
		throw error;
	}
}

/**
 * Runs `work` while no other process that uses the same lock file does, and waits for its turn.
 * A lock whose process has died (power cut, kill -9) is taken over.
 */
export async function withLock(file, work, { signal, say = console.log } = {}) {
	mkdirSync(dirname(file), { recursive: true });
	let told = false;
	while (!tryToTake(file)) {
		const holder = holderOf(file);
		if (holder === undefined) {
			rmSync(file, { force: true });
			continue;
		}
		if (!told) {
			say(
				`Waiting for another run of this project (process ${holder}) that is installing as well.`,
			);
			say(`If there is none, delete ${file}`);
			told = true;
		}
		await sleep(500, undefined, { signal });
	}
	try {
		return await work();
	} finally {
		rmSync(file, { force: true });
	}
}
