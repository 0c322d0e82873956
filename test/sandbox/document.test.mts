/**
 * Walks service-api.md: each row of its tables and each of its numbered rules has a test here, over real HTTP, under the row's own
 * name. A row without a test fails, and so does a test without a row.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { ask, errorOf, hmac, openReceiver, openSandbox, secret, type Answer } from './harness.mts';

const site = { url: 'https://mine.example', niche: 'travel' };
const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

async function addedSite(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ verification: { delayMilliseconds: 0 } });
	await ask(sandbox, 'POST /sites', { json: site });
	const { json } = await ask(sandbox, 'GET /sites');
	return (json as { sites: Record<string, unknown>[] }).sites[0] ?? {};
}

async function balance(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ credits: 25 });
	await ask(sandbox, `POST /exchanges/${sandbox.requestOffer({ cost: 10 }).id}/accept`);
	return (await ask(sandbox, 'GET /credits/balance')).json as Record<string, unknown>;
}

/** An exchange as the list shows it in each of its states. */
async function exchangeInEachState(): Promise<Record<string, Record<string, unknown>>> {
	const sandbox = await openSandbox();
	const { id } = sandbox.requestOffer({
		anchor: 'words',
		fromSite: 'https://partner.example/',
		toSite: site.url,
	});
	const states: Record<string, Record<string, unknown>> = {};
	const look = async () => {
		const { json } = await ask(sandbox, 'GET /exchanges');
		const record = (json as { exchanges: Record<string, unknown>[] }).exchanges[0] ?? {};
		states[String(record.status)] = record;
	};
	await look();
	await ask(sandbox, `POST /exchanges/${id}/accept`);
	await look();
	sandbox.publish(id);
	await look();
	sandbox.breakLink(id);
	await look();
	return states;
}

async function payloadOf(event: string): Promise<Record<string, unknown>> {
	const receiver = await openReceiver();
	const sandbox = await openSandbox({ webhook: { url: receiver.url, secret } });
	const { id } = sandbox.requestOffer({ id: 'e1' });
	await ask(sandbox, `POST /exchanges/${id}/accept`);
	sandbox.publish(id);
	sandbox.alert({ exchangeId: id, severity: 'critical' });
	await sandbox.settled();
	const order = ['exchange.requested', 'exchange.accepted', 'exchange.published', 'watchdog.alert'];
	expect(receiver.received).toHaveLength(order.length);
	return receiver.received[order.indexOf(event)]?.json as Record<string, unknown>;
}

/** Each figure as the headers show it when the other one cannot be the nearer limit. */
async function limitsOf(plan: 'pro' | 'agency'): Promise<{ perMinute: number; perDay: number }> {
	const allowed = async (limits: { perMinute?: number; perDay?: number }) => {
		const sandbox = await openSandbox({ plan, limits });
		return Number((await ask(sandbox, 'GET /sites')).headers['x-ratelimit-remaining']) + 1;
	};
	return { perMinute: await allowed({ perDay: 1e9 }), perDay: await allowed({ perMinute: 1e9 }) };
}

const states: Record<string, (records: Record<string, Record<string, unknown>>) => void> = {
	id: ({ pending }) => {
		expect(pending?.id).toMatch(/./);
	},
	from_site: ({ pending }) => {
		expect(pending?.from_site).toBe('https://partner.example/');
	},
	to_site: ({ pending }) => {
		expect(pending?.to_site).toBe(site.url);
	},
	anchor: ({ pending }) => {
		expect(pending?.anchor).toBe('words');
	},
	accepted_at: ({ pending, accepted }) => {
		expect(pending?.accepted_at).toBeNull();
		expect(accepted?.accepted_at).toMatch(isoUtc);
	},
	live_url: ({ accepted, live }) => {
		expect(accepted?.live_url).toBeNull();
		expect(live?.live_url).toMatch(/^https:/);
	},
	published_at: ({ accepted, live }) => {
		expect(accepted?.published_at).toBeNull();
		expect(live?.published_at).toMatch(isoUtc);
	},
	status: (records) => {
		expect(Object.keys(records)).toEqual(['pending', 'accepted', 'live', 'broken']);
	},
};

