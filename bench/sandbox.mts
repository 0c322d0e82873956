/**
 * How fast the sandbox starts and answers, so that it is never what a benchmark measures.
 * Run: `npm run bench -- sandbox [seconds]`. Server and load are two processes; the store is a file, as in everyday use.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Pool } from 'undici';

import { startSandbox } from '../sandbox/sandbox.mts';

const connections = 16;

if (process.send) await serve(process.argv[2] ?? ':memory:');
else await measure(Number(process.argv[2] ?? 5));

async function serve(data: string): Promise<void> {
	const sandbox = await startSandbox({ data, limits: { perMinute: 1e9, perDay: 1e9 } });
	process.send?.({ origin: sandbox.origin, apiKey: sandbox.apiKey });
	process.once('disconnect', () => void sandbox.close());
}

async function measure(seconds: number): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'sandbox-bench-'));
	const begun = performance.now();
	const child = fork(import.meta.filename, [join(folder, 'sandbox.sqlite')]);
	try {
		const [{ origin, apiKey }] = (await once(child, 'message')) as [
			{ origin: string; apiKey: string },
		];
		console.log(`listening after ${Math.round(performance.now() - begun)} ms`);
		for (const path of ['/api/sites', '/api/exchanges?status=pending', '/api/credits/balance']) {
			await load(origin, apiKey, path, seconds);
		}
	} finally {
		child.disconnect();
		await once(child, 'exit');
		rmSync(folder, { recursive: true });
	}
}

async function load(origin: string, apiKey: string, path: string, seconds: number): Promise<void> {
	const pool = new Pool(origin, { connections });
	const latencies: number[] = [];
	const begun = performance.now();
	const end = begun + seconds * 1000;
	const one = async () => {
		while (performance.now() < end) {
			const sent = performance.now();
			const { statusCode, body } = await pool.request({
				path,
				method: 'GET',
				headers: { authorization: `Bearer ${apiKey}` },
			});
			await body.dump();
			if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
			latencies.push(performance.now() - sent);
		}
	};
	await Promise.all(Array.from({ length: connections }, one));
	const elapsed = performance.now() - begun;
	await pool.close();
	latencies.sort((a, b) => a - b);
	const at = (share: number) => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1);
	console.log(
		`${path}: ${Math.round(latencies.length / (elapsed / 1000))} requests/s, median ${at(0.5)} ms, 99 % within ${at(0.99)} ms`,
	);
}
