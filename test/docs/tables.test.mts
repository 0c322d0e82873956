/** GitHub and npm show a table only if each row has as many cells as its head (GitHub Flavored Markdown, section 4.10). */
import { globSync } from 'node:fs';

import { expect, it } from 'vitest';

import { read, root } from '../repository.mts';

const documents = globSync(['*.md', '{.github,docs,sandbox,workflows}/**/*.md'], { cwd: root });

/** The number of cells of a row; a pipe in code, or behind a backslash, separates none. */
const cellsIn = (row: string) => row.replace(/\\\||`[^`]*`/g, '').split('|').length - 2;

it.each(documents)('%s has tables whose rows have as many cells as the head', (document) => {
	const tables = read(document)
		.replace(/```[^]*?```/g, '')
		.match(/(^\|.*\n)+/gm);
	const uneven = (tables ?? [])
		.map((table) => table.trim().split('\n'))
		.flatMap(([head = '', ...rows]) => rows.filter((row) => cellsIn(row) !== cellsIn(head)));
	expect(uneven).toEqual([]);
});
