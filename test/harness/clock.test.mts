/** The virtual clock: time stands still while anything happens, and jumps while nothing does. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { VirtualClock } from '../engine/clock.mts';
import { listen } from '../fixtures.mts';

const start = Date.parse('2026-01-01T00:00:00Z');
const hour = 3_600_000;
let clock: VirtualClock;

beforeEach(() => {
	clock = new VirtualClock(start);
	clock.install();
});

afterEach(() => {
	clock.uninstall();
});

test('jumps to the next timer, in the order of their times', async () => {
	const fired: string[] = [];
	setTimeout(() => fired.push(`second at ${Date.now() - start}`), 2 * hour);
	setTimeout(() => fired.push(`first at ${Date.now() - start}`), hour);
	await sleep(3 * hour);
	expect(fired).toEqual([`first at ${hour}`, `second at ${2 * hour}`]);
	expect(new Date().toISOString()).toBe('2026-01-01T03:00:00.000Z');
	expect(performance.now()).toBe(start + 3 * hour - performance.timeOrigin);
});

test('repeats an interval until it is cleared, and never fires a cleared timer', async () => {
	let count = 0;
	const interval = setInterval(() => count++, hour);
	clearTimeout(setTimeout(() => (count = 100), hour));
	await sleep(3.5 * hour);
	clearInterval(interval);
	await sleep(3 * hour);
	expect(count).toBe(3);
});

test('stands still while a response is in transit, and jumps while a server waits', async () => {
	const port = await listen(
		createServer((request, response) => {
			const delay = Number(request.url?.slice(1));
			setTimeout(() => response.end(), delay);
		}),
	);
	// As n8n does: the clock knows requests of node:http, not those of fetch.
	const request = async (path: string) => {
		const [response] = (await once(get({ port, path }), 'response')) as [IncomingMessage];
		await once(response.resume(), 'end');
	};
	setTimeout(() => undefined, hour);
	await request('/0');
	expect(Date.now()).toBe(start);
	await request('/5000');
	expect(Date.now()).toBe(start + 5000);
});

test('times out a request to a server that never responds', async () => {
	const port = await listen(createServer(() => undefined));
	const response = once(get({ port, signal: AbortSignal.timeout(hour) }), 'response');
	setTimeout(() => undefined, 2 * hour);
	await expect(response).rejects.toThrow(/aborted/);
	expect(Date.now()).toBe(start + hour);
});

test('moves only the wall clock ahead', async () => {
	const before = performance.now();
	clock.ahead = 24 * hour;
	expect(Date.now()).toBe(start + 24 * hour);
	expect(performance.now()).toBe(before);
	await sleep(hour);
	expect(performance.now() - before).toBe(hour);
});

test('ends a wait that is aborted', async () => {
	const controller = new AbortController();
	const waiting = clock.wait(hour, undefined, controller.signal);
	controller.abort();
	await expect(waiting).rejects.toThrow(/aborted/);
	expect(Date.now()).toBe(start);
});

test('restores the real clock', () => {
	clock.uninstall();
	expect(Math.abs(Date.now() - start)).toBeGreaterThan(hour);
	expect(setTimeout.name).toBe('setTimeout');
});
