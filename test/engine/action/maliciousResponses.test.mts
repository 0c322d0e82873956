/**
 * Responses of a malicious or faulty service: n8n keeps running, the key stays secret, and the
 * message describes what happened.
 */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

import { expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { jsonOf } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const returnAll = { parameters: { returnAll: true } };

function writeEndlessly(response: ServerResponse): void {
	const chunk = 'x'.repeat(1_000_000);
	const more = () => {
		while (!response.destroyed && response.write(chunk));
	};
	response.on('drain', more);
	more();
}

test('stops reading an endless body', async () => {
	const { run, requests } = await startStubServer((_request, response) => {
		writeEndlessly(response);
	});
	const { error } = await run('site', 'getAll');
	expect(error?.description).toContain('more than 16 MB');
	expect(requests.length).toBe(1);
});

test('closes the connection of a body that stops halfway', async () => {
	const closed: Array<Promise<unknown>> = [];
	const { run } = await startStubServer((request, response) => {
		closed.push(once(request.socket, 'close'));
		response.writeHead(200, { 'content-type': 'application/json' }).write('{"sites":[');
	});
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe(errorMessages.unreachable);
	await Promise.all(closed);
	expect(closed.length).toBeGreaterThan(1);
});

test('stops reading a body that arrives one character per second', async () => {
	const { run } = await startStubServer((_request, response) => {
		const timer = setInterval(() => {
			if (response.destroyed) clearInterval(timer);
			else response.write(' ');
		}, 1000);
	});
	const startedAt = time.now();
	const { error } = await run('site', 'getAll');
	expect(error?.message).toBe(errorMessages.unreachable);
	// Four attempts of 30 seconds.
	expect(time.now() - startedAt).toBeLessThan(140_000);
});

/** Starts a service with this many pages of sites, each with one entry and further fields. */
async function startPagedServer(pages: number, more: object = {}) {
	return await startStubServer(({ url = '' }, response) => {
		const page = Number(/page=(\d+)/.exec(url)?.[1] ?? 1);
		if (page < pages) response.setHeader('link', `</api/sites?page=${page + 1}>; rel="next"`);
		response.end(JSON.stringify({ sites: [{ id: `site_${page}` }], ...more }));
	});
}

test('follows at most a thousand pages, or fewer if a limit is reached', async () => {
	const { run, requests } = await startPagedServer(Infinity);
	const { items, error } = await run('site', 'getAll', returnAll);
	expect(items).toEqual([]);
	expect(error?.message).toBe(errorMessages.listTooLarge('sites'));
	expect(error?.description).toContain('read 1000 pages');
	expect(requests.length).toBe(1000);
	await time.wait(1);
	expect((await run('site', 'getAll', { parameters: { limit: 3 } })).items.length).toBe(3);
	expect(requests.length).toBe(1003);
});

test('stops at the total size of all pages', async () => {
	const { run, requests } = await startPagedServer(Infinity, {
		padding: 'x'.repeat(8 * 1024 * 1024),
	});
	const { error } = await run('site', 'getAll', returnAll);
	expect(error?.description).toContain('read 2 pages with 16 MB, and the list has more');
	expect(requests.length).toBe(2);
});

test.each([
	['to itself', '</api/sites>; rel="next"'],
	['to another host', '<https://elsewhere.example/api/sites>; rel="next"'],
	['outside the base URL', '</apis/sites>; rel=next'],
	['with a user name before the host', '<http://127.0.0.1@elsewhere.example/api/>; rel="next"'],
])("doesn't follow a next page %s, and reports that", async (_, link) => {
	const { run, requests } = await startStubServer((request, response) => {
		response.setHeader('link', link);
		json([{ id: 1 }])(request, response);
	});
	const { items, hints } = await run('site', 'getAll', returnAll);
	expect(items.length).toBe(1);
	expect(hints.map(({ message }) => message).join()).toContain('may be incomplete');
	expect(requests.length).toBe(1);
});

test.each([301, 302, 303, 307, 308])(
	"doesn't send the key after a redirect: HTTP %i",
	async (status) => {
		const other = await startStubServer(json([]));
		const { run, requests } = await startStubServer((_request, response) => {
			response.writeHead(status, { location: `${other.baseUrl}/sites` }).end();
		});
		const { error } = await run('site', 'getAll');
		expect(error?.description).toContain('Open the base URL in a browser');
		expect([requests.length, other.requests.length]).toEqual([1, 0]);
	},
);

test('truncates error messages from oversized bodies and headers', async () => {
	const long = 'word '.repeat(40_000);
	const names = ['retry-after', 'location', 'content-type', 'link', 'x-ratelimit-reset'];
	const headers = Object.fromEntries(names.map((name) => [name, `/${'1'.repeat(2500)}`]));
	for (const status of [200, 302, 401, 404, 429, 503]) {
		const { run } = await startStubServer((_request, response) => {
			const error = { code: long, message: long, [long]: long };
			response.writeHead(status, headers).end(JSON.stringify({ error }));
		});
		const parameters = { options: { maxRateLimitWait: 1 } };
		const { error, run: failed } = await run('site', 'getAll', { parameters });
		expect(error).toBeDefined();
		expect(JSON.stringify(failed.data.resultData.error).length).toBeLessThan(20_000);
	}
});

test('items that share a list get copies of it', async () => {
	const { run } = await startStubServer(json([{ id: 1, of: { url: 'a' } }]));
	const [one, other] = jsonOf(await run('site', 'getAll', { items: [{}, {}] }));
	Object.assign(one?.of ?? {}, { url: 'b' });
	expect(other).toEqual({ id: 1, of: { url: 'a' } });
});
