/** A service whose words have no end: what is kept of them does. What it lists is the user's data, and comes out as it is. */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { Poller } from '../polling/poller.mts';
import { acceptParameters } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { operations } from './operations.mts';

useVirtualTime();

const long = 'word '.repeat(40_000);
/** In characters: some sentences, and what n8n adds to an error. */
const few = 20_000;

const errorBody = { error: { code: long, message: long, [long]: long } };
const headers = Object.fromEntries(
	['retry-after', 'location', 'content-type', 'link', 'x-ratelimit-reset'].map((name) => [
		name,
		`/${'1'.repeat(2500)}`,
	]),
);

describe.each([200, 302, 401, 403, 404, 409, 422, 429, 503])('HTTP %i', (status) => {
	test.each(operations)(
		'$resource $operation: an error is short',
		async ({ resource, operation, parameters }) => {
			const { run } = await localService((_request, response) => {
				response.writeHead(status, headers).end(JSON.stringify(errorBody));
			});
			const options = { maxRateLimitWait: 1 };
			const result = await run(resource, operation, {
				parameters: { ...parameters, options },
				items: [{ id: 'exc_1', url: 'https://a.example' }],
				continues: true,
			});
			expect(result.items.length).toBe(1);
			expect(result.items[0]?.json.error).toBeDefined();
			expect(JSON.stringify(result.items).length).toBeLessThan(few);

			const { error, run: failed } = await run(resource, operation, {
				parameters: { ...parameters, options },
				items: [{ id: 'exc_2', url: 'https://b.example' }],
			});
			expect(error).toBeDefined();
			expect(JSON.stringify(failed.data.resultData.error).length).toBeLessThan(few);
		},
	);
});

test('an ID without an end is none: nothing is asked, and no error has it', async () => {
	const { run, asked } = await localService(json([]));
	const id = 'x'.repeat(200_000);
	for (const operation of ['accept', 'get']) {
		const { error, run: failed } = await run('exchange', operation, {
			parameters: acceptParameters(),
			items: [{ id }],
		});
		expect(error?.description).toContain('too long');
		expect(JSON.stringify(failed.data.resultData.error).length).toBeLessThan(few);
	}
	expect(asked).toEqual([]);
});

test('an offer whose ID has no end is left to a person', async () => {
	const id = 'x'.repeat(200_000);
	const { acceptMany, asked } = await localService(json([{ id, status: 'pending' }]));
	const { items } = await acceptMany({ dryRun: false });
	expect(items.map(({ json: { outcome } }) => outcome)).toEqual(['undecided']);
	const said = { ...items[0]?.json, exchange: undefined };
	expect(JSON.stringify(said).length).toBeLessThan(few);
	expect(asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

const record = { id: 'exc_1', status: 'live', published_at: '2026-07-01T12:00:00Z' };
test.each<[what: string, listed: IDataObject]>([
	['ID', { ...record, id: long }],
	['status', { ...record, status: long }],
	['time', { ...record, published_at: long, accepted_at: `2026 ${long}` }],
	['severity', { exchange_id: 'exc_1', severity: long, type: long, detail: long }],
	['alert of an ID', { exchange_id: long, severity: 'critical', type: 'x', detail: 'y', id: long }],
])('%s without an end: what the polling trigger remembers is short', async (_, listed) => {
	const isAlert = 'severity' in listed;
	const { baseUrl } = await localService(({ url = '' }, response) => {
		const isAsked = url.includes('watchdog') === isAlert;
		response.end(JSON.stringify(isAsked ? [listed] : []));
	});
	const poller = new Poller({ baseUrl, apiKey: 'key_1' });
	const error: unknown = await poller.start().catch((thrown: unknown) => thrown);
	const said = error instanceof Error ? `${String(error)} ${JSON.stringify(error)}` : '';
	expect(said.length + poller.savedBytes).toBeLessThan(few);
});
