/**
 * A service that means harm, as far as one can with answers, headers, sizes, redirects and time: whatever it does, each way
 * of asking it ends, with a result or a short plain error, and the key goes nowhere else.
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';

import type { IDataObject } from 'n8n-workflow';

import { operations } from '../engine/action/operations.mts';
import { clientOf } from '../engine/client.mts';
import { Poller } from '../engine/polling/poller.mts';
import { type Deed, unclear } from './chaos.mts';

/** As it ships: Node.js alone cannot load the source. */
const { memoryFor, mostBytes } = createRequire(import.meta.url)(
	'../../dist/nodes/shared/service/body.js',
) as typeof import('../../nodes/shared/service/body.ts');

interface Attack {
	/** How much is read of a body, in bytes of memory. */
	size: number;
	/** An address of somebody else. */
	elsewhere: string;
	url: string;
}

type Answer = (response: ServerResponse, attack: Attack) => void | Promise<void>;

/** With the errors that n8n keeps around them; without what the service lists, which is the user's data. */
const mostInError = 20_000;
/** A thousand pages of each list, and those of each status; the summary reads three lists. */
const mostRequests = 6000;
/** Of one attempt, in seconds. */
const timeout = 5;
const apiKey = 'key_4eC39HqLyjWDarjtT1zdp7dc';

type Parts = [begin: string, unit: string, end: string];

const sizes: Record<string, Parts> = {
	'empty objects': ['[', '{},', '{}]'],
	'empty lists': ['{"exchanges":[', '[],', '[]]}'],
	'numbers of one digit': ['[', '1,', '1]'],
	'numbers that would be rounded': ['[', '12345678901234567890,', '1]'],
	'one long text': ['{"sites":[{"id":"', 'x', '"}]}'],
	'one long text of other letters': ['{"sites":[{"id":"', 'ж', '"}]}'],
	'one picture among Latin letters': ['{"sites":[{"id":"🌱', 'x', '"}]}'],
	'records of one ID': ['[', '{"id":"exc_1","status":"pending"},', '{"id":"exc_1"}]'],
	'records without anything in common': [
		'[',
		'{"id":1e9,"status":"live","accepted_at":"2026-07-01T12:00:00Z"},',
		'{}]',
	],
	'names of fields': ['{', '"a":1,"b":1,"c":[],', '"sites":[]}'],
	'escaped letters': ['{"error":{"code":"', '\\u0041', '"}}'],
	blanks: ['', ' ', '[]'],
	nesting: ['', '[', ''],
	'text that is not JSON': ['', 'no JSON ', ''],
	'an address without an end': ['<', 'https://', '>'],
	'brackets in quotation marks': ['["', '\\"[', '"]'],
};

/** The texts that headers are filled with; Node.js reads 16 KB of all of them together. */
const headerTexts = [
	'1'.repeat(8000),
	'-1',
	'1e400',
	'NaN',
	',;="<'.repeat(1500),
	'<a>; rel="next", '.repeat(450),
	`<${'a/'.repeat(3000)}>; rel=next`,
	'\u00ff'.repeat(4000),
	'Thu, 01 Jan 1970 00:00:00 GMT',
	'Fri, 31 Dec 9999 23:59:59 GMT',
	'99999999999999999999',
];
const headerNames = [
	'content-type',
	'date',
	'link',
	'location',
	'retry-after',
	'set-cookie',
	'x-next-page',
	'x-ratelimit-remaining',
	'x-ratelimit-reset',
	'x-total-count',
];

const raw = (text: string): Answer => {
	return ({ socket }) => {
		socket?.end(text);
	};
};

const redirects: Array<[name: string, location: (attack: Attack) => string]> = [
	['to somebody else', ({ elsewhere }) => `${elsewhere}/api/sites`],
	['to the same address', ({ url }) => url],
	['to a file', () => 'file:///etc/passwd'],
	['to a script', () => 'javascript:alert(1)'],
	['to nothing', () => ''],
	['to what is no address', () => 'http://['],
	['without a scheme', ({ elsewhere }) => elsewhere.replace('http:', '')],
];

