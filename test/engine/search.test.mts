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
const all = globSync('nodes/*/*.node.json', { cwd: root }).map((file) => {
	const codex = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as { node: string };
	const name = codex.node.split('.')[1] ?? '';
	const { displayName } = nodeTypes().getByNameAndVersion(codex.node).description;
	return { properties: { name, displayName, codex } };
});
/** In n8n's order, which decides where two have as many points: triggers last. */
const isTrigger = ({ properties }: (typeof all)[number]) => properties.name.endsWith('Trigger');
const nodes = [...all.filter((node) => !isTrigger(node)), ...all.filter(isTrigger)];

/** Of what is found, the nodes that have an entry of their own in the panel; n8n puts the webhook trigger into the action node's. */
function entriesFor(words: string): string[] {
	const found = sublimeSearch(words, nodes, keys).map(({ item }) => item.properties.name);
	return found.filter((name) => name !== 'backlinkExchangeTrigger');
}

const action = 'backlinkExchange';
const polling = 'backlinkExchangePollingTrigger';

// Who begins a workflow searches for a trigger.
it.each([
	...['alert', 'backlinks', 'broken link', 'credits', 'domain rating', 'guest post', 'link'],
	...['link building', 'links', 'monitor', 'outreach', 'seo', 'uptime', 'watchdog'],
])('%s: the polling trigger first', (words) => {
	expect(entriesFor(words)[0]).toBe(polling);
});

// n8n weighs a name more than an alias, and a short name more than a long one: docs/decisions/0018-what-a-search-finds-first.md.
it.each(['backlink', 'backlink exchange', 'link exchange', 'exchange'])(
	'%s: the action node first, and the polling trigger behind it',
	(words) => {
		expect(entriesFor(words)).toEqual([action, polling]);
	},
);

it.each(['backlink', 'backlinks', 'guest post', 'outreach', 'seo'])('%s: all nodes', (words) => {
	expect(sublimeSearch(words, nodes, keys)).toHaveLength(3);
});
