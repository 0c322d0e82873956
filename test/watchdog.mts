/**
 * Ends a test process whose thread is blocked, for example by an expression that backtracks.
 *
 * Vitest's own timeout waits for that thread, and would wait forever.
 */
import { Worker } from 'node:worker_threads';

import { beforeEach } from 'vitest';

const blockedAfterSeconds = 60;

const watch = `
	const { workerData, parentPort } = require('node:worker_threads');
	const { writeSync } = require('node:fs');
	let test = 'before the first test';
	let beats = -1;
	parentPort.on('message', (name) => { test = name; });
	setInterval(() => {
		const now = Atomics.load(workerData.beats, 0);
		if (now === beats) {
			writeSync(2, 'Blocked for ${blockedAfterSeconds} seconds: ' + test + '\\n');
			process.kill(process.pid, 'SIGKILL');
		}
		beats = now;
	}, ${blockedAfterSeconds * 1000});
`;

const scope = globalThis as { watchdog?: Worker };
if (scope.watchdog === undefined) {
	const beats = new Int32Array(new SharedArrayBuffer(4));
	setInterval(() => Atomics.add(beats, 0, 1), 1000).unref();
	scope.watchdog = new Worker(watch, { eval: true, workerData: { beats } });
	scope.watchdog.unref();
}

beforeEach(({ task }) => {
	scope.watchdog?.postMessage(`${task.file.name} > ${task.name}`);
});
