/** What people type into n8n's node panel finds the nodes, by n8n's own search in names and aliases. */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

import { expect, it } from 'vitest';

import { nodeTypes } from './engine.mts';

type Search = (
	filter: string,
	data: object[],
	keys: Array<{ key: string; weight: number }>,
) => Array<{ item: { properties: { name: string } } }>;
// It belongs to n8n, not to this package: found from n8n-core.
const requireOfN8n = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { sublimeSearch } = requireOfN8n('@n8n/utils/search/sublime-search') as {
	sublimeSearch: Search;
};
/** As n8n's editor weighs them. */
const keys = [
	{ key: 'properties.displayName', weight: 1.3 },
	{ key: 'properties.codex.alias', weight: 1 },
];

const root = path.resolve(import.meta.dirname, '../..');
const nodes = globSync('nodes/*/*.node.json', { cwd: root }).map((file) => {
	const codex = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { node: string };
	const name = codex.node.split('.')[1] ?? '';
	const { displayName } = nodeTypes().getByNameAndVersion(codex.node).description;
	return { properties: { name, displayName, codex } };
});

it.each([
	'backlink',
	'backlinks',
	'links',
	'link building',
	'guest post',
	'broken link',
	'outreach',
	'domain rating',
	'seo',
])('%s', (words) => {
	const found = sublimeSearch(words, nodes, keys).map(({ item }) => item.properties.name);
	expect(found.sort()).toEqual([
		'backlinkExchange',
		'backlinkExchangePollingTrigger',
		'backlinkExchangeTrigger',
	]);
});
