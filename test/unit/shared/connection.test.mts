import { expect, test } from 'vitest';

import { ServiceConnection } from '../../../nodes/shared/connection.ts';
import type { RequestContext } from '../../../nodes/shared/request.ts';

type Answer = { statusCode: number; body: string } | Promise<{ statusCode: number; body: string }>;

/** A connection whose requests are collected instead of sent; each is answered with an empty list, or as told. */
async function openConnection(
	credential: object = {},
	answers: Answer[] = [],
): Promise<{ connection: ServiceConnection; urls: string[] }> {
	const urls: string[] = [];
	const context = {
		getCredentials: () =>
			Promise.resolve({ baseUrl: 'https://service.example/api', apiKey: 'key', ...credential }),
		getNode: () => ({ name: 'Backlink Exchange', type: 'test', typeVersion: 1, parameters: {} }),
		helpers: {
			httpRequestWithAuthentication: async (_credential: string, { url }: { url: string }) => {
				urls.push(url);
				return { headers: {}, ...(await (answers.shift() ?? { statusCode: 200, body: '[]' })) };
			},
		},
	} as unknown as RequestContext;
	const connection = await ServiceConnection.open(context, { maxRateLimitWait: 1, timeout: 1 });
	return { connection, urls };
}

test.each(['', ' ', '.', '..', '\ud800', 'a\udc00b'])(
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

test.each(['../credits', 'a?b#c', 'a/b', 'ä 🌱', '%2e%2e', '...'])(
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

test('a next page at another origin never gets the key', async () => {
	const { connection, urls } = await openConnection();
	for (const url of ['https://other.example/api/sites?page=2', 'http://service.example/api', 'x']) {
		await expect(connection.getNextPage(url)).rejects.toThrow('another origin');
	}
	await connection.getNextPage('https://service.example/api/sites?page=2');
	expect(urls).toEqual(['https://service.example/api/sites?page=2']);
});

test.each([undefined, 5, '', 'service.example/api', 'https://service.example/api?x=1'])(
	'%j is no base URL, and the message says so',
	async (baseUrl) => {
		await expect(openConnection({ baseUrl })).rejects.toThrow('The base URL is not a web address');
	},
);

test('a key with blanks around it is hidden wherever the service repeats it', async () => {
	const { connection } = await openConnection({ apiKey: ' secret\n' });
	expect(connection.withoutKey('The key secret is not valid')).toBe(
		'The key (API key) is not valid',
	);
	const { connection: withoutKey } = await openConnection({ apiKey: undefined });
	expect(withoutKey.withoutKey('as it is')).toBe('as it is');
});

test.each([
	[199, '[]', 2],
	[200, '[]', 1],
	[299, '[]', 1],
	[200, 'no JSON', 2],
	[300, '[]', 2],
	[404, '[]', 2],
])('an answer %i with %s, asked for twice, takes %i requests', async (statusCode, body, count) => {
	const { connection, urls } = await openConnection({}, [{ statusCode, body }]);
	await connection.get(['sites']);
	await connection.get(['sites']);
	expect(urls.length).toBe(count);
});

test('a read that comes to nothing takes nothing away from a later one', async () => {
	const slow = Promise.withResolvers<{ statusCode: number; body: string }>();
	const { connection, urls } = await openConnection({}, [slow.promise]);
	const first = connection.get(['sites']);
	await connection.get(['sites'], { fresh: true });
	slow.resolve({ statusCode: 404, body: '' });
	await first;
	await connection.get(['sites']);
	expect(urls.length).toBe(2);
});
