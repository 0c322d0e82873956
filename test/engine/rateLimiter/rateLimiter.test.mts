/**
 * The rate limit for executions and list searches of a process: no request fails because of it
 * while it may wait.
 */
import { json as readJson } from 'node:stream/consumers';

import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { singleVariants } from '../../../sandbox/dialects.mts';
import { pending } from '../action/acceptFixtures.mts';
import { jsonOf, newSites, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;
const perDay = 1_000_000;
const limitReached = "The service's rate limit is reached";

test.each([
	...singleVariants('rateLimitReset'),
	...singleVariants('limitExceeded'),
	...[-3600, -30, 30, 3600].map((clockSkewSeconds) => ({
		name: `clock ${clockSkewSeconds} s off`,
		settings: { clockSkewSeconds },
	})),
])(
	'no item fails because of the rate limit, and few requests get 429: $name',
	async ({ settings }) => {
		const limits = { perMinute: 5, perDay, windowMilliseconds: seconds };
		const { sandbox, create } = await startTestService({ dialect: settings, limits });
		const items = newSites(8);
		const result = await create(items);
		expect(result.error?.message).toBeUndefined();
		expect(result.items.map((item) => item.json.url)).toEqual(items.map(({ url }) => url));
		expect(sandbox.books.sites().length).toBe(items.length);
	},
);

test('sends 150 items at 60 requests a minute without any 429 or longer waits than necessary', async () => {
	const limits = { perMinute: 60, perDay, windowMilliseconds: 60 * seconds };
	const { sandbox, create } = await startTestService({ limits });
	const startedAt = time.now();
	const { items } = await create(newSites(150));
	expect(items.length).toBe(150);
	expect(sandbox.books.requests({ status: 429 })).toEqual([]);
	expect(time.now() - startedAt).toBeLessThan(3 * 63 * seconds);
});

test('fails instead of waiting too long; the error has the reset, both limits and a remedy', async () => {
	// One request lists the account's sites; two add one each.
	const limits = { perMinute: 3, perDay, windowMilliseconds: 600 * seconds };
	const { sandbox, create, search } = await startTestService({ limits });
	const startedAt = Date.now();
	const { error } = await create(newSites(4), { maxRateLimitWait: 5 });
	expect(error?.message).toBe(limitReached);
	const reset = /resets at ([^.]+ UTC)/.exec(error?.description ?? '')?.[1] ?? '';
	const { failure } = error as { failure?: { cause: string; resetsAtEpochMs: number } };
	expect(failure?.cause).toBe('rate-limited');
	const resetsAt = failure?.resetsAtEpochMs ?? 0;
	expect(resetsAt).toBeGreaterThan(startedAt + 300 * seconds);
	expect(resetsAt).toBeLessThan(startedAt + 700 * seconds);
	// The text shows no seconds, and the limit has reset at the time that it names.
	expect(Date.parse(reset)).toBe(Math.ceil(resetsAt / (60 * seconds)) * 60 * seconds);
	expect(error?.description).toContain("increase 'Max Rate Limit Wait (Seconds)'");
	expect(error?.description).toMatch(/60 requests a minute and 10,000 a day.* 240 and 100,000/);
	expect(sandbox.books.sites().length).toBe(2);
	expect(Date.now() - startedAt).toBeLessThan(5 * seconds);
	// A list in the editor fails in the same way without a request; it has no such option.
	const requests = sandbox.books.requests().length;
	const searchError = await search('searchPendingOffers').catch((reason: unknown) => reason);
	expect(searchError).toMatchObject({ message: limitReached });
	expect((searchError as { description: string }).description).not.toContain('in the options');
	expect(sandbox.books.requests().length).toBe(requests);
});

test('another key has a rate limit of its own', async () => {
	const limits = { perMinute: 3, perDay, windowMilliseconds: 600 * seconds };
	const { sandbox, create } = await startTestService({ limits });
	const options = { maxRateLimitWait: 0 };
	expect((await create(newSites(4), options)).error?.message).toBe(limitReached);
	const rotated = { baseUrl: sandbox.baseUrl, apiKey: sandbox.createApiKey() };
	sandbox.revokeApiKey(sandbox.apiKey);
	const sites = [{ url: 'https://a.example' }, { url: 'https://b.example' }];
	const second = await create(sites, options, { credential: rotated });
	expect(second.items.length).toBe(2);
});

test("gives up on 429s without a reset time and doesn't invent one", async () => {
	const startedAt = time.now();
	const { create, requests } = await startStubServer((_request, response) => {
		response.writeHead(429).end();
	});
	const { items } = await create(newSites(50), {}, { continueOnFail: true });
	const errors = items.map((item) => item.json.error as { message: string; description: string });
	for (const { message, description } of errors) {
		expect(message).toBe(limitReached);
		expect(description).toContain("doesn't show when the limit resets");
		expect(description).not.toMatch(/\d{4}-\d\d-\d\dT/);
	}
	expect(errors.length).toBe(50);
	expect(time.now() - startedAt).toBeLessThanOrEqual(90 * seconds);
	expect(requests.length).toBeLessThanOrEqual(70);
});

test('probes after one minute when a response reported no remaining requests', async () => {
	const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '36000' };
	const { run, requests } = await startStubServer(json([{ id: 1 }], headers));
	const sites = async (maxRateLimitWait: number) => {
		const parameters = { options: { maxRateLimitWait } };
		return jsonOf(await run('site', 'getAll', { continueOnFail: true, parameters }));
	};
	expect(await sites(5)).toEqual([{ id: 1 }]);
	await time.wait(50 * seconds);
	expect((await sites(5))[0]).toHaveProperty('error');
	expect(requests.length).toBe(1);
	// The rest of the minute counts, not the ten hours.
	expect(await sites(20)).toEqual([{ id: 1 }]);
	expect(requests.length).toBe(2);
});

