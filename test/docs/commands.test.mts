/** Every command that a document, a workflow, a message or a comment names is there. */
import { globSync } from 'node:fs';

import { expect, it, test } from 'vitest';

import { listFiles, read, root } from '../repository.mts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** The pattern of the files of those commands that run one of several. */
const patterns = Object.entries(scripts).flatMap(([name, script]) => {
	const pattern = /run\.mts '(.*)'$/.exec(script)?.[1];
	return pattern === undefined ? [] : [{ name, pattern }];
});
const choices = Object.fromEntries(
	patterns.map(({ name, pattern }) => [
		name,
		globSync(pattern, { cwd: root }).map((file) => /(\w+)(\/main)?\.mts$/.exec(file)?.[1] ?? ''),
	]),
);

/** What a text names that there is not. */
function unknownCommands(text: string): string[] {
	return [...text.matchAll(/\bnpm run ([a-z][\w:]*)(?: -- ([\w:]+))?/g)]
		.filter(([, name = '', choice]) => {
			if (!(name in scripts)) return true;
			return choice !== undefined && choices[name]?.includes(choice) === false;
		})
		.map(([command]) => command);
}

test('commands that run one of several know these', () => {
	expect(choices).toEqual({
		bench: ['accept', 'action', 'boundary', 'day', 'many', 'signature', 'soak', 'webhook'],
		'test:long': expect.arrayContaining(['campaign', 'machine', 'redelivery']) as string[],
	});
});

const files = listFiles().filter((file) => /\.(md|m?ts|mjs|ya?ml|sh)$|^\.ci\//.test(file));

it('no text names a command that is not there', () => {
	const unknown = files.flatMap((file) =>
		unknownCommands(read(file)).map((name) => `${file}: ${name}`),
	);
	expect(files.length).toBeGreaterThan(300);
	expect(unknown).toEqual([]);
});

it('CONTRIBUTING.md names every command', () => {
	const contributing = read('CONTRIBUTING.md');
	const names = Object.keys(scripts).filter((name) => name !== 'prepublishOnly');
	const commands = names.map((name) =>
		/^(start|test)$/.test(name) ? `npm ${name}` : `npm run ${name}`,
	);
	expect(commands.filter((command) => !contributing.includes(`\`${command}`))).toEqual([]);
	const chosen = Object.values(choices).flat();
	expect(chosen.filter((name) => !contributing.includes(`\`${name}\``))).toEqual([]);
});
