/** Checks that every command in a document, a message or a comment exists. */
import { expect, test } from 'vitest';

import { listFiles, read } from '../repository.mts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
const files = listFiles().filter((file) => /\.(md|m?ts|mjs|ya?ml|sh)$|^\.ci\//.test(file));

test("no text mentions a command that doesn't exist", () => {
	const unknown = files.flatMap((file) =>
		[...read(file).matchAll(/\bnpm run ([a-z][\w:]*)/g)]
			.filter(([, name = '']) => !(name in scripts))
			.map(([command]) => `${file}: ${command}`),
	);
	expect(unknown).toEqual([]);
});

test('CONTRIBUTING.md lists every command', () => {
	const contributing = read('CONTRIBUTING.md');
	const commands = Object.keys(scripts)
		.filter((name) => name !== 'prepack')
		.map((name) => (/^(start|test)$/.test(name) ? `npm ${name}` : `npm run ${name}`));
	expect(commands.filter((command) => !contributing.includes(`\`${command}`))).toEqual([]);
});
