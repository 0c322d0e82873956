/** One quota for all executions, list searches and polls of a process, and services that say what is not so. */
import { expect, test } from 'vitest';

import { localService } from '../localServer.mts';
import { Poller } from '../polling/poller.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;
const limits = { perMinute: 60, perDay: 1_000_000, windowMilliseconds: 10 * seconds };
const limitReached = 'The request limit of the service is reached';
let sites = 0;
const newSites = (count: number) =>
	Array.from({ length: count }, () => ({ url: `https://site-${sites++}.example` }));

test('one that may not wait fails beside one that may, and asks no more than needed', async () => {
	const { sandbox, create } = await testService({ limits });
	const [patient, impatient] = await Promise.all(
		[90, 0].map(
			async (maxRateLimitWait) =>
				await create(newSites(50), { maxRateLimitWait }, { continues: true }),
		),
	);
	expect(patient?.items.filter(({ json }) => json.error !== undefined)).toEqual([]);
	const failed = impatient?.items.flatMap(
		({ json }) => (json.error as { message: string } | undefined)?.message ?? [],
	);
	expect(failed?.length).toBeGreaterThan(0);
	expect(new Set(failed)).toEqual(new Set([limitReached]));
	expect(sandbox.books.requests({ status: 429 }).length).toBe(1);
});

test('a list in the editor does not ask when the limit is known to be reached, and a poll waits for it', async () => {
	const { sandbox, create, run, search } = await testService({ limits });
	sandbox.requestOffer();
	await create(newSites(60));
	const poller = new Poller({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey });
	const polled = poller.start();
	await run('credit', 'getBalance', {
		parameters: { options: { maxRateLimitWait: 0 } },
		continues: true,
	});
	const asked = sandbox.books.requests().length;
	await expect(search('searchPendingOffers')).rejects.toThrow(limitReached);
	expect(sandbox.books.requests().length).toBe(asked);
	expect(await polled).toEqual([]);
	expect((await search('searchPendingOffers')).length).toBe(1);
	expect(sandbox.books.requests({ status: 429 }).length).toBe(1);
});

test('another key is another account: the limit of the first one does not hold it back', async () => {
	const { sandbox, create } = await testService({
		limits: { ...limits, perMinute: 2, windowMilliseconds: 600 * seconds },
	});
	const options = { maxRateLimitWait: 0 };
	const first = await create(newSites(3), options);
	expect(first.error?.message).toBe(limitReached);
	const rotated = { baseUrl: sandbox.baseUrl, apiKey: sandbox.createApiKey() };
	sandbox.revokeApiKey(sandbox.apiKey);
	const second = await create(newSites(2), options, { credential: rotated });
	expect(second.items.length).toBe(2);
});

/** What a service says of the limit, which ends then, in an answer that it allows or refuses. */
type Headers = (resetsAt: number, isAllowed: boolean) => Record<string, string>;

/** A service that lies: 60 requests per 20 seconds, with headers of its own making. */
async function lying(headers: Headers) {
	let windowEnds = 0;
	let used = 0;
	return await localService((_request, response) => {
		if (time.now() >= windowEnds) {
			windowEnds = time.now() + 20 * seconds;
			used = 0;
		}
		const isAllowed = used++ < 60;
		const date = new Date(time.now()).toUTCString();
		response
			.writeHead(isAllowed ? 201 : 429, { date, ...headers(windowEnds, isAllowed) })
			.end('{"id":"site_1","url":"https://a.example"}');
	});
}

const limit = (remaining: number | string, reset: number | string) => ({
	'x-ratelimit-remaining': String(remaining),
	'x-ratelimit-reset': String(reset),
});
const later = (milliseconds: number) => new Date(time.now() + milliseconds).toISOString();

test.each<[string, Headers]>([
	['nothing is ever left', (resetsAt) => limit(0, resetsAt)],
	['always as much is left', () => limit(60, later(60 * seconds))],
	['the reset has passed', () => limit(0, later(-60 * seconds))],
	[
		'the reset is a day away, though a 429 does not say so',
		(_resetsAt, isAllowed): ReturnType<Headers> =>
			isAllowed ? limit(0, later(86_400 * seconds)) : {},
	],
	['what is left is a text', (resetsAt) => limit('plenty', resetsAt)],
	[
		'"Retry-After: 0" beside a true reset',
		(resetsAt, isAllowed) => ({
			'x-ratelimit-reset': String(resetsAt),
			...(!isAllowed && { 'retry-after': '0' }),
		}),
	],
	['nothing', () => ({})],
])('no item fails, and none waits for days, where the headers say: %s', async (_name, headers) => {
	const { create } = await lying(headers);
	const begun = time.now();
	const { items, error } = await create(newSites(150));
	expect(error?.message).toBeUndefined();
	expect(items.length).toBe(150);
	expect(time.now() - begun).toBeLessThan(200 * seconds);
});
