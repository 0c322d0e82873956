/** When a run of tests builds the package first. */
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { isStale, markBuilt } from '../../scripts/buildPackage.mts';
import { temporaryFolder } from '../fixtures.mts';

const builtAt = new Date('2026-01-01T12:00:00Z');
const before = new Date('2026-01-01T11:00:00Z');
const after = new Date('2026-01-01T12:00:01Z');

const sources = ['nodes/shared/url.ts', 'credentials/Api.credentials.ts', 'icons/a.svg'];
const manifests = ['package.json', 'tsconfig.json'];

/** A package that was built after its sources were written. */
function builtPackage(): string {
	const folder = temporaryFolder();
	for (const name of ['dist', 'nodes/shared', 'credentials', 'icons']) {
		mkdirSync(path.join(folder, name), { recursive: true });
	}
	for (const name of [...sources, ...manifests]) {
		writeFileSync(path.join(folder, name), '');
		utimesSync(path.join(folder, name), before, before);
	}
	for (const name of ['nodes/shared', 'nodes', 'credentials', 'icons']) {
		utimesSync(path.join(folder, name), before, before);
	}
	markBuilt(folder, builtAt);
	return folder;
}

test('keeps a build that started after the last change', () => {
	expect(isStale(builtPackage())).toBe(false);
});

test.each([...sources, ...manifests])('builds again after a change of %s', (name) => {
	const folder = builtPackage();
	utimesSync(path.join(folder, name), after, after);
	expect(isStale(folder)).toBe(true);
});

test('builds again after a source is deleted', () => {
	const folder = builtPackage();
	rmSync(path.join(folder, 'nodes/shared/url.ts'));
	expect(isStale(folder)).toBe(true);
});

test('builds again when the last build was not completed', () => {
	const folder = builtPackage();
	rmSync(path.join(folder, 'dist/.built'));
	expect(isStale(folder)).toBe(true);
});
