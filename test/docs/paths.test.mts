/** Every file of this repository that a document or a comment names is there. */
import { existsSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { listFiles, read, root } from '../repository.mts';

/** A file by its path from the top of the repository; not one with a placeholder, such as `workflows/<name>.json`. */
const named =
	/(?<![\w./…-])(?:\.github|bench|credentials|docs|nodes|playground|probe|sandbox|scripts|test|workflows)\/[\w./-]+\.(?:css|html|js|json|md|mjs|mts|png|svg|ts|txt|yml)\b/g;

/** The code in a document, and the comments in a source file. */
function partsToRead(file: string): string {
	const parts = file.endsWith('.md') ? /`[^`\n]+`/g : /\/\*\*.*?\*\/|^\s*\/\/.*?$/gms;
	return read(file).match(parts)?.join('\n') ?? '';
}

// What the changelog names may have been moved since.
const files = listFiles().filter((file) => /\.(md|m?ts)$/.test(file) && file !== 'CHANGELOG.md');

it('no text names a file that is not there', () => {
	const names = files.flatMap((file) =>
		(partsToRead(file).match(named) ?? []).map((name) => ({ file, name })),
	);
	expect(names.length).toBeGreaterThan(100);
	expect(names.filter(({ name }) => !existsSync(path.join(root, name)))).toEqual([]);
});

it('no document names a source file, by the end of its path, that is not there', () => {
	const all = listFiles().map((file) => `/${file}`);
	const names = files
		.filter((file) => file.endsWith('.md'))
		.flatMap((file) => [...read(file).matchAll(/`([\w./-]+\.(?:m?ts|mjs))`/g)])
		.map(([, name = '']) => name);
	expect(names.filter((name) => !all.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});
