/** One command at a time builds or installs, also after one of them was killed. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { InstallationError } from '../../scripts/installation.mjs';
import { withLock } from '../../scripts/lock.mjs';
import { temporaryFolder } from '../untilTheTestEnds.mts';

let folder: string;
let file: string;
beforeEach(() => {
	folder = temporaryFolder();
	file = join(folder, 'lock');
});

describe('a lock', () => {
	it('lets one work after the other, and is gone afterwards', async () => {
		let inside = 0;
		const work = async (): Promise<void> => {
			inside += 1;
			expect(inside).toBe(1);
			await new Promise(setImmediate);
			inside -= 1;
		};
		await Promise.all([1, 2, 3].map(() => withLock(file, work, { busy: () => undefined })));
		expect(existsSync(file)).toBe(false);
	});

	it('is released when the work fails', async () => {
		await expect(withLock(file, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
		expect(existsSync(file)).toBe(false);
	});

	it('is taken over from a process that has died', async () => {
		const { pid } = spawnSync(process.execPath, ['-e', '']);
		writeFileSync(file, `${pid}\n`);
		await expect(withLock(file, () => Promise.resolve('done'))).resolves.toBe('done');
	});

	it('is held by what a killed process had started, until that ends as well', async () => {
		const scripts = pathToFileURL(join(import.meta.dirname, '../../scripts/')).href;
		const program = `
			import { runCommand } from '${scripts}command.mjs';
			import { withLock } from '${scripts}lock.mjs';
			const sleep = () => runCommand('sleep', ['600'], { cwd: '/' });
			await withLock(${JSON.stringify(file)}, sleep);`;
		const killed = spawn(process.execPath, ['--input-type=module', '--eval', program]);
		const lines = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
		await vi.waitUntil(() => lines().length === 2, { timeout: 20_000 });
		const started = Number(lines()[1]);
		onTestFinished(() => {
			try {
				process.kill(started);
			} catch {
				// it has ended, as it should
			}
		});
		killed.kill('SIGKILL');
		await once(killed, 'close');

		const holders: Array<number | string> = [];
		const busy = (holder: number | string): void => {
			holders.push(holder);
			process.kill(started);
		};
		await expect(withLock(file, () => Promise.resolve('done'), { busy })).resolves.toBe('done');
		expect(holders).toEqual([started]);
	});

	it('says so in plain words where nothing can be written', async () => {
		chmodSync(folder, 0o555);
		// Root may write everywhere.
		const isRoot = process.geteuid?.() === 0;
		if (isRoot) process.seteuid?.(65_534);
		try {
			const lock = join(folder, 'new', 'lock');
			const error: unknown = await withLock(lock, () => Promise.resolve()).catch(
				(thrown: unknown) => thrown,
			);
			expect(error).toBeInstanceOf(InstallationError);
			expect((error as Error).message).toContain(`Nothing can be written to ${dirname(lock)}.`);
		} finally {
			if (isRoot) process.seteuid?.(0);
			chmodSync(folder, 0o755);
		}
	});

	it('says who holds it, and leaves it alone', async () => {
		writeFileSync(file, `${process.ppid}\n`);
		const busy = (holder: number | string): never => {
			throw new Error(`held by ${holder}`);
		};
		await expect(withLock(file, () => Promise.resolve(), { busy })).rejects.toThrow(
			`held by ${process.ppid}`,
		);
		expect(existsSync(file)).toBe(true);
	});
});
