/** The table of decision 0017 names everything that nodes/ remembers. */
import { globSync } from 'node:fs';

import { expect, test } from 'vitest';

import { read, root } from '../repository.mts';

const decision = 'docs/decisions/0017-the-memories.md';
const mostMemories = 18;

/** What n8n keeps for a node, by how it is asked for it. */
const memoriesOfN8n = /getWorkflowStaticData\(|getContext\('node'\)|checkProcessedAndRecord\(/;

/** Classes whose objects do not change. */
const unchanging = ['RegExp', 'Error', 'Intl.DateTimeFormat'];

/** Variables of a module, and static properties, that can change while the process lives; told by Prettier's format. */
function memoriesIn(text: string): string[] {
	const isChanged = (name: string) =>
		new RegExp(
			`(?<![.\\w])${name}(\\.\\w+|\\[[^\\]]+\\])*((\\.\\w+|\\[[^\\]]+\\]) ([-+*|&?]{0,2}=) |\\.(push|unshift|splice|add|set|delete)\\()`,
		).test(text);
	const variables = text.matchAll(
		/^(?:export )?let (\w+)|^\t(?:\w+ )*static (?:readonly )?(#?\w+)(?:[:;?]| =)/gm,
	);
	const constants = text.matchAll(
		/^(?:export )?const (\w+)(?:: ([^]+?))? =(?!>)(?:\s+new ([\w.]+))?/gm,
	);
	return [
		...[...variables].map(([, variable, property = '']) => variable ?? property),
		...[...constants]
			.filter(([, , type = '']) => !type.startsWith('Readonly'))
			.filter(([, name = '', , made]) =>
				made === undefined ? isChanged(name) : !unchanging.includes(made),
			)
			.map(([, name = '']) => name),
	];
}

const rows = read(decision)
	.split('\n')
	.filter((line) => /^\|.*\.ts`/.test(line))
	.map((line) => line.split('|').map((cell) => cell.trim()));

/** "file: name" for each name that a row has behind its file, or "file: n8n" where n8n keeps it. */
const named = rows.flatMap(([, , where = '']) => {
	const [file = '', ...names] = [...where.matchAll(/`([^`]+)`/g)].map(([, code]) => code);
	return (names.length === 0 ? ['n8n'] : names).map((name) => `${file}: ${name}`);
});

test('the table of memories names everything that nodes/ remembers, and nothing else', () => {
	const found = globSync('**/*.ts', { cwd: `${root}/nodes` }).flatMap((file) => {
		const text = read(`nodes/${file}`);
		const ofN8n = memoriesOfN8n.test(text) ? ['n8n'] : [];
		return [...memoriesIn(text), ...ofN8n].map((name) => `${file}: ${name}`);
	});
	expect(named.toSorted(), decision).toEqual(found.toSorted());
});

test('there are few of them, and each says what it answers, how long it lives, and how it is bounded', () => {
	expect(rows.length).toBeLessThanOrEqual(mostMemories);
	for (const [, answers, , long, most] of rows) {
		expect([answers, long, most]).not.toContain('');
	}
});

test.each([
	['const a = new Map<string, number>();', ['a']],
	['export const a: Map<string, number> = new Map();', ['a']],
	['const a = new Own(5);', ['a']],
	['let a = 0;', ['a']],
	['let a: number | undefined;', ['a']],
	['const a: Array<\n\t(b: string) => void\n> =\n\tnew Own<string>();', ['a']],
	['const a = {};\nfunction f() {\n\ta.b ??= 1;\n}', ['a']],
	['const a: string[] = [];\nfunction f() {\n\ta.push("");\n}', ['a']],
	['class A {\n\tstatic #of = 1;\n\tstatic async of<B>(b: B) {}\n}', ['#of']],
	["const a: ReadonlySet<string> = new Set('b');", []],
	["const a = ['b'];\nconst c = a.map(String);\nconst d = a.length === 1;", []],
	['function f() {\n\tconst a = new Map();\n}', []],
	["const a = new RegExp('b');", []],
])('what counts as a memory: %j', (text, memories) => {
	expect(memoriesIn(text)).toEqual(memories);
});
