import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { authorization, upload } from './form.mts';
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
		'\uFEFFURL , Niche\nhttps://one.example,gardening\nhttps://two.example/,"food, drink"\nHTTPS://ONE.example/,again\n';
	expect(await upload(workflow, csv)).toEqual([
		['https://one.example', 'added, verified', ''],
		['https://two.example/', 'added, verified', ''],
	]);
	expect(urls()).toEqual(['https://one.example', 'https://two.example/']);
	expect(world.sandbox.books.sites().map(({ niche }) => niche)).toContain('food, drink');
});

it('adds what is new of a file that is uploaded again, and says what is wrong with a row', async () => {
	const csv =
		'url,niche\nhttps://one.example,gardening\nnot a site,cars\nhttps://three.example,cars\n,cars\n<i>,\n';
	const rows = await upload(workflow, csv);
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
	expect(await upload(workflow, 'url,niche\nhttps://four.example,cars\n')).toEqual([
		['https://four.example', 'added, not verified yet', ''],
	]);
});

it.each(['', 'url,niche\n', 'address;topic\nhttps://five.example;cars\n'])(
	'says what a file must look like that has nothing to add: %j',
	async (csv) => {
		const rows = await upload(workflow, csv);
		expect(rows).toEqual([
			['(row without url)', 'not added', expect.stringContaining('must name the columns')],
		]);
	},
);
