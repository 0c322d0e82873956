/**
 * Each API variant of sandbox/dialects.mts, as sent over HTTP: a test for each variant of each
 * setting.
 */
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { type Dialect, dialectSettingNames, resolveDialect } from '../../sandbox/dialects.mts';
import { temporaryFolder } from '../fixtures.mts';
import { read } from '../repository.mts';
import {
	callApi,
	describeSetting,
	getError,
	getVariantNames,
	hmac,
	matching,
	openSandbox,
	openSandboxWithReceiver,
	secret,
} from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);
const minuteLater = Math.ceil((now + 60_000) / 1000);
const anEvent = { id: 'wde_1', severity: 'critical' };

test('this file tests each setting', () => {
	const tests = read('test/sandbox/dialects.test.mts');
	for (const name of dialectSettingNames) {
		expect(tests).toMatch(new RegExp(`describeSetting\\(\\s*'${name}'`));
	}
});

const listShapes = {
	resource: { events: [anEvent] },
	array: [anEvent],
	data: { data: [anEvent] },
	items: { items: [anEvent] },
	results: { results: [anEvent] },
};
describeSetting('listShape', listShapes, async (dialect, expected) => {
	const sandbox = await openSandbox({ dialect });
	sandbox.alert({ exchangeId: sandbox.requestOffer().id, severity: 'critical' });
	expect((await callApi(sandbox, 'GET /watchdog/events')).json).toMatchObject(expected);
	// The shape of this list is documented.
	expect((await callApi(sandbox, 'GET /sites')).json).toEqual({ sites: [] });
});

const emptyLists = {
	array: [200, { exchanges: [] }],
	null: [200, { exchanges: null }],
	'204': [204, undefined],
};
describeSetting('emptyList', emptyLists, async (dialect, [status, json]) => {
	const sandbox = await openSandbox({ dialect });
	expect(await callApi(sandbox, 'GET /exchanges')).toMatchObject({ status, json });
	sandbox.requestOffer();
	expect((await callApi(sandbox, 'GET /exchanges')).json).toMatchObject({ exchanges: [{}] });
});

const lists = { all: ['a', 'p'], 'pending-unless-filtered': ['p'] };
describeSetting('exchangeList', lists, async (dialect, shown) => {
	const sandbox = await openSandbox({ dialect });
	for (const id of ['a', 'p']) sandbox.requestOffer({ id });
	sandbox.accept('a');
	const listed = async (query: string) =>
		(
			(await callApi(sandbox, `GET /exchanges${query}`)).json as { exchanges: { id: string }[] }
		).exchanges.map(({ id }) => id);
	expect(await listed('')).toEqual(shown);
	expect(await listed('?status=accepted')).toEqual(['a']);
});

describeSetting('ledgerKey', getVariantNames('ledgerKey'), async (dialect, key) => {
	const { json } = await callApi(
		await openSandbox({ dialect, credits: 7 }),
		'GET /credits/balance',
	);
	expect(json).toMatchObject({ balance: 7, [key]: [{ amount: 7 }] });
});

/** Fields and headers that indicate further pages: on the first page, and on the last. */
const pageIndicators: Record<Dialect['pagination'], [first: object, last: object]> = {
	none: [{}, {}],
	link: [{ link: matching(/^<http:\/\/127\..+&page=2>; rel="next"$/) }, {}],
	'link-other-origin': [{ link: matching(/^<http:\/\/localhost:.+&page=2>; rel="next"$/) }, {}],
	'has-more': [{ has_more: true }, { has_more: false }],
	'next-url': [{ next: matching(/^http:.+&page=2$/) }, { next: null }],
	'next-cursor': [{ next_cursor: '2' }, { next_cursor: null }],
	'next-page': [{ next_page: 2 }, { next_page: null }],
};
describeSetting('pagination', pageIndicators, async (dialect, [first, last]) => {
	const sandbox = await openSandbox({ dialect: { ...dialect, pageSize: 2 } });
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	const page = async (number: number) => {
		const { json, headers } = await callApi(
			sandbox,
			`GET /exchanges?status=pending&page=${number}`,
		);
		const { exchanges, ...signs } = json as { exchanges: { id: string }[] };
		const ids = exchanges.map(({ id }) => id).join('');
		return [ids, { ...signs, ...(headers.link !== undefined && { link: headers.link }) }];
	};
	const isWhole = dialect.pagination === 'none';
	expect(await page(1)).toEqual([isWhole ? 'abc' : 'ab', first]);
	expect(await page(2)).toEqual([isWhole ? 'abc' : 'c', last]);
});

