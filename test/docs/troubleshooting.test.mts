/** Checks that docs/troubleshooting.md explains exactly the messages that the nodes have. */
import { globSync } from 'node:fs';

import { expect, it } from 'vitest';

import { read, root } from '../repository.mts';

const sources = globSync('nodes/**/*.ts', { cwd: root }).map((file) => read(file));
const page = read('docs/troubleshooting.md');

/** Fixed error messages: string literals that have a description, or the one of `explain`. */
const headlines = new Set(
	sources.flatMap((source) =>
		[
			...source.matchAll(/\bmessage: '([^']+)',\s*description/g),
			...source.matchAll(/\bexplain\(\s*'([^']+)'/g),
			...source.matchAll(/^\t+\w+: \[\s*'([A-Z][^']+)',\s*`/gm),
		].map(([, headline = '']) => headline),
	),
);

it.each([...headlines])('%s', (headline) => {
	const [beginning = ''] = headline.split(':');
	expect(page.includes(`**${beginning}**`)).toBe(true);
});

/** Messages of n8n and of other nodes. */
const others = ["can't parse entities"];

it.each([...page.matchAll(/\*\*([^*]+)\*\*/g)].map(([, message = '']) => message))(
	'the nodes contain the message "%s"',
	(message) => {
		if (others.includes(message)) return;
		expect(sources.some((source) => source.includes(message))).toBe(true);
	},
);
