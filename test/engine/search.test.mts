/** What people type into n8n's node panel finds the nodes: n8n's own search, in the entries that n8n's editor makes of them. */
import { createRequire } from 'node:module';

import type { INodeTypeDescription } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { descriptions } from './engine.mts';

/** A row of the panel; what is in it can be chosen once it is open. */
interface Entry {
	properties: Pick<INodeTypeDescription, 'name' | 'displayName' | 'codex' | 'description'>;
	holds: INodeTypeDescription[];
}

type Search = (words: string, entries: Entry[]) => Array<{ item: Entry }>;
// It belongs to n8n, not to this package: found from n8n-core.
const requireOfN8n = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { sublimeSearch } = requireOfN8n('@n8n/utils/search/sublime-search') as {
	sublimeSearch: Search;
};

const isTrigger = ({ group }: INodeTypeDescription) => group.includes('trigger');

/** As n8n's editor does: a trigger goes into the entry of the node that has its name without "Trigger", which gets its description. */
function getEntries(nodes: INodeTypeDescription[]): Entry[] {
	const getEntry = (node: INodeTypeDescription): Entry => ({
		properties: { ...node, displayName: node.displayName.replace(/ Trigger$/, '') },
		holds: [node],
	});
	const entries = nodes.filter((node) => !isTrigger(node)).map(getEntry);
	for (const trigger of nodes.filter(isTrigger)) {
		const name = trigger.name.replace('Trigger', '');
		const entry = entries.find(({ properties }) => properties.name === name);
		if (entry === undefined) {
			entries.push(getEntry(trigger));
		} else {
			entry.holds.push(trigger);
			entry.properties.description = trigger.description;
		}
	}
	return entries;
}

const [action] = descriptions.filter((node) => !isTrigger(node));
const [polling] = descriptions.filter((node) => node.polling);
const [webhook] = descriptions.filter(({ webhooks }) => webhooks !== undefined);
const entries = getEntries(descriptions);

/** What the entries hold that are found, the best one first. */
function find(words: string): Array<Array<INodeTypeDescription | undefined>> {
	// The editor leaves a last word "trigger" out.
	return sublimeSearch(words.replace(/ trigger$/, ''), entries).map(({ item }) => item.holds);
}

// Who begins a workflow searches for a trigger.
it.each([
	...['alert', 'anchor text', 'backlink exchange', 'broken links', 'credits', 'guest post', 'link'],
	...['link building', 'link exchange', 'link monitoring', 'notify', 'seo', 'watchdog alert'],
	...['backlink exchange trigger', 'polling trigger'],
])('%s: the entry with the polling trigger first', (words) => {
	expect(find(words)[0]).toEqual([action, polling]);
});

it.each(['backlink', 'backlink exchange', 'exchange', 'link exchange'])(
	'%s: behind it the webhook trigger, which has to be set up at the service',
	(words) => {
		expect(find(words)).toEqual([[action, polling], [webhook]]);
	},
);

it.each(['webhook', 'webhook trigger', 'real time', 'backlink exchange webhook trigger'])(
	'%s: the webhook trigger alone',
	(words) => {
		expect(find(words)).toEqual([[webhook]]);
	},
);

it("n8n's tools for models search each node by itself: the same words, and of two that fit as well, the trigger", () => {
	expect(polling?.codex?.alias).toEqual(action?.codex?.alias);
	expect(descriptions.map(({ name }) => name).slice(0, 2)).toEqual([polling?.name, action?.name]);
});
