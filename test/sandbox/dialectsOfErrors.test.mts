/** Each variant of the settings of errors, as it looks on the wire. */
import { expect } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { describeSetting } from './describeSetting.mts';
import { ask, errorOf, openSandbox } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);

const poor = (insufficientCredits: Dialect['insufficientCredits']) => async () => {
	// Even where a proxy replaces the other errors' bodies.
	const sandbox = await openSandbox({
		credits: 0,
		dialect: { insufficientCredits, errorBody: 'html' },
	});
	sandbox.requestOffer({ id: 'e1' });
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
	expect([answer.status, errorOf(answer).code]).toEqual([
		Number(insufficientCredits),
		'insufficient_credits',
	]);
};
describeSetting('insufficientCredits', {
	'402': poor('402'),
	'400': poor('400'),
	'403': poor('403'),
	'409': poor('409'),
	'422': poor('422'),
});

const exceeded =
	(limitExceeded: Dialect['limitExceeded'], retryAfter: string | undefined, isJson: boolean) =>
	async () => {
		const sandbox = await openSandbox({
			dialect: { limitExceeded },
			limits: { perMinute: 1 },
			clock: () => now,
		});
		await ask(sandbox, 'GET /sites');
		const answer = await ask(sandbox, 'GET /sites');
		expect([answer.status, answer.headers['retry-after']]).toEqual([429, retryAfter]);
		if (isJson) expect(errorOf(answer).code).toBe('rate_limit_exceeded');
		else expect(answer.json).toBeUndefined();
	};
describeSetting('limitExceeded', {
	'retry-after-json': exceeded('retry-after-json', '60', true),
	json: exceeded('json', undefined, true),
	'retry-after-text': exceeded('retry-after-text', '60', false),
	text: exceeded('text', undefined, false),
	'retry-date-json': exceeded('retry-date-json', 'Wed, 01 Jul 2026 12:01:01 GMT', true),
});

const badToken = (invalidToken: Dialect['invalidToken']) => async () => {
	const [status, form] = invalidToken.split('-');
	const sandbox = await openSandbox({ dialect: { invalidToken } });
	const answer = await ask(sandbox, 'GET /sites', { authorization: 'Bearer wrong' });
	expect(answer.status).toBe(Number(status));
	expect(answer.headers['content-type']).toContain(
		{ json: 'application/json', text: 'text/plain', html: 'text/html' }[form ?? ''],
	);
	if (form === 'json') expect(errorOf(answer).code).toBe('invalid_token');
	else expect(answer.json).toBeUndefined();
};
describeSetting('invalidToken', {
	'401-json': badToken('401-json'),
	'403-json': badToken('403-json'),
	'401-text': badToken('401-text'),
	'403-text': badToken('403-text'),
	'401-html': badToken('401-html'),
	'403-html': badToken('403-html'),
});

const errors = (errorBody: Dialect['errorBody'], type: string) => async () => {
	const sandbox = await openSandbox({ dialect: { errorBody } });
	for (const call of ['GET /nothing', 'POST /exchanges/none/accept', 'PUT /sites']) {
		const answer = await ask(sandbox, call);
		expect(answer.headers['content-type']).toContain(type);
		if (errorBody === 'documented') errorOf(answer);
		else expect(answer.json).toBeUndefined();
	}
};
describeSetting('errorBody', {
	documented: errors('documented', 'application/json'),
	html: errors('html', 'text/html'),
	text: errors('text', 'text/plain'),
});
