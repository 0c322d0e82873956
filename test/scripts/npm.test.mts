/** What npm has installed works on this machine, or is named as what does not. */
import path from 'node:path';

import { describe, expect, it } from 'vitest';

import { InstallationError, requireWorking } from '../../scripts/installation.mjs';
import { read, root } from '../repository.mts';

describe('what was installed', () => {
	const working = (command: string, args: string[], signal?: AbortSignal) =>
		requireWorking('The thing', { command, args, cwd: root, signal, remedy: 'Do this.' });

	it('is taken as it is when it works', async () => {
		await expect(working(process.execPath, ['--version'])).resolves.toBeUndefined();
	});

	it.each([
		['is not there', '/nowhere/node', ['--version'], 'ENOENT'],
		['cannot be run', path.join(root, 'package.json'), [], 'EACCES'],
		[
			'fails',
			process.execPath,
			['--eval', 'console.error("GLIBC not found"); process.exit(1)'],
			'GLIBC',
		],
	])('is an error with a remedy when it %s', async (_, command, args, reason) => {
		const error: unknown = await working(command, args).catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(InstallationError);
		const { message } = error as InstallationError;
		expect(message).toContain('The thing was installed, but does not work:');
		expect(message).toContain(reason);
		expect(message).toMatch(/\nDo this\.$/);
	});

	it('is not blamed when the user stops it', async () => {
		const reason = new Error('Stopped.');
		await expect(working(process.execPath, ['--version'], AbortSignal.abort(reason))).rejects.toBe(
			reason,
		);
	});
});

it('Node.js 24 is in the lock file, with its integrity, for each kind of machine', () => {
	const { optionalDependencies } = JSON.parse(read('scripts/node24/package.json')) as {
		optionalDependencies: Record<string, string>;
	};
	const { packages } = JSON.parse(read('package-lock.json')) as {
		packages: Record<string, object>;
	};
	expect(Object.keys(optionalDependencies)).not.toEqual([]);
	for (const [name, version] of Object.entries(optionalDependencies)) {
		expect(version).toMatch(/^24\./);
		expect(packages[`node_modules/${name}`]).toMatchObject({
			version,
			integrity: expect.stringMatching(/^sha512-/) as string,
		});
	}
});
