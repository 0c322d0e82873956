/**
 * Create Many: one line per site, and one result per line. Formats of lines:
 * test/unit/action/parseSiteLines.test.mts.
 */
import { expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { jsonOf, newSites, startTestService, type TestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

const createMany = async ({ run }: TestService, sites: string, more: object = {}, items = [{}]) =>
	await run('site', 'createMany', { parameters: { sites, ...more }, items });

/** Returns lines with this many new sites. */
const lines = (count: number) =>
	newSites(count)
		.map(({ url }) => `${url}, tea`)
		.join('\n');

test('returns one item per line with its outcome, in a sentence', async () => {
	const service = await startTestService();
	const { id } = service.sandbox.addSite({ url: 'https://there.example', niche: 'tea' });
	const run = await createMany(
		service,
		[
			'Address;Niche\nnew.example;Garten\n\nhttps://www.there.example/;Haus',
			'http://new.example;Haus\nno-niche.example\nk\ufffdse.example;x\nmy site;y',
			'https//tea.example, tea\nhttps://user:pw@tea.example, tea\nok.example; شاي',
		].join('\n'),
	);
	const added = expect.stringMatching(/^site_/) as unknown;
	const example =
		'Write the address, a comma and the niche, for example “https://blog.example, gardening”.';
	const start = `The line doesn't begin with the address of a site. ${example}`;
	const expected: Array<[line: number, outcome: string, message: string, more: object]> = [
		[
			1,
			'failed',
			`Site not added (line 1): “Address” with the niche “Niche”. ${start}`,
			{ url: 'Address', niche: 'Niche' },
		],
		[
			2,
			'added',
			'Site added (line 2): new.example with the niche “Garten”.',
			{ url: 'https://new.example', niche: 'Garten', id: added },
		],
		[
			4,
			'existing',
			'Site already in your account (line 4): www.there.example with the niche “tea”.',
			{ url: 'https://www.there.example/', niche: 'Haus', id },
		],
		[
			5,
			'existing',
			"Site already in your account (line 5): new.example. It's the same site as in line 2.",
			{ url: 'http://new.example', niche: 'Haus', id: added },
		],
		[
			6,
			'failed',
			`Site not added (line 6): no-niche.example. The niche is missing after the address. ${example}`,
			{ url: 'https://no-niche.example' },
		],
		[
			7,
			'failed',
			'Site not added (line 7): “k\ufffdse.example” with the niche “x”. A letter was lost when the text was saved. Save it as UTF-8, or copy it again.',
			{ url: 'k\ufffdse.example', niche: 'x' },
		],
		[
			8,
			'failed',
			`Site not added (line 8): “my site” with the niche “y”. ${start}`,
			{ url: 'my site', niche: 'y' },
		],
		[
			9,
			'failed',
			`Site not added (line 9): “https//tea.example” with the niche “tea”. ${start}`,
			{ url: 'https//tea.example', niche: 'tea' },
		],
		[
			10,
			'failed',
			'Site not added (line 10): tea.example with the niche “tea”. The address contains a user name or password. Remove it.',
			{ url: 'https://tea.example', niche: 'tea' },
		],
		[
			11,
			'added',
			'Site added (line 11): ok.example with the niche “شاي”.',
			{ url: 'https://ok.example', niche: 'شاي', id: added },
		],
	];
	expect(jsonOf(run)).toEqual(
		expected.map(([line, outcome, message, more]) => ({ message, line, outcome, ...more })),
	);
	expect(service.sandbox.books.sites().map(({ url }) => url)).toEqual([
		'https://there.example',
		'https://new.example',
		'https://ok.example',
	]);
	expect(service.sandbox.books.requests().map(({ method }) => method)).toEqual([
		'GET',
		'POST',
		'POST',
	]);
});

test.each([
	['one line that cannot be used', 'https//tea.example, tea', ['failed']],
	['lines without an address', 'one\ntwo', ['failed', 'failed']],
	['only column names', 'url;niche', ['failed']],
])('reports %s, and sends nothing', async (_, sites, outcomes) => {
	const service = await startTestService();
	const run = await createMany(service, sites);
	expect(jsonOf(run).map(({ outcome }) => outcome)).toEqual(outcomes);
	expect(service.sandbox.books.requests()).toEqual([]);
});

test('reports the rows of an export whose second column is a number', async () => {
	const service = await startTestService();
	const run = await createMany(
		service,
		'Top pages,Clicks,Impressions,CTR,Position\nhttps://tea.example/green,12,340,3.53%,7.2',
	);
	expect(jsonOf(run).map(({ message }) => message)).toEqual([
		expect.stringMatching(/^Site not added \(line 1\): “Top pages”/) as unknown,
		'Site not added (line 2): tea.example/green with the niche “12,340,3.53%,7.2”. The niche “12,340,3.53%,7.2” has no letter. Write the topic of the site after its address.',
	]);
});

test.each([
	['nothing', '={{ "" }}', 'is empty'],
	['blank lines', ' \u200b\n;;\n---', 'is empty'],
	['more than 1,000 lines', lines(1001), 'must be a list of 1 to 1000 sites'],
])('fails before any request with %s, and quotes the input', async (_, sites, problem) => {
	const service = await startTestService();
	const { error } = await createMany(service, sites);
	expect(error?.message).toBe(`'Sites' ${problem} [item 0]`);
	expect(error?.description).toContain('one site per line');
	expect(service.sandbox.books.requests()).toEqual([]);
});

test('waits for the rate limit if there are more lines than Pro allows per minute, and adds all', async () => {
	const service = await startTestService({ limits: { perMinute: 60, perDay: 10_000 } });
	const startedAt = Date.now();
	const outcomes = jsonOf(await createMany(service, lines(150))).map(({ outcome }) => outcome);
	expect(outcomes).toEqual(Array(150).fill('added'));
	expect((Date.now() - startedAt) / 60_000).toBeLessThan(3);
});

test.each([
	['the rate limit requires a longer wait', { perDay: 4 }, "The service's rate limit is reached"],
	['the key is revoked', { perDay: 1000 }, errorMessages.apiKeyNotAccepted],
])(
	'returns the remaining lines as not sent, with the reason once, if %s',
	async (_, limits, expectedMessage) => {
		const service = await startTestService({ limits: { perMinute: 1000, ...limits } });
		const { sandbox } = service;
		if (limits.perDay === 1000) {
			sandbox.addFault({
				kind: 'error-before-commit',
				status: 401,
				method: 'POST',
				after: 3,
				times: 9,
			});
		}
		const items = jsonOf(await createMany(service, lines(6)));
		expect(items.map(({ outcome }) => outcome)).toEqual([
			...Array<string>(3).fill('added'),
			...Array<string>(3).fill('notSent'),
		]);
		expect(items.slice(3)).toEqual([
			{
				message: expect.stringMatching(
					new RegExp(
						`^Lines 4 to 6 weren't sent: ${expectedMessage}.*Then add only these lines again.$`,
					),
				) as unknown,
				line: 4,
				outcome: 'notSent',
				url: 'https://site-3.example',
				niche: 'tea',
			},
			expect.objectContaining({
				message: 'Site not sent (line 5): site-4.example with the niche “tea”.',
			}),
			expect.objectContaining({ line: 6, url: 'https://site-5.example' }),
		]);
		sandbox.clearFaults();
	},
);

test('fails if the key is wrong from the start', async () => {
	const service = await startTestService();
	const credential = { baseUrl: service.sandbox.baseUrl, apiKey: 'wrong' };
	const { error } = await service.run('site', 'createMany', {
		parameters: { sites: lines(2) },
		credential,
	});
	expect(error?.message).toBe(errorMessages.apiKeyNotAccepted);
});

test('continues after rejected lines and unknown outcomes, but ends after five unknown in a row', async () => {
	const service = await startTestService();
	const { sandbox } = service;
	sandbox.addFault({ kind: 'error-before-commit', status: 422, method: 'POST' });
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST' });
	const some = jsonOf(await createMany(service, `${lines(3)}\n${lines(2)}`));
	expect(some.map(({ outcome }) => outcome)).toEqual([
		'failed',
		'unknown',
		'added',
		'failed',
		'unknown',
	]);
	sandbox.addFault({ kind: 'cut-before-commit', method: 'POST', times: 20 });
	const more = lines(11).split('\n').slice(3).join('\n');
	const items = jsonOf(await createMany(service, more));
	expect(items.map(({ outcome }) => outcome)).toEqual([
		...Array<string>(5).fill('unknown'),
		...Array<string>(3).fill('notSent'),
	]);
});

test('Output Format: One Message returns one item, which counts the lines that were not sent', async () => {
	const service = await startTestService({ limits: { perMinute: 1000, perDay: 3 } });
	const [item, ...others] = jsonOf(
		await createMany(service, `${lines(5)}\nhttps://site-0.example, again\nbroken`, {
			options: { outputFormat: 'digest' },
		}),
	);
	expect(others).toEqual([]);
	expect(item?.title).toBe('3 not sent, 1 failed, 2 added, 1 already there');
	expect(item?.message).toMatch(
		/^3 not sent, .*\n- Lines 3 to 5 weren't sent: .*\n- Site not added \(line 7\)/,
	);
	expect(item?.message).toMatch(/^(.+\n){5}.+$/);
	expect(item?.count).toBe(7);
});

test('Output Format: One Message returns one item for several input items with lines', async () => {
	const service = await startTestService();
	const rows = newSites(3).map(({ url }) => ({ text: `${url}, tea` }));
	const run = await createMany(
		service,
		'={{ $json.text }}',
		{ options: { outputFormat: 'digest' } },
		rows,
	);
	const [item, ...others] = jsonOf(run);
	expect(others).toEqual([]);
	expect(item?.title).toBe('3 added');
	expect(item?.message).toMatch(/^3 added\n- .*\(line 1\).*\n- .*\(line 2\).*\n- .*\(line 3\).*$/);
});
