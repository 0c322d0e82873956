/**
 * Tests for the rows and numbered rules of service-api.md on authentication, events, errors and
 * limits.
 */
import { expect } from 'vitest';

import {
	askUrl,
	callApi,
	getError,
	hmac,
	matching,
	openSandbox,
	openSandboxWithReceiver,
} from './harness.mts';
import { isoUtc } from './serviceApiResources.mts';

async function getPayload(event: string): Promise<Record<string, unknown>> {
	const { sandbox, receiver } = await openSandboxWithReceiver();
	const { id } = sandbox.requestOffer({ id: 'e1' });
	await callApi(sandbox, `POST /exchanges/${id}/accept`);
	sandbox.publish(id);
	sandbox.alert({ exchangeId: id, severity: 'critical' });
	await sandbox.settled();
	const order = ['exchange.requested', 'exchange.accepted', 'exchange.published', 'watchdog.alert'];
	expect(receiver.received).toHaveLength(order.length);
	return receiver.received[order.indexOf(event)]?.json as Record<string, unknown>;
}

const text = expect.any(String) as unknown;
const time = matching(isoUtc);
const payloads: Record<string, object> = {
	'exchange.requested': { id: 'e1', from_site: text, to_site: text, anchor: text },
	'exchange.accepted': { id: 'e1', accepted_at: time },
	'exchange.published': { id: 'e1', live_url: matching(/^https:/), published_at: time },
	'watchdog.alert': { exchange_id: 'e1', severity: 'critical', type: text, detail: text },
};
const eventRows = Object.entries(payloads).map(
	([event, payload]) =>
		[
			`Events: ${event}`,
			async () => {
				expect(await getPayload(event)).toEqual(payload);
			},
		] as const,
);

/** Reads each limit from the headers while the other one can't be the nearer limit. */
async function getLimits(plan: 'pro' | 'agency'): Promise<{ perMinute: number; perDay: number }> {
	const allowed = async (limits: { perMinute?: number; perDay?: number }) => {
		const sandbox = await openSandbox({ plan, limits });
		return Number((await callApi(sandbox, 'GET /sites')).headers['x-ratelimit-remaining']) + 1;
	};
	return { perMinute: await allowed({ perDay: 1e9 }), perDay: await allowed({ perMinute: 1e9 }) };
}

async function everyPayloadIsSigned(): Promise<void> {
	const { sandbox, receiver } = await openSandboxWithReceiver();
	const { id } = sandbox.requestOffer({ anchor: 'ünïcode "quoted"' });
	sandbox.accept(id);
	sandbox.publish(id);
	sandbox.breakLink(id);
	await sandbox.settled();
	expect(receiver.received).toHaveLength(4);
	for (const { headers, body } of receiver.received) {
		expect(headers['x-pb-signature']).toBe(hmac(body));
	}
}