/** Builds the body of a response to a write request, in the form of the variant. */
function bodyIn(form: string | undefined, name: string, record: object): object | undefined {
	const bodies: Record<string, object> = {
		record,
		envelope: { [name]: record },
		data: { data: record },
	};
	return bodies[form ?? ''];
}

describeSetting('createSite', getVariantNames('createSite'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	const url = 'https://mine.example';
	const answer = await callApi(sandbox, 'POST /sites', { json: { url, niche: 'x' } });
	const [status, form] = variant.split('-');
	expect(answer.status).toBe(Number(status));
	if (form === 'empty') expect(answer.text).toBe('');
	else expect(answer.json).toMatchObject(bodyIn(form, 'site', { url, verified: false }) ?? {});
	expect(sandbox.books.sites()).toHaveLength(1);
});

describeSetting('accept', getVariantNames('accept'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	sandbox.requestOffer({ id: 'e1' });
	const answer = await callApi(sandbox, 'POST /exchanges/e1/accept');
	const [status, form] = variant.split('-');
	expect(answer.status).toBe(Number(status));
	if (form === 'empty') expect(answer.text).toBe('');
	else {
		const record = { id: 'e1', status: form === 'pending' ? 'pending' : 'accepted' };
		expect(answer.json).toMatchObject(bodyIn(form, 'exchange', record) ?? record);
	}
	expect(sandbox.books.acceptCount('e1')).toBe(1);
});

test('accept=202-pending accepts and charges four seconds later', async () => {
	let time = now;
	const dialect = { accept: '202-pending' } as const;
	const sandbox = await openSandbox({ dialect, clock: () => time });
	sandbox.requestOffer({ id: 'e1', cost: 10 });
	await callApi(sandbox, 'POST /exchanges/e1/accept');
	const read = () => [sandbox.books.exchange('e1').status, sandbox.books.balance()];
	expect(read()).toEqual(['pending', 100]);
	time += 4000;
	expect(read()).toEqual(['accepted', 90]);
});

describeSetting(
	'charge',
	{ 'on-accept': [90, 90, 90], 'seconds-later': [100, 90, 90], 'when-live': [100, 100, 90] },
	async (dialect, balances) => {
		let time = now;
		const sandbox = await openSandbox({ dialect, clock: () => time });
		sandbox.requestOffer({ id: 'e1', cost: 10 });
		await callApi(sandbox, 'POST /exchanges/e1/accept');
		const shown = [sandbox.books.balance()];
		time += 4000;
		shown.push(sandbox.books.balance());
		sandbox.publish('e1');
		shown.push(sandbox.books.balance());
		expect(shown).toEqual(balances);
		expect(sandbox.books.ledger().map(({ amount }) => amount)).toEqual([-10, 100]);
	},
);

describeSetting('acceptAgain', getVariantNames('acceptAgain'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	sandbox.requestOffer({ id: 'e1' });
	await callApi(sandbox, 'POST /exchanges/e1/accept');
	const answer = await callApi(sandbox, 'POST /exchanges/e1/accept');
	const isCharged = variant === 'charged';
	expect(answer.status).toBe(isCharged ? 200 : Number(variant));
	if (answer.status === 200) expect(answer.json).toMatchObject({ id: 'e1', status: 'accepted' });
	else expect(getError(answer).code).toBe('exchange_not_pending');
	expect(sandbox.books.acceptCount('e1')).toBe(isCharged ? 2 : 1);
	expect(sandbox.books.creditsSpentOn('e1')).toBe(isCharged ? 20 : 10);
});

test('acceptAgain=charged needs the credits, and leaves the status of a live link', async () => {
	const sandbox = await openSandbox({ dialect: { acceptAgain: 'charged' }, credits: 25 });
	sandbox.requestOffer({ id: 'e1', cost: 10 });
	const accept = async () => (await callApi(sandbox, 'POST /exchanges/e1/accept')).status;
	await accept();
	const live = sandbox.publish('e1');
	expect([await accept(), await accept()]).toEqual([200, 402]);
	expect(sandbox.books.exchange('e1')).toEqual(live);
	expect([sandbox.books.acceptCount('e1'), sandbox.books.balance()]).toEqual([2, 5]);
	expect(sandbox.books.deliveries({ event: 'exchange.accepted' })).toHaveLength(2);
});

describeSetting(
	'insufficientCredits',
	getVariantNames('insufficientCredits'),
	async (dialect, status) => {
		// Even if something in front of the service replaces the other errors' bodies.
		const sandbox = await openSandbox({ credits: 0, dialect: { ...dialect, errorBody: 'html' } });
		sandbox.requestOffer({ id: 'e1' });
		const answer = await callApi(sandbox, 'POST /exchanges/e1/accept');
		expect([answer.status, getError(answer).code]).toEqual([
			Number(status),
			'insufficient_credits',
		]);
	},
);

