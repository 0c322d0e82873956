/** Each variant of the settings of errors, as it looks on the wire. */
import { expect } from 'vitest';

import { ask, describeSetting, errorOf, namesOf, openSandbox } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);

describeSetting('insufficientCredits', namesOf('insufficientCredits'), async (dialect, status) => {
	// Even where a proxy replaces the other errors' bodies.
	const sandbox = await openSandbox({ credits: 0, dialect: { ...dialect, errorBody: 'html' } });
	sandbox.requestOffer({ id: 'e1' });
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
	expect([answer.status, errorOf(answer).code]).toEqual([Number(status), 'insufficient_credits']);
});

const refusals = {
	'retry-after-json': ['60', 'rate_limit_exceeded'],
	json: [undefined, 'rate_limit_exceeded'],
	'retry-after-text': ['60', undefined],
	text: [undefined, undefined],
	'retry-date-json': ['Wed, 01 Jul 2026 12:01:01 GMT', 'rate_limit_exceeded'],
};
describeSetting('limitExceeded', refusals, async (dialect, [retryAfter, code]) => {
	const sandbox = await openSandbox({ dialect, limits: { perMinute: 1 }, clock: () => now });
	await ask(sandbox, 'GET /sites');
	const answer = await ask(sandbox, 'GET /sites');
	expect([answer.status, answer.headers['retry-after']]).toEqual([429, retryAfter]);
	if (code === undefined) expect(answer.json).toBeUndefined();
	else expect(errorOf(answer).code).toBe(code);
});

const types = { json: 'application/json', text: 'text/plain', html: 'text/html' };

describeSetting('invalidToken', namesOf('invalidToken'), async (dialect, variant) => {
	const [status, form] = variant.split('-') as [string, keyof typeof types];
	const sandbox = await openSandbox({ dialect });
	const answer = await ask(sandbox, 'GET /sites', { authorization: 'Bearer wrong' });
	expect(answer.status).toBe(Number(status));
	expect(answer.headers['content-type']).toContain(types[form]);
	if (form === 'json') expect(errorOf(answer).code).toBe('invalid_token');
	else expect(answer.json).toBeUndefined();
});

const bodies = { documented: types.json, html: types.html, text: types.text };
describeSetting('errorBody', bodies, async (dialect, type) => {
	const sandbox = await openSandbox({ dialect });
	for (const call of ['GET /nothing', 'POST /exchanges/none/accept', 'PUT /sites']) {
		const answer = await ask(sandbox, call);
		expect(answer.headers['content-type']).toContain(type);
		if (type === types.json) errorOf(answer);
		else expect(answer.json).toBeUndefined();
	}
});
