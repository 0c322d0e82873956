/** The pictures of the documentation show what is there now, and each is used. */
// n8n's loader changes the descriptions of the nodes, as it does in other tests of the same process.
import '../engine/engine.mts';

import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { folder, hashOf, pictureNames, readShown } from '../e2e/pictures/catalog.mts';
import { read, root } from '../repository.mts';

const files = globSync('**/*.png', { cwd: folder }).map((file) => file.replace(/\.png$/, ''));

// Outside of the tests: it loads the nodes, which takes long.
const shows = pictureNames.map((name) => ({ name, hash: hashOf(name) }));

test('every picture is in the catalog, and is there', () => {
	expect(files.sort()).toEqual([...pictureNames].sort());
});

test('every picture is shown in a document', () => {
	const documents = globSync(['*.md', '{docs,workflows}/**/*.md'], { cwd: root })
		.map((file) => read(file))
		.join('\n');
	expect(files.filter((name) => !documents.includes(`pictures/${name}.png)`))).toEqual([]);
});

test.each(shows)('$name shows what is there now', ({ name, hash }) => {
	const remedy = `docs/pictures/${name}.png shows what has changed since it was taken. Take it again with: npm run pictures`;
	expect(hash, remedy).toBe(readShown()[name]);
});
