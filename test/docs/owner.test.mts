/** What only the owner can decide stands in owner.json, and nowhere else differently. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { contradictions, placeholders, readOwner } from '../../scripts/release/owner.mts';

const root = path.resolve(import.meta.dirname, '../..');
const owner = readOwner();

test('every place that repeats a decision says the same; "npm run owner" writes them anew', () => {
	expect(contradictions(owner)).toEqual([]);
	// None of them can be left out without being noticed.
	const another = {
		...owner,
		repository: 'https://github.com/a/b',
		contact: 'c',
		author: { name: 'd', email: 'e' },
	};
	const files = contradictions(another).map((line) => line.split(' ', 1)[0]);
	expect([...new Set(files)].sort()).toEqual([
		'LICENSE.md',
		'README.md',
		'credentials/BacklinkExchangeApi.credentials.ts',
		'nodes/BacklinkExchange/BacklinkExchange.node.json',
		'nodes/BacklinkExchangePollingTrigger/BacklinkExchangePollingTrigger.node.json',
		'nodes/BacklinkExchangeTrigger/BacklinkExchangeTrigger.node.json',
		'package.json',
	]);
	expect(files.filter((file) => file === 'package.json')).toHaveLength(6);
});

test('no document or node names another repository of this package', () => {
	const texts = globSync(
		['*.md', '{.github,docs,nodes,credentials,workflows}/**/*.{md,ts,json,yml}'],
		{
			cwd: root,
		},
	);
	expect(texts.length).toBeGreaterThan(60);
	const others = texts.flatMap((file) =>
		(
			readFileSync(path.join(root, file), 'utf8').match(
				/https:\/\/github\.com\/[\w.-]+\/n8n-nodes-backlink-exchange/g,
			) ?? []
		)
			.filter((address) => address !== owner.repository)
			.map((address) => `${file}: ${address}`),
	);
	expect(others).toEqual([]);
});

test('what is evidently a placeholder is said to be one', () => {
	const reserved = /\.(example|invalid|test|localhost)$/; // RFC 2606
	const isPlaceholder = (text: string) =>
		reserved.test(text) || !/^\S+@\S+\.\S+$|^https:\/\//.test(text);
	if (isPlaceholder(owner.author.email)) expect(owner.undecided).toContain('author');
	if (isPlaceholder(owner.contact)) expect(owner.undecided).toContain('contact');
	expect(owner.repository).toMatch(/^https:\/\/github\.com\/[\w-]+\/[\w.-]+(?<!\.git)$/);
	expect(['repository', 'author', 'contact']).toEqual(expect.arrayContaining(owner.undecided));
});

/** No failure, because only the owner can change it: `npm run release` publishes nothing before it is empty. */
test('placeholders that are left', async ({ annotate }) => {
	for (const placeholder of placeholders(owner)) await annotate(placeholder, 'placeholder');
});
