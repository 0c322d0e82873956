/** The texts for n8n's template library have the form that it takes, and each ready-made workflow has one. */
import { globSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it, test } from 'vitest';

import { read, root } from '../repository.mts';

const names = (pattern: string) =>
	globSync(pattern, { cwd: root }).map((file) => path.parse(file).name);
const templates = names('docs/templates/*.md').filter((name) => name !== 'README');
/** The first level at n8n.io/workflows. */
const categories = ['AI', 'Document Ops', 'IT Ops', 'Marketing', 'Other', 'Sales', 'Support'];
const sections = ['Quick overview', 'How it works', 'Setup', 'Requirements', 'Customization'];

test('each ready-made workflow has a text, and each text a workflow', () => {
	expect(templates.sort()).toEqual(names('workflows/*.json').sort());
});

describe.each(templates)('%s', (name) => {
	const text = read(`docs/templates/${name}.md`);
	const [head = '', ...parts] = text.split(/^## /m);
	const bodies = Object.fromEntries(
		parts.map((part) => {
			const [heading = '', ...body] = part.split('\n');
			return [heading, body.join('\n').trim()];
		}),
	);
	const words = (section: string) =>
		(bodies[section] ?? '').replace(/!\[[^\]]*\]\([^)]*\)/g, '').match(/\S+/g)?.length ?? 0;

	it('has the sections of the form, each of the length that it asks for', () => {
		expect(Object.keys(bodies)).toEqual(sections);
		expect(words('Quick overview')).toBeGreaterThanOrEqual(10);
		expect(words('Quick overview')).toBeLessThanOrEqual(50);
		expect(words('How it works')).toBeGreaterThanOrEqual(50);
		expect(words('Setup')).toBeGreaterThanOrEqual(50);
		// As the note on the canvas.
		const note = words('How it works') + words('Setup');
		expect(note).toBeGreaterThanOrEqual(100);
		expect(note).toBeLessThanOrEqual(300);
		for (const list of ['Requirements', 'Customization']) {
			expect(bodies[list]?.split('\n').every((line) => line.startsWith('- '))).toBe(true);
		}
	});

	it('has a title of a verb and words in sentence case, and categories that there are', () => {
		const [, title = ''] = /^# (.+)$/m.exec(head) ?? [];
		expect(title).toMatch(/^[A-Z][a-z]+ [^!?.:]{20,80}$/);
		expect(title).toMatch(/Backlink Exchange|n8n/);
		const named = /^Categories: (.+)$/m.exec(head)?.[1]?.split(', ') ?? [];
		expect(named).not.toEqual([]);
		expect(named.filter((category) => !categories.includes(category))).toEqual([]);
	});

	it('begins with a picture of the canvas, holds no HTML, and says where a community node runs', () => {
		const picture = `docs/pictures/workflows/${name}.png`;
		expect(bodies['Quick overview']).toMatch(
			new RegExp(`^!\\[.*\\]\\(https://.*/HEAD/${picture}\\)`),
		);
		expect(text).not.toMatch(/<\w/);
		expect(bodies.Requirements).toMatch(/n8n-nodes-backlink-exchange|community node/);
	});

	it('names only nodes of the canvas, and those that are to be set up', () => {
		const { nodes } = JSON.parse(read(`workflows/${name}.json`)) as {
			nodes: Array<{ name: string }>;
		};
		const onCanvas = nodes.map((node) => node.name);
		const named = [...text.matchAll(/_([A-Z][^_\n]+)_/g)].map(([, node = '']) => node);
		const others = ['When Executed by Another Workflow', 'Offer approval'];
		expect(named.length).toBeGreaterThan(0);
		expect(named.filter((node) => !onCanvas.includes(node) && !others.includes(node))).toEqual([]);
	});
});