/** Keys as `getRows` in serviceApi.test.mts creates them. */
export const rules: Record<string, () => Promise<void>> = {
	'Authentication 1': async () => {
		const sandbox = await openSandbox();
		for (const endpoint of sandbox.endpoints) {
			const call = endpoint.replace('/api', '');
			const status = async (authorization: string | null) =>
				getError(await callApi(sandbox, call, { authorization })).code;
			expect(await status(null)).toBe('missing_token');
			expect(await status(`Basic ${sandbox.apiKey}`)).toBe('malformed_token');
			expect(await status('Bearer')).toBe('malformed_token');
			expect(await status(`Bearer ${sandbox.apiKey}x`)).toBe('invalid_token');
		}
		expect((await callApi(sandbox, 'GET /sites')).status).toBe(200);
	},
	'Authentication 2': async () => {
		const sandbox = await openSandbox();
		const key = sandbox.createApiKey('second');
		const listSites = () => callApi(sandbox, 'GET /sites', { authorization: `Bearer ${key}` });
		expect((await listSites()).status).toBe(200);
		sandbox.revokeApiKey(key);
		const rejected = await listSites();
		expect([rejected.status, getError(rejected).code]).toEqual([401, 'revoked_token']);
		expect((await callApi(sandbox, 'GET /sites')).status).toBe(200);
	},
	'Authentication 3': everyPayloadIsSigned,
	'Authentication 4': async () => {
		const sandbox = await openSandbox();
		const answer = await callApi(sandbox, 'GET /sites', { authorization: null });
		expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
	},

	...Object.fromEntries(eventRows),
	'Events 1': everyPayloadIsSigned,
	'Events 2': async () => {
		const { sandbox, receiver } = await openSandboxWithReceiver({
			delivery: { backoffMilliseconds: [1] },
		});
		receiver.answers.push(500);
		sandbox.requestOffer();
		await sandbox.settled();
		const [first, second] = receiver.received.map(({ body }) => body);
		expect(second).toBe(first);
		expect(receiver.received).toHaveLength(2);
	},
	'Events 3': async () => {
		const { sandbox } = await openSandboxWithReceiver();
		const { id } = sandbox.requestOffer();
		await callApi(sandbox, `POST /exchanges/${id}/accept`);
		await callApi(sandbox, `POST /exchanges/${id}/accept`);
		await sandbox.settled();
		expect(sandbox.books.deliveries().map(({ event, exchangeId }) => [event, exchangeId])).toEqual([
			['exchange.requested', id],
			['exchange.accepted', id],
		]);
	},

	'Errors 1': async () => {
		const sandbox = await openSandbox();
		const status = async (call: string, text?: string) =>
			(await callApi(sandbox, call, { text, headers: { 'content-type': 'application/json' } }))
				.status;
		expect(await status('GET /nothing')).toBe(404);
		expect(await status('DELETE /sites')).toBe(405);
		expect(await status('POST /sites', '{')).toBe(400);
		expect(await status('POST /sites', JSON.stringify('x'.repeat(70_000)))).toBe(413);
		sandbox.change({ plan: 'none' });
		expect(await status('GET /sites')).toBe(403);
	},
	'Errors 2': async () => {
		const sandbox = await openSandbox();
		const { origin } = sandbox;
		for (const call of [
			'GET /nothing',
			'PUT /sites',
			'POST /sites',
			'POST /exchanges//accept',
			'POST /exchanges/%zz/accept',
			'GET /%ff',
			`GET /exchanges/${'x'.repeat(600)}`,
		]) {
			getError(await callApi(sandbox, call));
		}
		const outside = await askUrl('GET', `${origin}/sites`);
		expect([outside.status, getError(outside).code]).toEqual([404, 'not_found']);
		expect((await callApi(sandbox, 'HEAD /nothing')).status).toBe(404);
	},
	'Errors 3': async () => {
		const sandbox = await openSandbox({ credits: 7 });
		const { id } = sandbox.requestOffer({ cost: 12 });
		const { code, message } = getError(await callApi(sandbox, `POST /exchanges/${id}/accept`));
		expect(code).toBe('insufficient_credits');
		expect(message.match(/\d+/g)).toEqual(['12', '7']);
		expect([sandbox.books.balance(), sandbox.books.exchange(id).status]).toEqual([7, 'pending']);
	},
	'Errors 4': async () => {
		// The last credit may be spent, but not one more.
		for (const [credits, status, left] of [
			[9, 402, 9],
			[10, 200, 0],
		] as const) {
			const sandbox = await openSandbox({ credits });
			const { id } = sandbox.requestOffer({ cost: 10 });
			expect((await callApi(sandbox, `POST /exchanges/${id}/accept`)).status).toBe(status);
			expect(sandbox.books.balance()).toBe(left);
		}
	},

	'Limits: Pro': async () => {
		expect(await getLimits('pro')).toEqual({ perMinute: 60, perDay: 10_000 });
	},
	'Limits: Agency': async () => {
		expect(await getLimits('agency')).toEqual({ perMinute: 240, perDay: 100_000 });
	},
};
