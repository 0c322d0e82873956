import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ verification: { delayMilliseconds: 500 } });
	await world.editor.addCredential('httpBasicAuth', { user: 'me', password: 'a password' });
	workflow = await world.editor.importWorkflow('bulk-add-sites', { secondsToVerify: 8 });
	await workflow.publish();
});

const authorization = `Basic ${Buffer.from('me:a password').toString('base64')}`;

/** What a browser does with the form: sends it, and looks at the page that follows until the workflow is done. */
async function submit(csv: string): Promise<string> {
	const before = workflow.executions().length;
	const body = new FormData();
	body.append('field-0', new Blob([csv], { type: 'text/csv' }), 'sites.csv');
	const answer = await fetch(workflow.form(), {
		method: 'POST',
		headers: { authorization },
		body,
	});
	const { formWaitingUrl } = (await answer.json()) as { formWaitingUrl: string };
	// The execution waits for somebody who looks at its last page.
	expect((await workflow.finished(before)).status).toBe('waiting');
	const page = await fetch(formWaitingUrl, { headers: { authorization } });
	return await page.text();
}

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.sandbox.setVerification({ outcome: 'verified' });
});

/** Uploads a file in the form, and returns the rows of the page that follows, as text. */
async function upload(csv: string): Promise<string[][]> {
	const page = await submit(csv);
	const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1);
	return rows.map(([, row = '']) =>
		[...row.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell = '']) => cell),
	);
}

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
		'\uFEFFURL , Niche\nhttps://one.example,gardening\nhttps://two.example/,"food, drink"\nHTTPS://ONE.example/,again\n';
	expect(await upload(csv)).toEqual([
		['https://one.example', 'added, verified', ''],
		['https://two.example/', 'added, verified', ''],
	]);
	expect(urls()).toEqual(['https://one.example', 'https://two.example/']);
	expect(world.sandbox.books.sites().map(({ niche }) => niche)).toContain('food, drink');
});

it('adds what is new of a file that is uploaded again, and says what is wrong with a row', async () => {
	const csv =
		'url,niche\nhttps://one.example,gardening\nnot a site,cars\nhttps://three.example,cars\n,cars\n<i>,\n';
	const rows = await upload(csv);
	expect(rows).toContainEqual(['https://one.example', 'known before, verified', '']);
	expect(rows).toContainEqual(['https://three.example', 'added, verified', '']);
	expect(rows).toContainEqual([
		'not a site',
		'not added',
		expect.stringContaining('not a complete web address'),
	]);
	expect(rows).toContainEqual([
		'(row without url)',
		'not added',
		expect.stringContaining('must name the columns'),
	]);
	expect(rows).toContainEqual(['&lt;i&gt;', 'not added', expect.any(String)]);
	expect(rows).toHaveLength(5);
	expect(urls()).toHaveLength(3);
});

it('says what could not be verified', async () => {
	world.sandbox.setVerification({ outcome: 'rejected' });
	expect(await upload('url,niche\nhttps://four.example,cars\n')).toEqual([
		['https://four.example', 'added, not verified yet', ''],
	]);
});

it.each(['', 'url,niche\n', 'address;topic\nhttps://five.example;cars\n'])(
	'says what a file must look like that has nothing to add: %j',
	async (csv) => {
		const rows = await upload(csv);
		expect(rows).toEqual([
			['(row without url)', 'not added', expect.stringContaining('must name the columns')],
		]);
	},
);
