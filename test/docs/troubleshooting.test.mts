/** docs/troubleshooting.md explains the headlines that the nodes have, in their words, and leaves none out. */
import { globSync } from 'node:fs';

import { expect, it } from 'vitest';

import { read, root } from '../repository.mts';

const sources = globSync('nodes/**/*.ts', { cwd: root }).map((file) => read(file));
const page = read('docs/troubleshooting.md');

/** The headlines of errors that do not depend on the case: a literal message with its description, or that of `explain`. */
const headlines = new Set(
	sources.flatMap((source) =>
		[
			...source.matchAll(/\bmessage: '([^']+)',\s*description/g),
			...source.matchAll(/\bexplain\(\s*'([^']+)'/g),
			...source.matchAll(/^\t+\w+: \[\s*'([A-Z][^']+)',\s*`/gm),
		].map(([, headline = '']) => headline),
	),
);

/** Those that concern only who would find them in their own settings, and that say all of it themselves. */
const explainedInPlace = ['Max per Day cannot be counted'];

it.each([...headlines])('%s', (headline) => {
	if (explainedInPlace.includes(headline)) return;
	expect(page).toContain(`**${headline}**`);
});

it.each([...page.matchAll(/^\| \*\*([^*]+)\*\*/gm)].map(([, symptom = '']) => symptom))(
	'the nodes say "%s"',
	(symptom) => {
		expect(sources.some((source) => source.includes(symptom))).toBe(true);
	},
);