const resets = {
	'epoch-seconds': String(minuteLater),
	'epoch-milliseconds': String(now + 60_000),
	'delta-seconds': '60',
	'iso-8601': '2026-07-01T12:01:01.000Z',
	'http-date': 'Wed, 01 Jul 2026 12:01:01 GMT',
};
describeSetting('rateLimitReset', resets, async (dialect, value) => {
	const sandbox = await openSandbox({ dialect, clock: () => now });
	expect((await callApi(sandbox, 'GET /sites')).headers['x-ratelimit-reset']).toBe(value);
});

const rateLimitErrors = {
	'retry-after-json': [429, '60', 'rate_limit_exceeded'],
	json: [429, undefined, 'rate_limit_exceeded'],
	'retry-after-text': [429, '60', undefined],
	text: [429, undefined, undefined],
	'403-json': [403, undefined, 'rate_limit_exceeded'],
	'403-text': [403, undefined, undefined],
} as const;
describeSetting('limitExceeded', rateLimitErrors, async (dialect, [status, retryAfter, code]) => {
	const sandbox = await openSandbox({ dialect, limits: { perMinute: 1 }, clock: () => now });
	await callApi(sandbox, 'GET /sites');
	const answer = await callApi(sandbox, 'GET /sites');
	expect([answer.status, answer.headers['retry-after']]).toEqual([status, retryAfter]);
	expect(answer.headers['x-ratelimit-remaining']).toBe('0');
	if (code === undefined) expect(answer.json).toBeUndefined();
	else expect(getError(answer).code).toBe(code);
});

describeSetting('invalidToken', getVariantNames('invalidToken'), async (dialect, variant) => {
	const answer = await callApi(await openSandbox({ dialect }), 'GET /sites', {
		authorization: null,
	});
	const [status, form] = variant.split('-');
	expect(answer.status).toBe(Number(status));
	if (form === 'json') expect(getError(answer).code).toBe('missing_token');
	else expect(answer.text.startsWith('<html>')).toBe(form === 'html');
});

