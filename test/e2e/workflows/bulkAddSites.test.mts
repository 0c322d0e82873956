/** Bulk add sites: a form to paste into, and a page that says of each line what was done. */
import { globSync, readFileSync } from 'node:fs';

import { beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { paste } from './form.mts';
import { useWorld } from './world.mts';

const world = useWorld();
let workflow: Imported;

beforeAll(async () => {
	workflow = await world.editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
});

const urls = () => world.sandbox.books.sites().map(({ url }) => url);

it('adds each site once, and says so of each line by its number', async () => {
	const lines = await paste(
		workflow,
		'url\tniche\nhttps://a.example\ttea\nb.example\t"Essen & Trinken"\n\nhttps://a.example/\ttea\nno address\ttea',
	);
	expect(lines).toEqual([
		expect.stringMatching(/2.*a\.example.*tea/),
		expect.stringMatching(/3.*b\.example.*Essen & Trinken/),
		expect.stringMatching(/5.*line 2/),
		expect.stringMatching(/6.*no address/),
	]);
	expect(urls().filter((url) => /\/\/[ab]\.example/.test(url))).toHaveLength(2);
	// The same once more adds nothing.
	await paste(workflow, 'a.example; tea');
	expect(urls().filter((url) => /\/\/a\.example/.test(url))).toHaveLength(1);
});

/** Spreadsheets that failed as files, as a person pastes them. */
const spreadsheets = globSync('test/e2e/workflows/spreadsheets/*').sort();

it.each(spreadsheets)('%s: each line of a site is added or named', async (file) => {
	const text = readFileSync(file, 'utf8');
	const rows = text.split('\r\n').filter((row, at) => at > 0 && row.includes('.example'));
	const lines = await paste(workflow, text);
	expect(lines.filter((line) => line.includes('.example'))).toHaveLength(rows.length);
	const isUnreadable = text.includes('\uFFFD');
	expect(lines.every((line) => /^(Line \d+: )?(Added|added)/.test(line))).toBe(!isUnreadable);
});

it('a wrong key is said once, with the lines that were not added', async () => {
	world.sandbox.addFault({ kind: 'answer-before-commit', status: 401, method: 'POST', times: 100 });
	const sites = ['https://f.example;tea', 'https://g.example;tea', 'https://h.example;tea'];
	const page = (await paste(workflow, sites.join('\n'))).join('\n');
	expect(page.match(/API key/gi)?.length).toBeGreaterThan(0);
	for (const site of sites) expect(page).toContain(site);
	expect(urls().filter((url) => /\/\/[fgh]\.example/.test(url))).toEqual([]);
});

it('n8n never says "Problem submitting response", whatever is pasted', async () => {
	for (const text of ['url;niche', 'x', '"', ';;;\n;', 'https://i.example']) {
		const page = (await paste(workflow, text)).join('\n');
		expect(page).not.toContain('Problem submitting response');
		expect(page.length).toBeGreaterThan(10);
	}
});
