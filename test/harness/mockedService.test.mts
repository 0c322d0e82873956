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