test('probes after a minute if Max Rate Limit Wait is a minute', async () => {
	const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '36000' };
	const { run, requests } = await startStubServer((request, response) => {
		if (requests.length === 1) response.writeHead(429, headers).end();
		else json([{ id: 1 }])(request, response);
	});
	const parameters = { options: { maxRateLimitWait: 60 } };
	expect(jsonOf(await run('site', 'getAll', { parameters }))).toEqual([{ id: 1 }]);
});

test('retries soon after a Retry-After of 0, even if the reset is later', async () => {
	const headers = {
		'retry-after': '0',
		'x-ratelimit-remaining': '0',
		'x-ratelimit-reset': '36000',
	};
	const { run, requests } = await startStubServer((request, response) => {
		if (requests.length === 1) response.writeHead(429, headers).end();
		else json([{ id: 1 }])(request, response);
	});
	const parameters = { options: { maxRateLimitWait: 5 } };
	expect(jsonOf(await run('site', 'getAll', { parameters }))).toEqual([{ id: 1 }]);
});

test('retries a 503 at its Retry-After, but fails instead of waiting too long', async () => {
	const sentAt: number[] = [];
	let retryAfter = '7';
	const { run } = await startStubServer((_request, response) => {
		sentAt.push(time.now());
		if (sentAt.length === 2) response.end('{"sites":[{"id":"site_1"}]}');
		else response.writeHead(503, { 'retry-after': retryAfter }).end();
	});
	expect((await run('site', 'getAll')).items.length).toBe(1);
	const [first = 0, second = 0] = sentAt;
	expect(second - first).toBeGreaterThanOrEqual(7 * seconds);
	expect(second - first).toBeLessThan(9 * seconds);

	retryAfter = '3600';
	await time.wait(1);
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe(errorMessages.unavailable);
	expect(sentAt.length).toBe(3);
});