const errorBodies = { documented: /^\{"error":/, html: /^<html>.*404/, text: /^upstream.*404/ };
describeSetting('errorBody', errorBodies, async (dialect, body) => {
	expect((await callApi(await openSandbox({ dialect }), 'GET /nothing')).text).toMatch(body);
});

/** Returns the first delivery of a sandbox with these settings. */
async function delivered(dialect: Partial<Dialect>) {
	const { sandbox, receiver } = await openSandboxWithReceiver({ dialect, clock: () => now });
	sandbox.requestOffer({ id: 'e1' });
	await sandbox.settled();
	const { headers, body = '', json } = receiver.received[0] ?? {};
	return { signature: String(headers?.['x-pb-signature']), body, json };
}

describeSetting(
	'signatureEncoding',
	getVariantNames('signatureEncoding'),
	async (dialect, encoding) => {
		const { signature, body } = await delivered(dialect);
		expect(signature).toBe(Buffer.from(hmac(body), 'hex').toString(encoding as BufferEncoding));
	},
);

const other = '[0-9a-f]{64}';
const headers: Record<Dialect['signatureHeader'], (right: string) => string> = {
	bare: (right) => `^${right}$`,
	'prefix-sha256': (right) => `^sha256=${right}$`,
	'prefix-v1-equals': (right) => `^v1=${right}$`,
	'prefix-v1-comma': (right) => `^v1,${right}$`,
	'several-by-comma': (right) => `^v1=(?!${right})${other},v1=${right}$`,
	'several-by-space': (right) => `^v1,(?!${right})${other} v1,${right}$`,
	'prefix-other': (right) => `^HMAC-SHA256=${right}$`,
	quoted: (right) => `^"signature=${right}"$`,
};
describeSetting('signatureHeader', headers, async (dialect, pattern) => {
	const { signature, body } = await delivered(dialect);
	expect(signature).toMatch(new RegExp(pattern(hmac(body))));
});

const seconds = Math.floor(now / 1000);
const signed = {
	body: (body: string) => hmac(body),
	'timestamp-body': (body: string) => `t=${seconds},v1=${hmac(`${seconds}.${body}`)}`,
};
describeSetting('signedContent', signed, async (dialect, expected) => {
	const { signature, body } = await delivered(dialect);
	expect(signature).toBe(expected(body));
});

const keys = { utf8: secret, 'whsec-base64': Buffer.from(secret.slice(6), 'base64') };
describeSetting('hmacKey', keys, async (dialect, key) => {
	const { signature, body } = await delivered(dialect);
	expect(signature).toBe(hmac(body, key));
});

const event = 'exchange.requested';
const data = expect.objectContaining({ id: 'e1' }) as unknown;
const wrappers = {
	bare: data,
	'event-data': { event, data },
	'event-payload': { event, payload: data },
	'type-data': { type: event, data },
	'type-payload': { type: event, payload: data },
	flat: expect.objectContaining({ event, id: 'e1' }) as unknown,
	'array-bare': [data],
	'array-event-data': [{ event, data }],
	'array-flat': [expect.objectContaining({ event, id: 'e1' })],
};
describeSetting('wrapper', wrappers, async (dialect, expected) => {
	expect((await delivered(dialect)).json).toEqual(expected);
});

const requestedEvents = { incoming: [], all: ['out'] };
describeSetting('requestedEvents', requestedEvents, async (dialect, expected) => {
	const { sandbox } = await openSandboxWithReceiver({ dialect });
	sandbox.requestOffer({ id: 'in' });
	sandbox.offerToPartner({ id: 'out' });
	await sandbox.settled();
	const requested = sandbox.books.deliveries({ event: 'exchange.requested' });
	expect(requested.map(({ exchangeId }) => exchangeId)).toEqual(['in', ...expected]);
});

const times = {
	'iso-8601-milliseconds': '2026-07-01T12:00:00.500Z',
	'iso-8601-seconds': '2026-07-01T12:00:00Z',
	'epoch-seconds': seconds,
	'epoch-milliseconds': now,
	'http-date': 'Wed, 01 Jul 2026 12:00:00 GMT',
	'iso-8601-offset': '2026-07-01T12:00:00.500+0000',
	'iso-8601-space': '2026-07-01 12:00:00+00',
};
describeSetting('times', times, async (dialect, time) => {
	const sandbox = await openSandbox({ dialect, clock: () => now });
	sandbox.accept(sandbox.requestOffer().id);
	const { json } = await callApi(sandbox, 'GET /exchanges');
	expect(json).toMatchObject({ exchanges: [{ accepted_at: time, published_at: null }] });
});

describeSetting('balance', { numbers: 500, text: '500' }, async (dialect, balance) => {
	const sandbox = await openSandbox({ dialect, credits: 500 });
	const { json } = await callApi(sandbox, 'GET /credits/balance');
	expect(json).toMatchObject({ balance, lifetime_earned: balance });
});

test('a service with a fast clock sends its own time in every header', async () => {
	const sandbox = await openSandbox({ dialect: { clockSkewSeconds: 120 }, clock: () => now });
	const { headers: shown } = await callApi(sandbox, 'GET /sites');
	expect(Date.parse(String(shown.date))).toBe(Math.floor((now + 120_000) / 1000) * 1000);
	expect(shown['x-ratelimit-reset']).toBe(String(minuteLater + 120));
});

describe('a dialect', () => {
	test('is one or several settings, which persist over a restart', async () => {
		expect(resolveDialect(undefined)).toEqual(resolveDialect('plain'));
		const data = join(temporaryFolder(), 'sandbox.sqlite');
		const first = await openSandbox({ data, dialect: 'pagination=link, pageSize=7' });
		first.change({ dialect: { times: 'epoch-seconds' } });
		await first.close();
		const expected = { pagination: 'link', pageSize: 7, times: 'epoch-seconds' } as const;
		expect((await openSandbox({ data })).settings.dialect).toEqual(resolveDialect(expected));
	});

	test.each([
		['nope', /no setting "nope".*listShape/],
		['toString=1', /no setting "toString"/],
		['listShape=tree', /listShape has no variant "tree".*array \| data/],
		['pageSize=0', /pageSize must be a whole number/],
		['pageSize=100000000000000', /whole number from 1 to 1000000000/],
	])('is rejected with the valid values if it is invalid (%s)', (text, message) => {
		expect(() => resolveDialect(text)).toThrow(message);
	});

	test('rejects a secret of another kind with base64 keys', async () => {
		const webhook = { url: 'http://127.0.0.1:9/', secret: 'plain words' };
		const sandbox = await openSandbox({ webhook });
		expect(() => {
			sandbox.change({ dialect: { hmacKey: 'whsec-base64' } });
		}).toThrow('whsec_ followed by base64');
		expect(sandbox.settings.dialect.hmacKey).toBe('utf8');
	});
});
