/** Each row of the table of threats in SECURITY.md names tests that exist. */
import { expect, test } from 'vitest';

import { read } from '../repository.mts';

const rows = read('SECURITY.md')
	.split('\n')
	.filter((line) => line.startsWith('|'))
	.slice(2)
	.map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
	.map(([, threat = '', defence = '', tests = '']) => ({ threat, defence, tests }));

test('the threats that matter here are all there', () => {
	const threats = rows.map(({ threat }) => threat).join('\n');
	for (const word of [
		'forged',
		'replayed',
		'leaked key',
		'hostile or broken service',
		'workflow author',
		'anchor',
		'AI agent',
	]) {
		expect(threats).toContain(word);
	}
});

test.each(rows)('$threat: its tests exist', ({ defence, tests }) => {
	expect(defence).not.toBe('');
	const named = [...tests.matchAll(/`([^`]+)`(?: "([^"]+)")?/g)];
	expect(named.length).toBeGreaterThan(0);
	// Nothing but what is checked below.
	expect(tests.replaceAll(/`[^`]+`(?: "[^"]+")?|, | and /g, '')).toBe('');
	let files = 0;
	for (const [, name = '', title] of named) {
		// That there is such a command is tested for all documents: commands.test.mts.
		if (/^npm run [\w:]+( -- \w+)?$/.test(name)) continue;
		files++;
		expect(name).toMatch(/^test\/.+\.test\.mts$/);
		expect(read(name)).toMatch(/\b(test|it)(\.each\(|\()/);
		if (title !== undefined) expect(read(name), name).toContain(title);
	}
	expect(files).toBeGreaterThan(0);
});
