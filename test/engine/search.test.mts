/**
 * n8n's node panel finds the nodes for what users type: n8n's own search, in the entries that n8n's
 * editor creates.
 */
import { createRequire } from 'node:module';

import type { INodeTypeDescription } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { descriptions } from './engine.mts';

/** A row of the panel, with the nodes that a user can choose once it is open. */
interface Entry {
	properties: Pick<INodeTypeDescription, 'name' | 'displayName' | 'codex' | 'description'>;
	holds: INodeTypeDescription[];
}

type Search = (searchText: string, entries: Entry[]) => Array<{ item: Entry }>;
// It belongs to n8n, not to this package, so it is resolved from n8n-core.
const requireOfN8n = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
const { sublimeSearch } = requireOfN8n('@n8n/utils/search/sublime-search') as {
	sublimeSearch: Search;
};

const isTrigger = ({ group }: INodeTypeDescription) => group.includes('trigger');

/**
 * Builds the entries as n8n's editor does: a trigger is merged into the entry of the node with its
 * name without "Trigger", and keeps that node's description.
 */
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

/**
 * Searches the panel.
 *
 * @returns the nodes of the matching entries, best match first
 */
function find(searchText: string): Array<Array<INodeTypeDescription | undefined>> {
	// The editor drops a trailing "trigger".
	return sublimeSearch(searchText.replace(/ trigger$/, ''), entries).map(({ item }) => item.holds);
}

// Users who start a workflow search for a trigger.
test.each([
	...['backlink exchange', 'backlink exchange trigger', 'backlinks', 'broken links', 'guest post'],
	...['link', 'link building', 'link exchange', 'link monitoring', 'outreach', 'seo'],
	...['accept many', 'alerts', 'credits', 'domain rating', 'watchdog'],
])('%s finds the entry with the polling trigger first', (searchText) => {
	expect(find(searchText)[0]).toEqual([action, polling]);
});

test.each(['events', 'notify', 'polling'])(
	'%s finds none of the nodes, because it suits most services',
	(searchText) => {
		expect(find(searchText)).toEqual([]);
	},
);

test.each(['backlink', 'backlink exchange', 'exchange', 'link exchange', 'seo'])(
	'%s also finds the webhook trigger after it, which needs a setup at the service',
	(searchText) => {
		expect(find(searchText)).toEqual([[action, polling], [webhook]]);
	},
);

test.each(['webhook', 'webhook trigger', 'backlink exchange webhook trigger'])(
	'%s finds only the webhook trigger',
	(searchText) => {
		expect(find(searchText)).toEqual([[webhook]]);
	},
);

test("n8n's tools for models find the same nodes, and rank a trigger above an equal match", () => {
	expect(polling?.codex?.alias).toEqual(action?.codex?.alias);
	expect(descriptions.map(({ name }) => name).slice(0, 2)).toEqual([polling?.name, action?.name]);
});
