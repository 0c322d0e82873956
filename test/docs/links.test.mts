/** What the documents point at is there. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const documents = globSync(['*.md', '{.github,docs,workflows}/**/*.md'], { cwd: root }).sort();

test.each(documents)('%s points at files of this repository that exist', (document) => {
	const folder = path.dirname(path.join(root, document));
	const text = readFileSync(path.join(root, document), 'utf8');
	const targets = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)].map(
		([, target = '']) => path.resolve(folder, target),
	);
	const outside = targets.filter((target) => !target.startsWith(root + path.sep));
	expect([...outside, ...targets.filter((target) => !existsSync(target))]).toEqual([]);
});

test('decisions are numbered without a gap, and each says its number in its title', () => {
	const folder = path.join(root, 'docs/decisions');
	const files = globSync('*.md', { cwd: folder }).sort();
	expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, index) => index + 1));
	for (const file of files) {
		const title = readFileSync(path.join(folder, file), 'utf8').split('\n')[0];
		expect(title).toMatch(new RegExp(`^# ${file.slice(0, 4)} `));
	}
});
