/** Bulk add sites: the form, a CSV file, and a page that shows what became of each row. */
import { beforeAll, expect, it } from 'vitest';

import { testedN8n } from '../realN8n.mts';
import type { Imported } from './editor.mts';
import { linesOf, send, upload } from './form.mts';
import { useWorld } from './world.mts';

const world = useWorld();
let workflow: Imported;

beforeAll(async () => {
	workflow = await world.editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
});

const urls = () => world.sandbox.books.sites().map(({ url }) => url);

it('adds each site, leaves those that are there, and says so of each row', async () => {
	const csv = '\uFEFFurl,niche\nhttps://a.example,tea\nhttps://b.example,"tea, green"\n';
	expect(await upload(workflow, csv)).toEqual([
		'Added a.example, niche "tea"',
		'Added b.example, niche "tea, green"',
	]);
	expect(
		await upload(workflow, 'url,niche\nhttps://a.example/,x\nhttps://c.example,tea\n'),
	).toEqual(['Already there: a.example, niche "tea"', 'Added c.example, niche "tea"']);
	expect(urls().filter((url) => /\/\/[abc]\.example/.test(url))).toHaveLength(3);
});

it('says what is wrong with a row, and adds the others', async () => {
	const lines = await upload(
		workflow,
		'url,niche\nno address,tea\n,tea\nhttps://<b>d</b>.example,tea\nhttps://e.example,tea\n',
	);
	expect(lines).toHaveLength(4);
	for (const line of lines.slice(0, 3)) expect(line).toContain('URL');
	expect(lines.join()).not.toMatch(/<b>/);
	expect(lines[3]).toBe('Added e.example, niche "tea"');
});

// The node of n8n 1 that reads the file fails on an empty one.
const empty = testedN8n.startsWith('1.') ? [] : [''];

it.each([...empty, 'url,niche\n', 'name\nx\n'])(
	'says what is missing in a file like %j',
	async (csv) => {
		const before = urls().length;
		expect((await upload(workflow, csv)).join()).toContain('URL');
		expect(urls()).toHaveLength(before);
	},
);

it('says of each row what the service did not take, and the same file once more adds it', async () => {
	const csv = 'url,niche\nhttps://f.example,tea\nhttps://g.example,tea\n';
	world.sandbox.addFault({ kind: 'answer-before-commit', status: 422, method: 'POST', times: 1 });
	const lines = await upload(workflow, csv);
	expect(lines.filter((line) => line.startsWith('Added'))).toHaveLength(1);
	expect((await upload(workflow, csv)).sort()).toEqual([
		expect.stringMatching(/^Added/),
		expect.stringMatching(/^Already there/),
	]);
});

it('two uploads of the same file at once, and n8n killed while it adds: each site is there once', async () => {
	const csv = `url,niche\n${Array.from({ length: 20 }, (_, row) => `https://h${row}.example,tea`).join('\n')}\n`;
	world.sandbox.addFault({
		kind: 'delay-after-commit',
		method: 'POST',
		times: 20,
		milliseconds: 3000,
	});
	const cut = send(workflow, csv).catch(() => undefined);
	await expect.poll(() => urls().filter((url) => url.includes('//h')).length).toBeGreaterThan(2);
	await world.n8n.kill();
	void cut;
	world.sandbox.clearFaults();
	await world.n8n.start();
	await world.editor.logIn();
	const before = workflow.executions().length;
	const [first, second] = await Promise.all([send(workflow, csv), send(workflow, csv)]);
	await workflow.finished(before + 1);
	for (const { lastPage } of [first, second]) expect(await linesOf(lastPage)).toHaveLength(20);
	expect(new Set(urls().filter((url) => url.includes('//h'))).size).toBe(20);
}, 300_000);