const exchangeRows = Object.fromEntries(
	Object.entries(states).map(([field, check]) => [
		`Exchange: ${field}`,
		async () => {
			check(await exchangeInEachState());
		},
	]),
);

const rows: Record<string, () => Promise<void>> = {
	'Site: id': async () => {
		expect((await addedSite()).id).toMatch(/^site_.+/);
	},
	'Site: url': async () => {
		expect((await addedSite()).url).toBe(site.url);
	},
	'Site: niche': async () => {
		expect((await addedSite()).niche).toBe(site.niche);
	},
	'Site: dr': async () => {
		expect(Number.isInteger((await addedSite()).dr)).toBe(true);
	},
	'Site: verified': async () => {
		expect((await addedSite()).verified).toBe(true);
	},
	'Site: created_at': async () => {
		expect((await addedSite()).created_at).toMatch(isoUtc);
	},
	'Credit balance: balance': async () => {
		expect((await balance()).balance).toBe(15);
	},
	'Credit balance: lifetime_earned': async () => {
		expect((await balance()).lifetime_earned).toBe(25);
	},
	'Credit balance: lifetime_spent': async () => {
		expect((await balance()).lifetime_spent).toBe(10);
	},
	...exchangeRows,

	'Endpoints: GET /api/sites': async () => {
		const sandbox = await openSandbox();
		sandbox.addSite(site);
		sandbox.addSite({ url: 'https://other.example', niche: 'food' });
		const answer = await ask(sandbox, 'GET /sites');
		expect(answer.status).toBe(200);
		expect(Object.keys(answer.json as object)).toEqual(['sites']);
		expect(answer.json).toMatchObject({
			sites: [{ url: site.url }, { url: 'https://other.example' }],
		});
	},
	'Endpoints: POST /api/sites': async () => {
		let now = Date.UTC(2026, 6, 1);
		const sandbox = await openSandbox({
			clock: () => now,
			verification: { delayMilliseconds: 5_000 },
		});
		expect((await ask(sandbox, 'POST /sites', { json: site })).status).toBe(201);
		const verified = async () =>
			(await ask(sandbox, 'GET /sites')).json as { sites: { verified: boolean }[] };
		expect(await verified()).toMatchObject({ sites: [{ verified: false }] });
		now += 5_000;
		expect(await verified()).toMatchObject({ sites: [{ verified: true }] });
		const wrong = async (json: unknown) =>
			errorOf(await ask(sandbox, 'POST /sites', { json })).code;
		expect(await wrong({ url: 5, niche: 'x' })).toBe('invalid_request');
		expect(await wrong({ url: 'https://a.example' })).toBe('invalid_request');
		expect(await wrong({ url: 'mine.example', niche: 'x' })).toBe('invalid_url');
		expect(await wrong({ ...site, url: `${site.url}/` })).toBe('site_exists');
		const noJson = await ask(sandbox, 'POST /sites', {
			text: JSON.stringify(site),
			headers: { 'content-type': 'text/plain' },
		});
		expect([noJson.status, errorOf(noJson).code]).toEqual([415, 'unsupported_media_type']);
	},
	'Endpoints: GET /api/exchanges': async () => {
		const sandbox = await openSandbox();
		const [a, b] = [sandbox.requestOffer(), sandbox.requestOffer()];
		sandbox.accept(b.id);
		const ids = (answer: Answer) =>
			(answer.json as { exchanges: { id: string }[] }).exchanges.map(({ id }) => id);
		expect(ids(await ask(sandbox, 'GET /exchanges'))).toEqual([a.id, b.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=pending'))).toEqual([a.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=accepted'))).toEqual([b.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=live'))).toEqual([]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=broken'))).toEqual([]);
		expect((await ask(sandbox, 'GET /exchanges?status=all')).status).toBe(400);
	},
	'Endpoints: POST /api/exchanges/:id/accept': async () => {
		const sandbox = await openSandbox({ credits: 30 });
		const { id } = sandbox.requestOffer({ id: 'a/b?c#d', cost: 20 });
		const answer = await ask(sandbox, `POST /exchanges/${encodeURIComponent(id)}/accept`);
		expect(answer.status).toBe(200);
		expect(answer.json).toMatchObject({ id, status: 'accepted' });
		expect([
			sandbox.books.balance(),
			sandbox.books.creditsSpentOn(id),
			sandbox.books.acceptsOf(id),
		]).toEqual([10, 20, 1]);
		expect((await ask(sandbox, `POST /exchanges/${encodeURIComponent(id)}/accept`)).status).toBe(
			409,
		);
		expect(sandbox.books.acceptsOf(id)).toBe(1);
		const unknown = await ask(
			sandbox,
			`POST /exchanges/${encodeURIComponent('../credits')}/accept`,
		);
		expect([unknown.status, errorOf(unknown).code]).toEqual([404, 'exchange_not_found']);
	},
	'Endpoints: GET /api/credits/balance': async () => {
		expect(await balance()).toMatchObject({
			balance: 15,
			lifetime_earned: 25,
			lifetime_spent: 10,
			ledger: [{ amount: -10 }, { amount: 25 }],
		});
	},
	'Endpoints: GET /api/watchdog/events': async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		expect((await ask(sandbox, 'GET /watchdog/events')).json).toEqual({ events: [] });
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [] });
		sandbox.removeLink(id);
		expect(sandbox.books.exchange(id).status).toBe('live');
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [{ id }] });
		expect((await ask(sandbox, 'GET /watchdog/events')).json).toMatchObject({
			events: [
				{
					exchange_id: id,
					severity: 'critical',
					type: 'link_removed',
					detail: expect.stringContaining('gone') as string,
				},
			],
		});
	},

	'Authentication 1': async () => {
		const sandbox = await openSandbox();
		for (const call of [
			'GET /sites',
			'POST /sites',
			'GET /exchanges',
			'POST /exchanges/x/accept',
			'GET /credits/balance',
			'GET /watchdog/events',
		]) {
			const status = async (authorization: string | null) =>
				errorOf(await ask(sandbox, call, { authorization })).code;
			expect(await status(null)).toBe('missing_token');
			expect(await status(`Basic ${sandbox.apiKey}`)).toBe('malformed_token');
			expect(await status('Bearer')).toBe('malformed_token');
			expect(await status(`Bearer ${sandbox.apiKey}x`)).toBe('invalid_token');
		}
		expect((await ask(sandbox, 'GET /sites')).status).toBe(200);
	},
	'Authentication 2': async () => {
		const sandbox = await openSandbox();
		const key = sandbox.createApiKey('second');
		const status = async () =>
			(await ask(sandbox, 'GET /sites', { authorization: `Bearer ${key}` })).status;
		expect(await status()).toBe(200);
		sandbox.revokeApiKey(key);
		expect(await status()).toBe(401);
		expect(errorOf(await ask(sandbox, 'GET /sites', { authorization: `Bearer ${key}` })).code).toBe(
			'revoked_token',
		);
		expect((await ask(sandbox, 'GET /sites')).status).toBe(200);
	},
	'Authentication 3': async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox({ webhook: { url: receiver.url, secret } });
		sandbox.requestOffer({ anchor: 'ünïcode "quoted"' });
		await sandbox.settled();
		expect(receiver.received[0]?.headers['x-pb-signature']).toBe(
			hmac(receiver.received[0]?.body ?? ''),
		);
	},
	'Authentication 4': async () => {
		const sandbox = await openSandbox();
		const answer = await ask(sandbox, 'GET /sites', { authorization: null });
		expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
	},

	'Events: exchange.requested': async () => {
		expect(await payloadOf('exchange.requested')).toEqual({
			id: 'e1',
			from_site: expect.any(String) as string,
			to_site: expect.any(String) as string,
			anchor: expect.any(String) as string,
		});
	},
	'Events: exchange.accepted': async () => {
		expect(await payloadOf('exchange.accepted')).toEqual({
			id: 'e1',
			accepted_at: expect.stringMatching(isoUtc) as string,
		});
	},
	'Events: exchange.published': async () => {
		expect(await payloadOf('exchange.published')).toEqual({
			id: 'e1',
			live_url: expect.stringMatching(/^https:/) as string,
			published_at: expect.stringMatching(isoUtc) as string,
		});
	},
	'Events: watchdog.alert': async () => {
		expect(await payloadOf('watchdog.alert')).toEqual({
			exchange_id: 'e1',
			severity: 'critical',
			type: expect.any(String) as string,
			detail: expect.any(String) as string,
		});
	},
	'Events 1': async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox({ webhook: { url: receiver.url, secret } });
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		sandbox.breakLink(id);
		await sandbox.settled();
		expect(receiver.received).toHaveLength(4);
		for (const { headers, body } of receiver.received)
			expect(headers['x-pb-signature']).toBe(hmac(body));
	},
	'Events 2': async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox({
			webhook: { url: receiver.url, secret },
			delivery: { backoffMilliseconds: [1] },
		});
		receiver.answers.push(500);
		sandbox.requestOffer();
		await sandbox.settled();
		expect(receiver.received.map(({ body }) => body)).toEqual([
			receiver.received[0]?.body,
			receiver.received[0]?.body,
		]);
	},
	'Events 3': async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox({ webhook: { url: receiver.url, secret } });
		const { id } = sandbox.requestOffer();
		await ask(sandbox, `POST /exchanges/${id}/accept`);
		await ask(sandbox, `POST /exchanges/${id}/accept`);
		await sandbox.settled();
		expect(sandbox.books.deliveries().map(({ event, exchangeId }) => [event, exchangeId])).toEqual([
			['exchange.requested', id],
			['exchange.accepted', id],
		]);
	},

	'Errors 1': async () => {
		const sandbox = await openSandbox();
		const status = async (call: string, text?: string) =>
			(await ask(sandbox, call, { text, headers: { 'content-type': 'application/json' } })).status;
		expect(await status('GET /nothing')).toBe(404);
		expect(await status('DELETE /sites')).toBe(405);
		expect(await status('POST /sites', '{')).toBe(400);
		expect(await status('POST /sites', JSON.stringify('x'.repeat(70_000)))).toBe(413);
		sandbox.setPlan('none');
		expect(await status('GET /sites')).toBe(403);
	},
	'Errors 2': async () => {
		const sandbox = await openSandbox();
		const { origin, baseUrl } = sandbox;
		for (const call of [
			'GET /nothing',
			'PUT /sites',
			'POST /sites',
			'POST /exchanges//accept',
			'POST /exchanges/%zz/accept',
			'GET /%ff',
			`GET /exchanges/${'x'.repeat(600)}`,
		]) {
			errorOf(await ask(sandbox, call));
		}
		const outside = await fetch(`${origin}/sites`);
		expect([outside.status, await outside.json()]).toMatchObject([
			404,
			{ error: { code: 'not_found' } },
		]);
		expect((await fetch(`${baseUrl}/nothing`, { method: 'HEAD' })).status).toBe(404);
	},
	'Errors 3': async () => {
		const sandbox = await openSandbox({ credits: 7 });
		const { id } = sandbox.requestOffer({ cost: 12 });
		const { code, message } = errorOf(await ask(sandbox, `POST /exchanges/${id}/accept`));
		expect(code).toBe('insufficient_credits');
		expect(message.match(/\d+/g)).toEqual(['12', '7']);
		expect([sandbox.books.balance(), sandbox.books.exchange(id).status]).toEqual([7, 'pending']);
	},
	'Errors 4': async () => {
		const sandbox = await openSandbox({ credits: 0 });
		const { id } = sandbox.requestOffer();
		expect((await ask(sandbox, `POST /exchanges/${id}/accept`)).status).toBe(402);
	},

	'Limits: Pro': async () => {
		expect(await limitsOf('pro')).toEqual({ perMinute: 60, perDay: 10_000 });
	},
	'Limits: Agency': async () => {
		expect(await limitsOf('agency')).toEqual({ perMinute: 240, perDay: 100_000 });
	},
};

