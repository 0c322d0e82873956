/**
 * Variants as they look on the wire, of settings that the probe cannot show (its tests hold the others, test/probe/seenBy.mts), or
 * whose figures have to be exact. Those of deliveries: deliveries.test.mts; of answers that mislead: doubtfulAnswers.test.mts.
 */
import { expect, it } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { type Answer, ask, describeSetting, errorOf, namesOf, openSandbox } from './harness.mts';

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

/** The address of the next page, if the Link header names one, which has to be at this host. */
const linked = (host: string) => (answer: Answer) => {
	const url = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
	if (url !== undefined) expect(new URL(url).hostname).toBe(host);
	return url === undefined ? undefined : new URL(url).search;
};
/** The query that the next page has by a field of the answer, which is null on the last one. */
const named =
	(name: string, type: string, query: (value: string) => string) => (answer: Answer) => {
		const value = (answer.json as Record<string, unknown>)[name];
		return typeof value === type ? query(String(value)) : undefined;
	};
const ofPage = (page: string) => `?page=${page}`;
const nextPages: Record<
	Dialect['pagination'],
	(answer: Answer, page: number) => string | undefined
> = {
	none: ({ headers, json }) => {
		expect([Object.keys(json as object), headers.link]).toEqual([['exchanges'], undefined]);
		return undefined;
	},
	link: linked('127.0.0.1'),
	'link-other-origin': linked('localhost'),
	'has-more': ({ json }, page) =>
		(json as { has_more: unknown }).has_more === true ? ofPage(String(page + 1)) : undefined,
	'next-url': named('next', 'string', (url) => new URL(url).search),
	'next-cursor': named('next_cursor', 'string', ofPage),
	'next-page': named('next_page', 'number', ofPage),
};
describeSetting('pagination', nextPages, async (dialect, next) => {
	const sandbox = await openSandbox({ dialect: { ...dialect, pageSize: 2 } });
	const ids = ['e1', 'e2', 'e3', 'e4', 'e5'];
	for (const id of ids) sandbox.requestOffer({ id });
	const seen: string[][] = [];
	let query: string | undefined = '?status=pending';
	while (query !== undefined) {
		const answer: Answer = await ask(sandbox, `GET /exchanges${query}`);
		seen.push((answer.json as { exchanges: { id: string }[] }).exchanges.map(({ id }) => id));
		query = next(answer, seen.length);
	}
	const pages = [['e1', 'e2'], ['e3', 'e4'], ['e5']];
	expect(seen).toEqual(dialect.pagination === 'none' ? [ids] : pages);
	expect((await ask(sandbox, 'GET /sites')).json).toMatchObject({ sites: [] });
});

it('the clock skew shows in the Date and reset headers', async () => {
	const sandbox = await openSandbox({ dialect: { clockSkewSeconds: -3600 }, clock: () => now });
	const { headers } = await ask(sandbox, 'GET /sites');
	expect(headers.date).toBe('Wed, 01 Jul 2026 11:00:00 GMT');
	expect(headers['x-ratelimit-reset']).toBe(String(minuteLater - 3600));
});
