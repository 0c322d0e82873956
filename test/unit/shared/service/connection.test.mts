/** Where requests go, what of earlier answers is used again, and what is done around a request that spends. */
import { describe, expect, test } from 'vitest';

import { readExchanges } from '../../../../nodes/shared/reading/exchanges.ts';
import { type ListResult, readWholeList } from '../../../../nodes/shared/reading/list.ts';
import { ServiceConnection } from '../../../../nodes/shared/service/connection.ts';
import type { RequestContext } from '../../../../nodes/shared/service/request.ts';
import { steadyNow } from '../../../../nodes/shared/time.ts';

interface Given {
	statusCode?: number;
	body?: string;
	headers?: Record<string, string>;
	fails?: Error;
}
type Answer = Given | Promise<Given>;

let accounts = 0;

/**
 * A connection, of an account of its own if no key is given, whose requests are collected instead of sent; each is answered with
 * an empty list, or as given.
 */
async function openConnection(
	answers: Answer[] = [],
	signal?: AbortSignal,
	apiKey = `key${++accounts}`,
	asksAgainAfter?: number,
): Promise<{ connection: ServiceConnection; urls: string[] }> {
	const urls: string[] = [];
	const context = {
		getCredentials: () => Promise.resolve({ baseUrl: 'https://service.example/api', apiKey }),
		getNode: () => ({ name: 'Backlink Exchange', type: 'test', typeVersion: 1, parameters: {} }),
		getExecutionCancelSignal: () => signal,
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, { url }: { url: string }) => {
				urls.push(url);
				const { fails, ...given } = (await answers.shift()) ?? {};
				if (fails) throw fails;
				return { headers: {}, body: '[]', statusCode: 200, ...given };
			},
		},
	} as unknown as RequestContext;
	const settings = { maxRateLimitWait: 1, timeout: 1, asksAgainAfter };
	const connection = await ServiceConnection.open(context, settings);
	return { connection, urls };
}

test.each(['', ' ', '.', '..', '\ud800', 'a\udc00b', 'a\u200bb', 'x'.repeat(501)])(
	'whatever an operation passes on, the segment "%s" never becomes a request',
	async (segment) => {
		const { connection, urls } = await openConnection();
		await expect(connection.get(['exchanges', segment])).rejects.toThrow('cannot be part of');
		await expect(connection.post(['exchanges', segment, 'accept'])).rejects.toThrow(
			'cannot be part of',
		);
		expect(urls).toEqual([]);
	},
);

test.each(['../credits', 'a?b#c', 'a/b', 'ä 🌱', '%2e%2e', '...', 'x'.repeat(500)])(
	'the segment "%s" stays one segment',
	async (segment) => {
		const { connection, urls } = await openConnection();
		await connection.get(['exchanges', segment], { query: { status: 'a b&c' } });
		const { pathname, search } = new URL(urls[0] ?? '');
		expect(pathname.split('/').slice(0, 3)).toEqual(['', 'api', 'exchanges']);
		expect(pathname.split('/').slice(3).map(decodeURIComponent)).toEqual([segment]);
		expect(search).toBe('?status=a+b%26c');
	},
);

test('a next page that is not below the base URL never gets the key', async () => {
	const { connection, urls } = await openConnection();
	for (const url of [
		'https://other.example/api/sites?page=2',
		'http://service.example/api',
		'https://service.example:8443/api',
		// It would be sent with that user's name and password instead of the key.
		'https://user:word@service.example/api/sites?page=2',
		// Another application of the same host.
		'https://service.example/search?page=2',
		'https://service.example/apis/sites?page=2',
		new URL('https://service.example/api/%2e%2e/search').href,
		'x',
	]) {
		expect(await connection.getNextPage(url)).toBeUndefined();
	}
	await connection.getNextPage('https://service.example/api/sites?page=2');
	expect(urls).toEqual(['https://service.example/api/sites?page=2']);
});

test('what was asked for before a given moment is read again', async () => {
	const { connection, urls } = await openConnection();
	const before = steadyNow();
	await connection.get(['sites']);
	await connection.get(['sites'], { since: before });
	expect(urls).toEqual(['https://service.example/api/sites']);
	await connection.get(['sites'], { since: steadyNow() + 1 });
	expect(urls.length).toBe(2);
});

test('the time of the service is known from an answer that another connection has asked for', async () => {
	const date = new Date(Date.now() + 3_600_000).toUTCString();
	const key = `key${++accounts}`;
	const { connection } = await openConnection([{ headers: { date } }], undefined, key);
	const { connection: other, urls } = await openConnection([], undefined, key);
	for (const each of [connection, other]) {
		await each.get(['sites'], { isShared: true, for: 60_000 });
		expect(each.now()).toBeGreaterThan(Date.now() + 3_500_000);
	}
	expect(urls).toEqual([]);
});

test('who asks several times is not content with the error of one that asked once', async () => {
	const key = `key${++accounts}`;
	const down = { statusCode: 503 };
	const { connection } = await openConnection([down], undefined, key, 60_000);
	const { connection: other, urls } = await openConnection([down], undefined, key);
	const shared = { isShared: true, for: 60_000 };
	expect(await connection.get(['sites'], shared)).toMatchObject({ response: down });
	expect(await other.get(['sites'], shared)).toMatchObject({ response: { statusCode: 200 } });
	expect(urls.length).toBe(2);
});

