/**
 * Variants as they look on the wire, of settings that the probe cannot show (its tests hold the others, test/probe/seenBy.mts), or
 * whose figures have to be exact. Those of deliveries: deliveries.test.mts; of answers that mislead: doubtfulAnswers.test.mts.
 */
import { expect } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { ask, describeSetting, errorOf, matching, namesOf, openSandbox } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);
const minuteLater = Math.ceil((now + 60_000) / 1000);

describeSetting('createSite', namesOf('createSite'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	const json = { url: 'https://mine.example', niche: 'x' };
	const answer = await ask(sandbox, 'POST /sites', { json });
	expect(sandbox.books.sites()).toHaveLength(1);
	const [status, form = ''] = variant.split('-');
	const record = { url: json.url, verified: false };
	const bodies: Record<string, object> = {
		record,
		envelope: { site: record },
		data: { data: record },
	};
	expect(answer.status).toBe(Number(status));
	if (form === 'empty') expect(answer.text).toBe('');
	else expect(answer.json).toMatchObject(bodies[form] ?? {});
});

describeSetting('acceptAgain', namesOf('acceptAgain'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	sandbox.requestOffer({ id: 'e1' });
	await ask(sandbox, 'POST /exchanges/e1/accept');
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
	expect(answer.status).toBe(Number.parseInt(variant));
	if (answer.status === 200) expect(answer.json).toMatchObject({ id: 'e1', status: 'accepted' });
	else expect(errorOf(answer).code).toBe('exchange_not_pending');
	expect(sandbox.books.acceptsOf('e1')).toBe(variant === '200-charged-again' ? 2 : 1);
});

const resets = {
	'epoch-seconds': String(minuteLater),
	'epoch-milliseconds': String(now + 60_000),
	'delta-seconds': '60',
	'iso-8601': '2026-07-01T12:01:01.000Z',
	'http-date': 'Wed, 01 Jul 2026 12:01:01 GMT',
};
describeSetting('rateLimitReset', resets, async (dialect, value) => {
	const sandbox = await openSandbox({ dialect, clock: () => now });
	expect((await ask(sandbox, 'GET /sites')).headers['x-ratelimit-reset']).toBe(value);
});

describeSetting('insufficientCredits', namesOf('insufficientCredits'), async (dialect, status) => {
	// Even where a proxy replaces the other errors' bodies.
	const sandbox = await openSandbox({ credits: 0, dialect: { ...dialect, errorBody: 'html' } });
	expect((await ask(sandbox, 'GET /nothing')).text).toMatch(/^<html>.*404/);
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

/** What says that there is more: on the first page, and on the last. */
const signsOfMore: Record<Dialect['pagination'], [first: object, last: object]> = {
	none: [{}, {}],
	link: [{ link: matching(/^<http:\/\/127\..+&page=2>; rel="next"$/) }, {}],
	'link-other-origin': [{ link: matching(/^<http:\/\/localhost:.+&page=2>; rel="next"$/) }, {}],
	'has-more': [{ has_more: true }, { has_more: false }],
	'next-url': [{ next: matching(/^http:.+&page=2$/) }, { next: null }],
	'next-cursor': [{ next_cursor: '2' }, { next_cursor: null }],
	'next-page': [{ next_page: 2 }, { next_page: null }],
};
describeSetting('pagination', signsOfMore, async (dialect, [first, last]) => {
	const sandbox = await openSandbox({ dialect: { ...dialect, pageSize: 2 } });
	for (const id of ['a', 'b', 'c']) sandbox.requestOffer({ id });
	const page = async (number: number) => {
		const { json, headers } = await ask(sandbox, `GET /exchanges?status=pending&page=${number}`);
		const { exchanges, ...signs } = json as { exchanges: { id: string }[] };
		const ids = exchanges.map(({ id }) => id).join('');
		return [ids, { ...signs, ...(headers.link !== undefined && { link: headers.link }) }];
	};
	const isWhole = dialect.pagination === 'none';
	expect(await page(1)).toEqual([isWhole ? 'abc' : 'ab', first]);
	expect(await page(2)).toEqual([isWhole ? 'abc' : 'c', last]);
});
