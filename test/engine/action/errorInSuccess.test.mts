/** A 2xx that carries an error is an error, whatever else is in it: nothing is read from it. */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { Poller } from '../polling/poller.mts';
import { acceptParameters } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

/** What a reading operation is asked for, and what it could take from the body besides the error. */
const readings: Array<[string, string, INodeParameters, object]> = [
	['site', 'getAll', {}, { sites: [{ id: 'site_1' }] }],
	['exchange', 'getAll', {}, { exchanges: [{ id: 'exc_1', status: 'pending' }] }],
	['exchange', 'get', acceptParameters('exc_1'), { data: [{ id: 'exc_1', status: 'live' }] }],
	[
		'exchange',
		'accept',
		acceptParameters('exc_1'),
		{ items: [{ id: 'exc_1', status: 'pending' }] },
	],
	['watchdogEvent', 'getAll', {}, { events: [{ exchange_id: 'exc_1' }] }],
	['credit', 'getBalance', {}, { balance: 5, lifetime_earned: 5, lifetime_spent: 0 }],
	['credit', 'getLedger', {}, { balance: 5, ledger: [{ id: 'led_1' }] }],
];

/** Two of those that test/unit/shared/reading/failure.test.mts lists. */
const denials: object[] = [
	{ error: { code: 'stale', message: 'Come back later' } },
	{ success: false },
];

describe.each(readings)('%s %s', (resource, operation, parameters, body) => {
	test.each(denials)('with %j', async (denial) => {
		const { run, asked } = await localService(json({ ...body, ...denial }));
		const { items, error } = await run(resource, operation, { parameters });
		expect(items).toEqual([]);
		expect(error?.message).toContain('The service declined to');
		expect(`${error?.description}`).toMatch(/HTTP 200|Come back later/);
		expect(asked.map(({ method }) => method)).toEqual(['GET']);
	});

	test('fields that say that all is well do no harm', async () => {
		const { run } = await localService(
			json({
				...body,
				error: null,
				errors: [],
				success: true,
				ok: 1,
				status: 'success',
				error_code: 0,
			}),
		);
		const { error } = await run(resource, operation, { parameters });
		// The offer stays pending there; all others are read.
		if (operation === 'accept') expect(error?.message).toContain('It is not known whether');
		else expect(error?.message).toBeUndefined();
	});
});

test.each(denials)('the polling trigger does not take it for news: %j', async (denial) => {
	const { baseUrl } = await localService(json({ exchanges: [{ id: 'exc_1' }], ...denial }));
	const poller = new Poller({ baseUrl, apiKey: 'key' }, { events: ['exchange.requested'] });
	await expect(poller.start()).rejects.toThrow('The service declined to list the exchanges');
});