test('a page that was asked for before the one in front of it was there is read again', async () => {
	const next = { link: '<https://service.example/api/sites?page=2>; rel="next"' };
	const { connection, urls } = await openConnection([{ headers: next }, {}, { headers: next }]);
	const shared = { isShared: true, for: 60_000 };
	await readWholeList(connection, 'sites', shared);
	await connection.get(['sites'], { ...shared, fresh: true });
	expect(urls.length).toBe(3);
	await readWholeList(connection, 'sites', shared);
	expect(urls.slice(3)).toEqual(['https://service.example/api/sites?page=2']);
});

test('a list per status that was asked for before the whole list was there is read again', async () => {
	const { connection, urls } = await openConnection();
	const shared = { isShared: true, for: 60_000 };
	const read = async () => await readExchanges(connection, { ...shared, alsoIn: () => ['live'] });
	await read();
	await connection.get(['exchanges'], { ...shared, fresh: true });
	expect(urls.length).toBe(3);
	await read();
	expect(urls.slice(3)).toEqual(['https://service.example/api/exchanges?status=live']);
});

test('when the exchanges were read is when the last of their lists was there', async () => {
	const { connection } = await openConnection();
	let wholeListWasThere = Infinity;
	const read = await readExchanges(connection, {
		alsoIn: () => {
			wholeListWasThere = steadyNow();
			return ['live'];
		},
	});
	expect(read).toMatchObject({ truncated: false });
	expect((read as ListResult).readAt).toBeGreaterThan(wholeListWasThere);
});

test('of many requests the first leave while the others are prepared: the event loop has turns in between', async () => {
	const { connection, urls } = await openConnection();
	const read = Promise.all(
		Array.from({ length: 250 }, async (_, index) => await connection.get([`list ${index}`])),
	);
	while (urls.length === 0) await new Promise(setImmediate);
	// On a busy machine, several of the ten groups may leave in one turn; never all of them.
	expect(urls.length).toBeLessThan(250);
	expect((await read).every(({ kind }) => kind === 'answered')).toBe(true);
});

describe('what is done around a request that spends', () => {
	/** What happened, in order, when it was sent; `act` is called in both hooks, and what it returns keeps the request back. */
	async function post(
		answers: Answer[],
		act: (hook: string, cancel: () => void) => string | undefined = () => undefined,
	) {
		const canceling = new AbortController();
		const happened: string[] = [];
		const { connection, urls } = await openConnection([...answers], canceling.signal);
		const note = (what: string) => happened.push(...urls.splice(0).map(() => 'sent'), what);
		const cancel = () => {
			canceling.abort(new Error('canceled'));
		};
		const hook = async (name: string) => {
			note(name);
			await Promise.resolve();
			return act(name, cancel);
		};
		const options = {
			leaving: async () => await hook('leaving'),
			turnedAway: async () => {
				await hook('turnedAway');
			},
		};
		const settled = await connection.post(['x'], {}, options).then(
			(outcome) => ('why' in outcome ? outcome.why : outcome.kind),
			(error: unknown) => (error as Error).message,
		);
		note(settled);
		return happened;
	}
	const failing = (code: string, syscall: string) => ({
		fails: Object.assign(new Error(code), { code, syscall }),
	});
	const limited = (seconds: number) => ({
		statusCode: 429,
		headers: { 'retry-after': String(seconds) },
	});
	const attempt = ['leaving', 'sent', 'turnedAway'];

	test.each<[string, Answer[], string[]]>([
		['the service declines', [{ statusCode: 403 }], ['leaving', 'sent', 'answered']],
		['the service fails', [{ statusCode: 503 }], ['leaving', 'sent', 'ambiguous']],
		['the connection breaks', [failing('ECONNRESET', 'read')], ['leaving', 'sent', 'ambiguous']],
		['the limit holds too long', [limited(60)], [...attempt, 'limited']],
		[
			'it is turned away twice',
			[limited(0.001), failing('ECONNREFUSED', 'connect'), {}],
			[...attempt, ...attempt, 'leaving', 'sent', 'answered'],
		],
	])(
		'is done for each attempt that leaves, and undone as soon as it is turned away: %s',
		async (_, answers, happened) => {
			expect(await post(answers)).toEqual(happened);
		},
	);

	test('keeps the request from being sent, and says why, also after the limit was waited for', async () => {
		const reasons = [undefined, 'outdated'];
		const happened = await post([limited(0.001)], (hook) =>
			hook === 'leaving' ? reasons.shift() : undefined,
		);
		expect(happened).toEqual([...attempt, 'leaving', 'outdated']);
	});

	test('keeps the request from being sent when it goes wrong', async () => {
		const happened = await post([], () => {
			throw new Error('not written');
		});
		expect(happened).toEqual(['leaving', 'not written']);
	});

	test.each([
		['is undone when', 'leaving', [], ['leaving', 'turnedAway']],
		['is not done again when, during a wait for the limit,', 'turnedAway', [limited(1)], attempt],
	])('%s the execution is canceled', async (_, canceledIn, answers, happened) => {
		const ofCanceled = await post(answers, (hook, cancel) => {
			if (hook === canceledIn) cancel();
			return undefined;
		});
		expect(ofCanceled).toEqual([...happened, 'canceled']);
	});
});
