/** The packages in test/package/releases, from which `npm run test:e2e -- communityNodes` updates. */
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { read } from '../repository.mts';

const folder = path.join(import.meta.dirname, 'releases');
const files = globSync('*.tgz', { cwd: folder });

test.each(files)('%s is the package and version that its name says', (file) => {
	const text = execFileSync('tar', ['-xzOf', path.join(folder, file), 'package/package.json']);
	const { name, version } = JSON.parse(text.toString()) as { name: string; version: string };
	expect(file).toBe(`${name}-${version}.tgz`);
});

test('of every minor version in the changelog, a package is kept', () => {
	const changelog = read('CHANGELOG.md');
	const released = [...changelog.matchAll(/^## \[?v?(\d+\.\d+)\.\d+/gm)].map(([, minor]) => minor);
	const kept = files.map((file) => /-(\d+\.\d+)\.\d+\.tgz$/.exec(file)?.[1]);
	expect(kept).toEqual(expect.arrayContaining(released));
});
