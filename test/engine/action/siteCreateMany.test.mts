/**
 * Create Many: one line per site, and one result per line. Formats of lines:
 * test/unit/action/parseSiteLines.test.mts.
 */
import { expect, test } from 'vitest';

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

test('returns one item per line with its outcome', async () => {
	const service = await startTestService();
	const { id } = service.sandbox.addSite({ url: 'https://there.example', niche: 'tea' });
	const run = await createMany(
		service,
		'Address;Niche\nnew.example;Garten\n\nhttps://www.there.example/;tea\nhttp://new.example;Haus\nno-niche.example\nk\ufffdse.example;x\nmy site;y',
	);
	expect(jsonOf(run)).toEqual([
		{
			message: 'Added new.example, niche “Garten” (line 2)',
			line: 2,
			outcome: 'added',
			url: 'https://new.example',
			niche: 'Garten',
			id: expect.stringMatching(/^site_/) as unknown,
		},
		expect.objectContaining({ line: 4, outcome: 'existing', id }),
		expect.objectContaining({
			message: 'Already there: new.example, niche “Haus” (line 5): same as line 2',
			outcome: 'existing',
		}),
		expect.objectContaining({
			message: 'Not added (line 6): the niche is missing behind the address: “no-niche.example”',
			outcome: 'failed',
		}),
		expect.objectContaining({ line: 7, outcome: 'failed' }),
		expect.objectContaining({ line: 8, outcome: 'failed' }),
	]);
	expect(service.sandbox.books.sites().map(({ url }) => url)).toEqual([
		'https://there.example',
		'https://new.example',
	]);
	expect(service.sandbox.books.requests().map(({ method }) => method)).toEqual(['GET', 'POST']);
});

test.each([
	['nothing', '={{ "" }}', 'is empty'],
	['no usable line', 'one\ntwo', 'cannot be used: received the text “two”'],
	['only a header row', 'url;niche', 'is empty'],
	['more than 1,000 lines', lines(1001), 'cannot be used: received the text “1001 lines”'],
])('fails before any request with %s, and quotes the input', async (_, sites, problem) => {
	const service = await startTestService();
	const { error } = await createMany(service, sites);
	expect(error?.message).toBe(`"Sites" ${problem}`);
	expect(error?.description).toContain('up to 1000 lines');
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
	[
		'the rate limit requires a longer wait',
		{ perDay: 4 },
		'The request limit of the service is reached',
	],
	['the key is revoked', { perDay: 1000 }, 'The service does not accept the API key'],
])(
	'returns the remaining lines in one item to paste again if %s',
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
		expect(items.map(({ outcome }) => outcome)).toEqual(['added', 'added', 'added', 'notSent']);
		expect(items[3]).toMatchObject({
			line: 4,
			sites: lines(6).split('\n').slice(3).join('\n'),
			message: expect.stringMatching(
				new RegExp(`^Lines 4 to 6 were not sent: ${expectedMessage}`),
			) as unknown,
		});
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
	expect(error?.message).toBe('The service does not accept the API key');
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
		'notSent',
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
	expect(item?.title).toBe('5 not sent, 2 added');
	expect(item?.message).toMatch(/^- Lines 3 to 7 were not sent: .*\n- Added site-0\.example/);
	expect(item?.count).toBe(3);
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
	expect(item?.message).toMatch(/\(line 1\)\n.*\(line 2\)\n.*\(line 3\)$/);
});
