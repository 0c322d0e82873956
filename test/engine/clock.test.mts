/** The clock on which the engine tests wait. */
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { listen } from '../untilTheTestEnds.mts';
import { VirtualClock } from './clock.mts';
import { n8nWorkflow } from './n8n.mts';

const start = Date.parse('2026-07-01T12:00:00Z');
const hour = 3_600_000;
let clock: VirtualClock;

beforeEach(() => {
	clock = new VirtualClock(start);
	clock.install();
});
afterEach(() => {
	clock.uninstall();
});

const elapsed = () => Date.now() - start;

test('an hour passes in no time, for Date as well', async () => {
	await n8nWorkflow.sleep(hour);
	expect(elapsed()).toBe(hour);
	expect(new Date()).toEqual(new Date(start + hour));
	expect(new Date(0).getTime()).toBe(0);
	expect(performance.timeOrigin + performance.now()).toBe(start + hour);
});

test('timers fire in the order of their moments, and in the order in which they were set', async () => {
	const fired: Array<[string, number]> = [];
	const note = (name: string) => {
		fired.push([name, elapsed()]);
	};
	setTimeout(note, 30, 'c');
	setTimeout(note, 10, 'a');
	setTimeout(() => {
		note('b');
		setTimeout(note, 5, 'then');
	}, 10);
	clearTimeout(setTimeout(note, 20, 'never'));
	await wait(40);
	expect(fired).toEqual([
		['a', 10],
		['b', 10],
		['then', 15],
		['c', 30],
	]);
});

test('stopping a wait ends it at once', async () => {
	const stopping = new AbortController();
	setTimeout(() => {
		stopping.abort(new Error('stopped'));
	}, 10);
	await expect(n8nWorkflow.sleep(hour, stopping.signal)).rejects.toThrow('stopped');
	await expect(wait(hour, undefined, { signal: stopping.signal })).rejects.toThrow();
	expect(elapsed()).toBe(10);
});

test('a request that is under way takes no time, however long it really takes', async () => {
	const server = createServer((_request, response) => {
		// As busy as a loaded machine.
		const busyUntil = process.hrtime.bigint() + 60_000_000n;
		while (process.hrtime.bigint() < busyUntil);
		setTimeout(() => response.end('late'), 500);
	});
	const url = `http://127.0.0.1:${await listen(server)}`;
	const timeout = setTimeout(() => {
		throw new Error('the time-out fired though the answer came in time');
	}, 501);
	const texts = await Promise.all(
		Array.from({ length: 5 }, async () => await (await fetch(url)).text()),
	);
	clearTimeout(timeout);
	expect(texts).toEqual(Array(5).fill('late'));
	expect(elapsed()).toBe(500);
});
