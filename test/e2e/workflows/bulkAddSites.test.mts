/** Bulk add sites: a form for pasted sites, and a result page with one line per site. */
import { globSync, readFileSync } from 'node:fs';

import { beforeAll, expect, test } from 'vitest';

import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { paste } from './form.mts';

const world = useWorld();
let workflow: Imported;

beforeAll(async () => {
	workflow = await world.editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
});

const urls = () => world.sandbox.books.sites().map(({ url }) => url);

test('adds each site once, and reports each line by its number', async () => {
	const lines = await paste(
		workflow,
		'url\tniche\nhttps://a.example\ttea\nb.example\t"Essen & Trinken"\n\nhttps://a.example/\ttea\nno address\ttea',
	);
	expect(lines).toEqual([
		'Site added (line 2): a.example with the niche “tea”.',
		'Site added (line 3): b.example with the niche “Essen & Trinken”.',
		"Site already in your account (line 5): a.example. It's the same site as in line 2.",
		expect.stringMatching(/^Site not added \(line 6\): “no address”/),
	]);
	expect(urls().filter((url) => /\/\/[ab]\.example/.test(url))).toHaveLength(2);
	// A second submission adds nothing.
	await paste(workflow, 'a.example; tea');
	expect(urls().filter((url) => /\/\/a\.example/.test(url))).toHaveLength(1);
});

/** Spreadsheets that failed as uploaded files, as a user pastes them. */
const spreadsheets = globSync('test/e2e/workflows/spreadsheets/*').sort();

test.each(spreadsheets)('%s: adds or lists each line with a site', async (file) => {
	const text = readFileSync(file, 'utf8');
	const rows = text.split('\r\n').filter((row, at) => at > 0 && row.includes('.example'));
	const lines = await paste(workflow, text);
	expect(lines.filter((line) => line.includes('.example'))).toHaveLength(rows.length);
	const isUnreadable = text.includes('\uFFFD');
	expect(lines.every((line) => line.startsWith('Site added'))).toBe(!isUnreadable);
});

test('reports a wrong key only once, and adds nothing', async () => {
	world.sandbox.addFault({ kind: 'answer-before-commit', status: 401, body: '{}', times: 100 });
	const lines = await paste(workflow, 'https://f.example;tea\nhttps://g.example;tea');
	expect(lines).toEqual([expect.stringMatching(/API key/)]);
	expect(urls().filter((url) => /\/\/[fg]\.example/.test(url))).toEqual([]);
});

test('n8n never shows "Problem submitting response", for any pasted text', async () => {
	for (const text of ['url;niche', 'x', '"', ';;;\n;', 'https://i.example']) {
		const page = (await paste(workflow, text)).join('\n');
		expect(page).not.toContain('Problem submitting response');
		expect(page.length).toBeGreaterThan(10);
	}
});