/** `heading: first cell` of each table row (method and path of an endpoint), `heading number` of each numbered rule. */
function rowsOf(document: string): string[] {
	const found: string[] = [];
	let heading = '';
	let isHeader = true;
	for (const line of document.split('\n')) {
		const cells = line.split('|').map((cell) => cell.trim());
		if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
		if (!line.startsWith('|')) isHeader = true;
		else if (isHeader) isHeader = false;
		else if (!/^\|[-| ]+\|$/.test(line))
			found.push(
				`${heading}: ${(cells[1] === 'GET' || cells[1] === 'POST' ? cells.slice(1, 3) : cells.slice(1, 2)).join(' ')}`,
			);
		const rule = /^(\d+)\. /.exec(line)?.[1];
		if (rule !== undefined) found.push(`${heading} ${rule}`);
	}
	return found;
}

const document = readFileSync(
	join(import.meta.dirname, '..', '..', 'sandbox', 'service-api.md'),
	'utf8',
);

describe('service-api.md', () => {
	it('has a test for each of its rows and rules, and for nothing else', () => {
		expect(Object.keys(rows).toSorted()).toEqual(rowsOf(document).toSorted());
	});

	for (const [row, check] of Object.entries(rows)) it(row, check);

	it('is quick to say that write endpoints are not there yet', async () => {
		const sandbox = await openSandbox({ readOnly: true });
		const { id } = sandbox.requestOffer();
		for (const call of [`POST /exchanges/${id}/accept`, 'POST /sites']) {
			const answer = await ask(sandbox, call, { json: site });
			expect([answer.status, errorOf(answer).code]).toEqual([403, 'write_not_available']);
		}
		expect((await ask(sandbox, 'GET /exchanges')).status).toBe(200);
		expect(sandbox.books.exchange(id).status).toBe('pending');
		sandbox.setReadOnly(false);
		expect((await ask(sandbox, `POST /exchanges/${id}/accept`)).status).toBe(200);
	});

	it('puts both limit headers on every response', async () => {
		const sandbox = await openSandbox({ limits: { perMinute: 6 } });
		const key = { authorization: `Bearer ${sandbox.apiKey}` };
		const calls: [string, string, Record<string, string>][] = [
			['GET', '/sites', key],
			['POST', '/sites', key],
			['GET', '/nothing', key],
			['PUT', '/sites', key],
			['GET', '/%zz', key],
			['HEAD', '/sites', key],
			['GET', '/sites', key],
			['GET', '/sites', {}],
		];
		const seen: [number, unknown, boolean][] = [];
		for (const [method, path, headers] of calls) {
			const answer = await ask(sandbox, `${method} ${path}`, {
				authorization: headers.authorization ?? null,
			});
			seen.push([
				answer.status,
				answer.headers['x-ratelimit-remaining'],
				/^\d{10}$/.test(String(answer.headers['x-ratelimit-reset'])),
			]);
		}
		expect(seen).toEqual([
			[200, '5', true],
			[415, '4', true],
			[404, '3', true],
			[405, '2', true],
			[404, '1', true],
			[200, '0', true],
			[429, '0', true],
			[401, '5', true],
		]);
	});
});
