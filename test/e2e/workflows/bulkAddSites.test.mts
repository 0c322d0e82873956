import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { testedN8n } from '../realN8n.mts';
import type { Imported } from './editor.mts';
import { authorization, rowsOf, send, upload } from './form.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ verification: { delayMilliseconds: 500 } });
	workflow = await world.editor.importWorkflow('bulk-add-sites', { secondsToVerify: 8 });
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.sandbox.setVerification({ outcome: 'verified' });
	world.sandbox.clearFaults();
});

const urls = () =>
	world.sandbox.books
		.sites()
		.map(({ url }) => url)
		.sort();

it('shows the form to those who have the password', async () => {
	await expect
		.poll(async () => (await fetch(workflow.form())).status, { timeout: 20_000 })
		.toBe(401);
	const answer = await fetch(workflow.form(), { headers: { authorization } });
	expect(await answer.text()).toContain('CSV file');
});

it('adds each site once and reports what was verified', async () => {
	const csv =
		'\uFEFFURL , Niche\nhttps://one.example,gardening\r\n"https://two.example/","food, ""drink"""\nHTTPS://ONE.example/,again\n\n';
	expect(await upload(workflow, csv)).toEqual([
		['2', 'https://one.example', 'added, verified', ''],
		['3', 'https://two.example/', 'added, verified', ''],
		['4', 'HTTPS://ONE.example/', 'not added', 'It is in the file already, further up.'],
	]);
	expect(urls()).toEqual(['https://one.example', 'https://two.example/']);
	expect(world.sandbox.books.sites().map(({ niche }) => niche)).toContain('food, "drink"');
});

it('adds what is new of a file that is uploaded again, and says what is wrong with a row', async () => {
	const csv =
		'url,niche\nhttps://one.example,gardening\nnot a site,cars\nhttps://three.example,cars\n,cars\n<i>,\n';
	const rows = await upload(workflow, csv);
	expect(rows[0]).toEqual(['2', 'https://one.example', 'known before, verified', '']);
	expect(rows[1]).toEqual([
		'3',
		'not a site',
		'not added',
		expect.stringContaining('a complete web address'),
	]);
	expect(rows[2]).toEqual(['4', 'https://three.example', 'added, verified', '']);
	expect(rows[3]).toEqual(['5', '(row without url)', 'not added', 'This row has no url.']);
	expect(rows[4]).toEqual(['6', '&lt;i&gt;', 'not added', expect.any(String)]);
	expect(urls()).toHaveLength(3);
});

it('adds the other rows of a file with ragged ones, and tells of each', async () => {
	const csv =
		'url,niche\nhttps://six.example,cars,extra\nhttps://seven.example\nhttps://eight.example,cars\nhttps://nine.example,"open\n';
	const rows = await upload(workflow, csv);
	expect(rows.slice(0, 3)).toEqual([
		['2', 'https://six.example', 'not added', expect.stringContaining('3 cells instead of 2')],
		['3', 'https://seven.example', 'not added', expect.stringContaining('1 cells instead of 2')],
		['4', 'https://eight.example', 'added, verified', ''],
	]);
	expect(rows).toHaveLength(4);
	expect(urls()).not.toContain('https://six.example');
});

it('says what could not be verified', async () => {
	world.sandbox.setVerification({ outcome: 'rejected' });
	expect(await upload(workflow, 'url,niche\nhttps://four.example,cars\n')).toEqual([
		['2', 'https://four.example', 'added, not verified yet', ''],
	]);
});

// On n8n 1, an empty file ends the workflow before its page.
const empty = testedN8n.startsWith('1.') ? [] : [''];
it.each([...empty, 'url,niche\n', 'address;topic\nhttps://five.example;cars\n'])(
	'says what a file must look like that has nothing to add: %j',
	async (csv) => {
		const rows = await upload(workflow, csv);
		expect(rows).toEqual([
			[expect.any(String), '(row without url)', 'not added', expect.stringContaining('must name')],
		]);
	},
);

it('tells of each row when the service fails for one of them', async () => {
	world.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', status: 422 });
	const rows = await upload(
		workflow,
		'url,niche\nhttps://ten.example,a\nhttps://eleven.example,b\n',
	);
	expect(rows.map(([row, , result]) => [row, result])).toHaveLength(2);
	expect(rows.filter(([, , result]) => result === 'not added')).toHaveLength(1);
	expect(rows.filter(([, , result]) => result === 'added, verified')).toHaveLength(1);
});

it('two uploads of the same file at once: both tell of each row', async () => {
	const csv = 'url,niche\nhttps://twelve.example,a\nhttps://thirteen.example,b\n';
	const last = workflow.executions().length + 1;
	const sent = await Promise.all([send(workflow, csv), send(workflow, csv)]);
	await workflow.finished(last);
	for (const { lastPage } of sent) {
		const rows = await rowsOf(lastPage);
		expect(rows).toHaveLength(2);
		for (const [, , result] of rows) {
			expect(result).toMatch(/^(added|known before), (verified|not verified yet)$/);
		}
	}
	expect(new Set(urls())).toContain('https://twelve.example');
});
