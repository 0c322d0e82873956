/** Every command that a document, a workflow, a message or a comment names is there. */
import { globSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from 'vitest';

import { listFiles, read, root } from '../repository.mts';

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
/** What the commands that run one of several files can run. */
const choices: Record<string, string[]> = {
	bench: globSync('bench/*.mts', { cwd: root }).map((file) => path.basename(file, '.mts')),
};

/** What a text names that there is not. */
function unknownCommands(text: string): string[] {
	return [...text.matchAll(/\bnpm run ([a-z][\w:]*)(?: -- ([\w:]+))?/g)]
		.filter(([, name = '', choice]) => {
			if (!(name in scripts)) return true;
			return choice !== undefined && choices[name]?.includes(choice) === false;
		})
		.map(([command]) => command);
}

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
