/** Control over HTTP: its actions, and the requests that it rejects. */
import { describe, expect, test } from 'vitest';

import {
	askUrl,
	callApi,
	control,
	getError,
	openReceiver,
	openSandbox,
	openSandboxWithReceiver,
	secret,
} from './harness.mts';

describe('the control of a running sandbox', () => {
	test('triggers every event of the service', async () => {
		const receiver = await openReceiver();
		const sandbox = await openSandbox();
		await control(sandbox, '/webhook', { url: receiver.url, secret });
		await control(sandbox, '/sites', { url: 'https://mine.example', niche: 'x' });
		await control(sandbox, '/offers', { count: 50, cost: 1 });
		const [first, second] = sandbox.books.exchanges().map(({ id }) => id);
		for (const path of ['/accept', '/publish', '/break']) {
			expect((await control(sandbox, path, { id: first })).status).toBe(200);
		}
		// Without an ID, the action applies to the only exchange that allows it.
		await control(sandbox, '/accept', { id: second });
		expect((await control(sandbox, '/publish')).status).toBe(200);
		await control(sandbox, '/alert', {
			severity: 'critical',
			exchangeId: second,
			type: 'slow_page',
		});
		await control(sandbox, '/credits', { credits: 0 });
		await sandbox.settled();
		expect(sandbox.books.exchanges()).toHaveLength(50);
		expect(sandbox.books.exchange(first ?? '').status).toBe('broken');
		expect(sandbox.books.exchange(second ?? '').status).toBe('live');
		expect(sandbox.books.balance()).toBe(0);
		// The severity and the detail that aren't given are those that are usual for the type.
		expect(sandbox.books.watchdogEvents()).toMatchObject([
			{ severity: 'critical', type: 'slow_page', detail: 'The page took 9 seconds to load.' },
			{ severity: 'high', type: 'link_removed', detail: 'The link is gone from the page.' },
		]);
		expect(receiver.received).toHaveLength(50 + 2 + 2 + 2);
	});

	test('makes an exchange older, and its charge, without an event', async () => {
		let now = Date.UTC(2026, 6, 20, 12);
		const { sandbox, receiver } = await openSandboxWithReceiver({ clock: () => now });
		const [old, recent] = [sandbox.requestOffer(), sandbox.requestOffer()].map(({ id }) => id);
		for (const id of [recent, old]) {
			now += 1000;
			sandbox.accept(id ?? '');
		}
		await sandbox.settled();
		const before = receiver.received.length;
		const answer = await control(sandbox, '/older', { id: old, days: 10 });
		expect(answer.text).toMatch(/moved back by 10 days\./);
		const { createdAt, acceptedAt, publishedAt } = sandbox.books.exchange(old ?? '');
		const times = [createdAt, acceptedAt].map((time = 0) => new Date(time).toISOString());
		expect(times).toEqual(['2026-07-10T12:00:00.000Z', '2026-07-10T12:00:02.000Z']);
		expect(publishedAt).toBeUndefined();
		// The opening balance is older than the offers, but not by ten days.
		const { json } = await callApi(sandbox, 'GET /credits/balance');
		expect(json).toMatchObject({
			ledger: [
				{ exchange_id: recent, created_at: '2026-07-20T12:00:01.000Z' },
				{ exchange_id: null, created_at: '2026-07-20T12:00:00.000Z' },
				{ exchange_id: old, created_at: '2026-07-10T12:00:02.000Z' },
			],
		});
		await sandbox.settled();
		expect(receiver.received).toHaveLength(before);
	});

	test('creates offers for a chosen site, each from another partner', async () => {
		const sandbox = await openSandbox({ seed: 'demo' });
		const chosen = sandbox.books
			.sites()
			.slice(0, 2)
			.map(({ url }) => url);
		await control(sandbox, '/sites', { url: 'https://mine.example', niche: 'x' });
		for (const toSite of [...chosen, 'https://mine.example']) {
			await control(sandbox, '/offers', { toSite, count: 5 });
			const created = sandbox.books.exchanges('pending', 'incoming').slice(-5);
			expect(created.map((offer) => offer.toSite)).toEqual(Array(5).fill(toSite));
			expect(new Set(created.map(({ fromSite }) => fromSite)).size).toBe(5);
		}
	});

	test('changes the settings', async () => {
		const sandbox = await openSandbox();
		await control(sandbox, '/plan', { plan: 'agency' });
		await control(sandbox, '/dialect', { dialect: { listShape: 'data' } });
		await control(sandbox, '/dialect', { dialect: { pagination: 'link' } });
		await control(sandbox, '/faults', { kind: 'malformed-json', times: 3 });
		const { json } = await askUrl('GET', `${sandbox.origin}/control/state`);
		expect(json).toMatchObject({
			plan: 'agency',
			dialect: { listShape: 'data', pagination: 'link' },
		});
		expect(sandbox.faults.list()).toMatchObject([{ kind: 'malformed-json', times: 3 }]);
		await control(sandbox, '/faults/clear');
		expect(sandbox.faults.list()).toEqual([]);
	});

	test('generates a secret the first time, keeps it for another URL, and stores no empty one', async () => {
		const sandbox = await openSandbox();
		await control(sandbox, '/webhook', { url: 'http://127.0.0.1:9/first' });
		const made = sandbox.settings.webhook?.secret ?? '';
		expect(made).toMatch(/^whsec_.{32}$/);
		await control(sandbox, '/webhook', { url: 'http://127.0.0.1:9/second' });
		expect(sandbox.settings.webhook).toEqual({ url: 'http://127.0.0.1:9/second', secret: made });
	});

	test('sends a test event once, for any response, and changes nothing', async () => {
		const { sandbox, receiver } = await openSandboxWithReceiver();
		const { id } = sandbox.requestOffer();
		await sandbox.settled();
		receiver.answers.push(500);
		const answer = await control(sandbox, '/test-event', { event: 'exchange.accepted' });
		expect(answer.text).toMatch(/exchange\.accepted: .*500/);
		expect(receiver.received.at(-1)?.json).toMatchObject({ id });
		expect(sandbox.books.exchange(id).status).toBe('pending');
		expect(sandbox.books.deliveries({ event: 'exchange.accepted' })).toMatchObject([
			{ state: 'given up', attempts: 1, log: [{ status: 500, answer: 'answer 500' }] },
		]);
	});

	test.each([
		['/plan', { plan: 'gold' }, 400],
		['/offers', { count: 100_000 }, 400],
		['/offers', { cost: -1 }, 400],
		['/offers', { cost: 1.25 }, 400],
		['/offers', { colour: 'red' }, 400],
		['/accept', { id: 'none' }, 404],
		['/publish', {}, 409],
		['/credits', { credits: 1.5 }, 400],
		['/older', { id: 'none', days: 1 }, 404],
		['/older', { id: 'none', days: 0 }, 400],
		['/dialect', { dialect: 'nope' }, 422],
		['/webhook', { url: 'ftp://x', secret: 's' }, 422],
		['/webhook', { url: 'http://x', secret: '' }, 422],
		['/faults', { kind: 'nope' }, 422],
		['/redeliver', { id: 1 }, 404],
		['/test-event', { event: 'watchdog.alert' }, 409],
	])('rejects an invalid request: %s %j', async (path, body, status) => {
		const sandbox = await openSandbox();
		const answer = await control(sandbox, path, body);
		expect([answer.status, getError(answer).message !== '']).toEqual([status, true]);
		expect(sandbox.books.exchanges()).toEqual([]);
	});
});
