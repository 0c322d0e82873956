/** Scripted services fail the test that uses them wrongly, and leave nothing behind. */
import { expect, test } from 'vitest';

import { mockService } from '../engine/mockedService.mts';

/** Returns a service, and the checks that run at the end of a test. */
function createService() {
	let end = (): void => undefined;
	const service = mockService({}, (finish) => (end = finish));
	return {
		...service,
		end: () => {
			end();
		},
	};
}

test('responds as scripted, at an https address and to requests with the key', async () => {
	const { api, baseUrl, requests, run, end } = createService();
	api.get('/sites').reply(200, [{ id: 'site_1' }]);
	const { items } = await run('site', 'getAll');
	expect(items.map(({ json }) => json)).toEqual([{ id: 'site_1' }]);
	expect(baseUrl).toMatch(/^https:/);
	expect(requests).toEqual(['GET /sites']);
	end();
});

test('fails a test that sends a request without a scripted response', async () => {
	const { api, baseUrl, end } = createService();
	api.get('/sites').optionally().reply(200, []);
	const headers = { authorization: 'Bearer key_1' };
	expect((await fetch(`${baseUrl}/exchanges`, { headers })).status).toBe(501);
	expect(end).toThrow('no response scripted: GET /exchanges');
});

test('fails a test that sends a request without the key', async () => {
	const { api, baseUrl, end } = createService();
	api.get('/sites').reply(200, []);
	await fetch(`${baseUrl}/sites`);
	expect(end).toThrow('GET /sites');
});

test("fails a test that doesn't request a scripted response", () => {
	const { api, end } = createService();
	api.get('/sites').twice().reply(200, []);
	expect(end).toThrow(/^not requested: GET https.*\/api\/sites$/);
});

test('checks once per test, and then restores the modules of Node.js', () => {
	const original = globalThis.fetch;
	const ends: Array<() => void> = [];
	mockService({}, (finish) => ends.push(finish));
	mockService({}, (finish) => ends.push(finish));
	expect(ends.length).toBe(1);
	expect(globalThis.fetch).not.toBe(original);
	ends[0]?.();
	expect(globalThis.fetch).toBe(original);
});