const links: Array<[name: string, link: (attack: Attack) => string]> = [
	['somebody else', ({ elsewhere }) => `${elsewhere}/api/sites?page=2`],
	['somebody else, by a user', ({ elsewhere }) => elsewhere.replace('http://', 'http://a:b@')],
	['out of the API', () => '/admin?page=2'],
	['out of the API by a detour', () => '/api/%2e%2e/admin'],
	['itself', ({ url }) => url],
	['a page without an end', ({ url }) => `${url.split('?')[0]}?n=${Math.random()}`],
];

/** By a name that tells what it does. */
export const attacks: Record<string, Answer> = {
	...Object.fromEntries(
		Object.entries(sizes).flatMap(([name, parts]) =>
			[0.99, 4].map((share) => [
				`size: ${name}${share > 1 ? ', too many' : ''}`,
				async (response: ServerResponse, { size }: Attack) => {
					response.setHeader('content-type', 'application/json');
					// Whoever asked may have had enough.
					await pipeline(repeated(parts, size * share), response).catch(() => undefined);
				},
			]),
		),
	),
	'size: a bomb of gzip': (response, { size }) => {
		response.setHeader('content-encoding', 'gzip');
		response.end(gzipSync(Buffer.alloc(size * 2, ' ')));
	},
	...Object.fromEntries(
		headerTexts.flatMap((text, index) =>
			headerNames.map((name) => [
				`header: ${name}, text ${index}`,
				(response: ServerResponse) => {
					response.setHeader(name, text);
					response.statusCode = [200, 429, 503][index % 3] ?? 200;
					response.end('{"sites":[],"exchanges":[],"events":[],"balance":1}');
				},
			]),
		),
	),
	'header: more than are read': (response) => {
		for (let index = 0; index < 500; index++) response.setHeader(`x-${index}`, 'x'.repeat(1000));
		response.end('[]');
	},
	'header: a length that is not true': raw(
		'HTTP/1.1 200 OK\r\ncontent-length: 999999999\r\n\r\n[]',
	),
	'header: a negative length': raw('HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n[]'),
	'header: chunks that are none': raw(
		'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFF\r\nx',
	),
	'header: a line without an end': ({ socket }) => {
		socket?.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}`);
	},
	'header: an encoding that is none': (response) => {
		response.setHeader('content-encoding', 'gzip');
		response.end('no gzip');
	},
	'answer: not HTTP': raw('220 mail.example ESMTP\r\n'),
	'answer: no status': raw('HTTP/1.1\r\n\r\n'),
	'answer: HTTP 0.9': raw('<html>hello</html>'),
	'answer: two answers': raw(
		'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
	),
	'answer: names of the language': (response) => {
		response.end(
			'{"__proto__":{"id":"exc_1","status":"accepted"},"constructor":{"prototype":{"ok":false}},"toString":1,"exchanges":[{"id":"__proto__","status":"constructor","toString":1}]}',
		);
	},
	'answer: not UTF-8': (response) => {
		response.end(Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0xc0, 0x80, 0x22, 0x5d]));
	},
	...Object.fromEntries(
		[201, 204, 205, 206, 299, 304, 399, 400, 401, 402, 403, 404, 407, 408, 418, 425, 429]
			.concat([451, 499, 500, 502, 503, 599, 600, 999])
			.map((status) => [
				`answer: HTTP ${status}`,
				(response: ServerResponse) => {
					response.writeHead(status).end(`{"error":{"code":"${'c'.repeat(5000)}","message":5}}`);
				},
			]),
	),
	...Object.fromEntries(
		redirects.flatMap(([name, location]) =>
			[301, 303, 308].map((status) => [
				`redirect: ${status} ${name}`,
				(response: ServerResponse, attack: Attack) => {
					response.writeHead(status, { location: location(attack) }).end();
				},
			]),
		),
	),
	...Object.fromEntries(
		links.map(([name, link]) => [
			`next page: ${name}`,
			(response: ServerResponse, attack: Attack) => {
				response.setHeader('link', `<${link(attack)}>; rel="next"`);
				response.end('{"sites":[],"exchanges":[],"events":[],"ledger":[],"balance":1}');
			},
		]),
	),
	'time: no answer': () => undefined,
	'time: no body': (response) => {
		response.flushHeaders();
	},
	'time: half a body': (response) => {
		response.write('{"sites":[');
	},
	'time: a byte now and then': (response) => {
		const drip = setInterval(() => response.write(' '), 1000);
		response.on('close', () => {
			clearInterval(drip);
		});
	},
	'time: cut at once': ({ socket }) => {
		socket?.destroy();
	},
	'time: reset': ({ socket }) => {
		socket?.resetAndDestroy();
	},
	'time: reset in the middle': (response) => {
		response.write('{"sites":[', () => response.socket?.resetAndDestroy());
	},
	'time: more to come, again and again': (response) => {
		for (let count = 0; count < 5000; count++) response.writeProcessing();
		response.end('[]');
	},
};

/**
 * Asks a service that answers in this way, in every way there is.
 * @returns what is wrong, in plain words
 */
export async function suffer(name: string, size = mostBytes): Promise<string[]> {
	const answer = attacks[name];
	if (answer === undefined) throw new Error(`There is no attack "${name}".`);
	const keysSeen: string[] = [];
	const other = createServer(({ url = '', headers }, response) => {
		keysSeen.push(`somebody else, ${url} ${headers.authorization ?? ''}`);
		response.end('[]');
	});
	const elsewhere = `http://localhost:${await listening(other)}`;
	let requests = 0;
	const service = createServer((request, response) => {
		requests++;
		const { href: url, pathname } = new URL(request.url ?? '', 'http://127.0.0.1');
		if (!pathname.startsWith('/api/')) keysSeen.push(`out of the API, ${pathname}`);
		void answer(response, { size, elsewhere, url });
	});
	const baseUrl = `http://127.0.0.1:${await listening(service)}/api`;
	const { run, search } = clientOf({ baseUrl, apiKey });
	const wrong: string[] = [];
	const examine = async (how: string, act: () => Promise<Deed>): Promise<void> => {
		const before = requests;
		const { items, error, wrong: already } = await act();
		const said = [...already, ...unclear({ items, error, wrong: [] })];
		const kept = error === undefined ? '' : `${error.message} ${JSON.stringify(error)}`;
		if (kept.length > mostInError) said.push(`an error of ${kept.length} characters`);
		if (kept.includes(apiKey)) said.push('the key in an error');
		if (requests - before > mostRequests) said.push(`${requests - before} requests`);
		wrong.push(...said.map((each) => `${name}, ${how}: ${each.slice(0, 500)}`));
	};
	try {
		for (const { resource, operation, parameters } of operations) {
			await examine(`${resource} ${operation}`, async () => {
				const options = { timeout, maxRateLimitWait: 5 };
				const { items, error } = await run(resource, operation, {
					parameters: { ...parameters, returnAll: true, options },
					items: [{ id: 'exc_1', url: 'https://a.example' }],
				});
				return { items: items.map(({ json }) => json), error, wrong: [] };
			});
		}
		await examine('list search', async () => await attempt(() => search('searchExchanges')));
		const poller = new Poller({ baseUrl, apiKey });
		await examine('first poll', async () => await attempt(() => poller.start()));
	} finally {
		for (const server of [service, other]) {
			server.close();
			server.closeAllConnections();
		}
	}
	if (keysSeen.length > 0) {
		wrong.push(`${name}: the key went to ${keysSeen.slice(0, 5).join(', ')}`);
	}
	return wrong;
}

async function attempt(act: () => Promise<unknown>): Promise<Deed> {
	try {
		await act();
		return { items: [], error: undefined, wrong: [] };
	} catch (error) {
		return { items: [] as IDataObject[], error: error as Error, wrong: [] };
	}
}

async function listening(server: Server): Promise<number> {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	return (server.address() as AddressInfo).port;
}

/** The unit, as often as it fits into the size, between the begin and the end. */
function* repeated([begin, unit, end]: Parts, size: number): Generator<string> {
	const atOnce = Math.ceil(100_000 / unit.length);
	const chunk = unit.repeat(atOnce);
	yield begin;
	const count = Math.floor(size / memoryFor(Buffer.from(unit)));
	for (let sent = 0; sent < count; sent += atOnce) {
		yield sent + atOnce <= count ? chunk : unit.repeat(count - sent);
	}
	yield end;
}
