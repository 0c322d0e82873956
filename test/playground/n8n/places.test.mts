/** Where the versions of n8n stand, and whether all places agree. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { beforeEach, expect, it } from 'vitest';

import {
	candidates,
	disagreements,
	edits,
	folderOf,
	majorsIn,
	versionsIn,
} from '../../../playground/n8n/places.mts';
import { temporaryFolder } from '../../untilTheTestEnds.mts';

const root = path.join(import.meta.dirname, '../../..');
const lockOf = (major: string) => path.join(folderOf(major), 'package-lock.json');
const places = [
	...majorsIn(root).flatMap((major) => [lockOf(major), path.join(folderOf(major), 'package.json')]),
	'package.json',
	'package-lock.json',
	'test/versions/versions.json',
	'README.md',
	'docs/installing.md',
];
/** A copy of all of them. */
let copy: string;
beforeEach(() => {
	copy = temporaryFolder();
	for (const place of places) {
		mkdirSync(path.dirname(path.join(copy, place)), { recursive: true });
		cpSync(path.join(root, place), path.join(copy, place));
	}
});

const read = (place: string) => readFileSync(path.join(copy, place), 'utf8');
const write = (place: string, text: string) => {
	writeFileSync(path.join(copy, place), text);
};

it('agree', () => {
	expect(disagreements(root)).toEqual([]);
});

it.each(places)('are all checked: another version in %s is noticed', (place) => {
	const names = ['n8n', 'n8n-core', 'n8n-workflow', 'core', 'workflow'].join('|');
	const changed = read(place)
		.replaceAll(
			new RegExp(`"((?:node_modules/)?(?:${names}))": (\\{\\s*"version": )?"\\d`, 'g'),
			'"$1": $2"9',
		)
		.replaceAll(/n8n 2\.41\b/g, 'n8n 2.42');
	expect(changed).not.toBe(read(place));
	write(place, changed);
	expect(disagreements(copy)).not.toEqual([]);
});

it.each(majorsIn(root))(
	'agree again when another n8n %s is written wherever it stands',
	(major) => {
		const current = versionsIn(read(lockOf(major)));
		const next = { n8n: `${major}.999.1`, core: '9.8.7', workflow: '9.8.6' };
		for (const [file, text] of Object.entries(edits(copy, current, next))) write(file, text);
		// npm's part
		for (const file of [
			lockOf(major),
			...(major === majorsIn(root).at(-1) ? ['package-lock.json'] : []),
		]) {
			const lock = JSON.parse(read(file)) as {
				packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
			};
			for (const [name, version] of Object.entries({
				n8n: next.n8n,
				'n8n-core': next.core,
				'n8n-workflow': next.workflow,
			})) {
				const found = lock.packages[`node_modules/${name}`];
				if (found) found.version = version;
			}
			const { dependencies } = lock.packages[''] ?? {};
			if (dependencies?.n8n !== undefined) dependencies.n8n = next.n8n;
			write(file, JSON.stringify(lock));
		}
		expect(disagreements(copy)).toEqual([]);
	},
);

it.each([
	['2.41.1', '2.41.3', ['2.41.3', '2.41.2']],
	['2.41.1', '2.41.1', ['2.41.1']],
	['2.9.0', '2.10.1', ['2.10.1', '2.10.0', '2.9.1']],
	['2.41.3', '2.10.0', ['2.10.0']],
	['1.123.81', '1.123.82', ['1.123.82']],
	['2.41.1', '3.0.0', ['3.0.0']],
])('from %s to %s: these are tried', (current, wanted, tried) => {
	const released =
		'1.123.81 1.123.82 2.9.0 2.9.1 2.10.0 2.10.1 2.41.1 2.41.2 2.41.3 2.41.3-rc.1 2.41.4 3.0.0';
	expect(candidates(released.split(' '), current, wanted)).toEqual(tried);
});