describe('a response other than a 429', () => {
	const exhausted = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20' };
	const error = (code: string) => ({ error: { code, message: 'Some words' } });

	/** Sends a GET; the first response is this one, all others are lists. */
	async function listAfter(status: number, body: object, headers = {}) {
		const sentAt: number[] = [];
		const { run } = await startStubServer((request, response) => {
			sentAt.push(time.now());
			if (sentAt.length > 1) json([{ id: 1 }])(request, response);
			else response.writeHead(status, headers).end(JSON.stringify(body));
		});
		const { error: runError } = await run('site', 'getAll');
		const [first = 0, second = first] = sentAt;
		return { error: runError, waitedMs: second - first, requests: sentAt.length };
	}

	test.each([
		[403, error('rate_limit_exceeded'), exhausted],
		[403, error('forbidden'), exhausted],
		[403, {}, exhausted],
		[400, error('userRateLimited'), { 'x-ratelimit-reset': '20' }],
		[420, error('TOO_MANY_REQUESTS'), { 'retry-after': '20' }],
		[499, error('throttled'), { 'x-ratelimit-reset': '20' }],
	])('is the rate limit: HTTP %i with %j and %j', async (status, body, headers) => {
		const { error, waitedMs, requests } = await listAfter(status, body, headers);
		expect(error).toBeUndefined();
		expect(requests).toBe(2);
		expect(waitedMs).toBeGreaterThanOrEqual(20 * seconds);
		expect(waitedMs).toBeLessThan(23 * seconds);
	});

	test.each([
		[403, error('corporate_limits'), {}],
		[403, {}, { ...exhausted, 'x-ratelimit-reset': '1782907230' }],
		[403, {}, { ...exhausted, 'x-ratelimit-remaining': '10' }],
		[402, error('insufficient_credits'), exhausted],
		[407, error('rate_limit_exceeded'), exhausted],
	])("isn't the rate limit: HTTP %i with %j and %j", async (status, body, headers) => {
		const { error, requests } = await listAfter(status, body, headers);
		expect(error?.message).not.toBe(limitReached);
		expect(error?.context?.httpCode ?? (error as { httpCode?: string }).httpCode).toBe(
			String(status),
		);
		expect(requests).toBe(1);
	});

	test('never has an accept sent again after a 408, because it may be processed', async () => {
		let posts = 0;
		const service = await startStubServer((request, response) => {
			if (request.method === 'POST') {
				posts++;
				response.writeHead(408, exhausted).end('{}');
			} else json([])(request, response);
		});
		const { error } = await service.accept('exc_1');
		expect(error?.description).toContain('Credits may have been spent');
		expect(posts).toBe(1);
	});
});

describe('if the headers show the reset of the day, and the limit is that of a minute,', () => {
	/** Allows 60 requests a minute. The headers are those of the day. */
	async function startDailyHeaders(reset: string, retryAfter?: string) {
		let window = { from: 0, count: 0 };
		const urls: string[] = [];
		const service = await startStubServer((request, response) => {
			if (time.now() - window.from >= 60 * seconds) window = { from: time.now(), count: 0 };
			window.count++;
			const headers = { 'x-ratelimit-remaining': '9900', 'x-ratelimit-reset': reset };
			if (window.count > 60) {
				response.writeHead(429, { ...headers, ...(retryAfter && { 'retry-after': retryAfter }) });
				response.end();
				return;
			}
			if (request.method !== 'POST') {
				response.writeHead(200, headers).end('{"sites":[]}');
				return;
			}
			void readJson(request).then((body) => {
				const { url } = body as { url: string };
				urls.push(url);
				response.writeHead(201, headers).end(JSON.stringify({ id: urls.length, url }));
			});
		});
		return { ...service, urls };
	}

	test.each([
		['seconds', '50400', undefined],
		['seconds, with Retry-After', '50400', '40'],
		['milliseconds read as seconds', '45000', undefined],
	])('all 150 sites are added: %s', async (_, reset, retryAfter) => {
		const { create, urls } = await startDailyHeaders(reset, retryAfter);
		const { items } = await create(newSites(150));
		expect(items.filter(({ json }) => json.outcome === 'added')).toHaveLength(150);
		expect(new Set(urls).size).toBe(150);
	});

	test('a request fails after four tries, and the error has the reset', async () => {
		const sentAt: number[] = [];
		const { run } = await startStubServer((_request, response) => {
			sentAt.push(time.now());
			response.writeHead(429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '50400' }).end();
		});
		const startedAt = time.now();
		const { error } = await run('site', 'getAll');
		expect(error?.message).toBe(limitReached);
		const { failure } = error as { failure?: { resetsAtEpochMs: number } };
		expect((failure?.resetsAtEpochMs ?? 0) - startedAt).toBeGreaterThan(50_400 * seconds - 1);
		expect(sentAt).toHaveLength(5);
		expect(time.now() - startedAt).toBeLessThan(260 * seconds);
	});
});

test('a clock that is ten years ahead in one response decides nothing', async () => {
	const day = 24 * 3600 * seconds;
	let date = new Date(time.now() + 3650 * day);
	const accepted = { ...pending(), status: 'accepted' };
	const accepted_at = new Date(time.now() - day).toISOString();
	const { run } = await startStubServer(({ url = '' }, response) => {
		response.setHeader('date', date.toUTCString());
		date = new Date(time.now());
		if (url.includes('balance')) response.end('{"balance":10}');
		else if (url.includes('exchanges')) {
			response.end(JSON.stringify([{ ...accepted, accepted_at }]));
		} else response.end('[]');
	});
	await run('site', 'getAll');
	await time.wait(1);
	const { items } = await run('account', 'getSummary');
	expect(items[0]?.json).toMatchObject({ acceptedInPeriod: 1 });
});
