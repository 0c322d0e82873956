/** Bulk add sites: a form for URLs and a niche, and its result page. And a file with both. */
import { beforeAll, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { chain, node, serviceNode } from '../nodes.mts';
import { type Imported, output } from './editor.mts';
import { useWorld } from './environment.mts';
import { paste } from './form.mts';

const world = useWorld();
let workflow: Imported;

beforeAll(async () => {
	workflow = await world.editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
});

const urls = () => world.sandbox.books.sites().map(({ url }) => url);

const newUrls = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => `https://${name}-${index}.example`);

const postCount = () => world.sandbox.books.requests({ method: 'POST' }).length;

test.each([1, 9, 50])('adds %i sites, and lists them in their order', async (count) => {
	const added = newUrls(`of-${count}`, count);
	const before = postCount();
	expect(await paste(workflow, added.join('\r\n'), 'green tea')).toEqual([
		`${count} added, 0 already there, 0 failed`,
		...['Added', ...added, ''],
		...['Already in your account', '', ''],
		...['Failed', '', '', ''],
	]);
	expect(postCount() - before).toBe(count);
	expect(urls()).toEqual(expect.arrayContaining(added));
	const niches = world.sandbox.books.sites().map(({ niche }) => niche);
	expect(niches.filter((niche) => niche === 'green tea').length).toBeGreaterThanOrEqual(count);
});

test('lists existing sites, and each failed line as it was typed, with its reason', async () => {
	world.sandbox.addSite({ url: 'https://there.example', niche: 'tea' });
	world.sandbox.addFault({ kind: 'error-before-commit', status: 422, method: 'POST' });
	const lines = await paste(
		workflow,
		'  declined.example  \n\n \t \nBare.example\nwww.there.example/\nno address\r\n<https://linked.example>\nbare.example\na.example, tea & mint',
	);
	expect(lines.slice(0, 13)).toEqual([
		'1 added, 2 already there, 4 failed',
		...['Added', 'Bare.example', ''],
		...['Already in your account', 'www.there.example/', 'bare.example', ''],
		...['Failed', 'declined.example', 'no address', '<https://linked.example>'],
		'a.example, tea & mint',
	]);
	expect(lines.slice(13).filter((line) => line !== '')).toEqual([
		expect.stringMatching(/^The service declined to add the site https:\/\/declined\.example\. /),
		expect.stringMatching(/^Failed: 'URL' must be the URL of a site .*“no address”/),
		expect.stringMatching(/“‹https:\/\/linked\.example›”/),
		expect.stringMatching(/“a\.example, tea & mint”/),
	]);
	expect(urls().filter((url) => /bare|there|linked|\/a\./i.test(url))).toEqual([
		'https://there.example',
		'https://Bare.example',
	]);
});

test.each([
	[401, errorMessages.apiKeyNotAccepted],
	[403, errorMessages.accessDenied],
])('says only once that nothing could be added: HTTP %i', async (status, message) => {
	const body = '{"error":{"code":"no","message":"No"}}';
	const fault = { kind: 'answer-before-commit', method: 'POST', status, body } as const;
	world.sandbox.addFault({ ...fault, times: 100 });
	const failed = newUrls(`failed-${status}`, 50);
	const before = postCount();
	const lines = await paste(workflow, failed.join('\n'));
	expect(lines.slice(0, -1)).toEqual([
		'0 added, 0 already there, 50 failed',
		...['Added', '', '', 'Already in your account', '', '', 'Failed', ...failed, ''],
	]);
	expect(lines.at(-1)).toMatch(new RegExp(`^${message}\\.`));
	expect(postCount() - before).toBeLessThanOrEqual(50);
	expect(urls().filter((url) => url.includes('failed'))).toEqual([]);
});

test.each([' ', ' \n\t', 'x', '"', '<', ';;;\n;', '\\n', '{{ $json }}', '=1'])(
	'has a result page for %j',
	async (text) => {
		const [title] = await paste(workflow, text);
		expect(title).toMatch(/^0 added, 0 already there, [12] failed$/);
	},
);

test('Create adds a site for each row of a file with two columns', async () => {
	const csv =
		'url,niche\nfile-1.example,"tea, green"\nno address,tea\nhttps://file-2.example,mint\n';
	const assignment = { id: '1', name: 'csv', type: 'string', value: csv };
	const byName = { __rl: true, mode: 'name', value: '={{ $json.niche }}' };
	const create = { resource: 'site', operation: 'create', url: '={{ $json.url }}', niche: byName };
	const fromFile = await world.editor.create(
		chain('From a file', [
			node('Start', 'manualTrigger', 1),
			node('CSV', 'set', 3.4, { assignments: { assignments: [assignment] }, options: {} }),
			node('File', 'convertToFile', 1.1, { operation: 'toText', sourceProperty: 'csv' }),
			node('Rows', 'extractFromFile', 1, { operation: 'csv' }),
			Object.assign(serviceNode(create), { onError: 'continueRegularOutput' }),
		]),
	);
	const items = output(await fromFile.execute('Start'), 'Service');
	expect(items.map(({ message }) => message)).toEqual([
		'Site added: file-1.example with the niche “tea, green”.',
		expect.stringMatching(/^Failed: 'URL' must be the URL of a site \[item 1\]\./),
		'Site added: file-2.example with the niche “mint”.',
	]);
});
