/** Each variant of the settings of lists, as it looks on the wire. */
import { expect } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { type Answer, ask, describeSetting, namesOf, openSandbox } from './harness.mts';

const shapes = {
	resource: (records: unknown, key: string): object => ({ [key]: records }),
	array: (records: unknown) => records as object,
	data: (records: unknown) => ({ data: records }),
	items: (records: unknown) => ({ items: records }),
	results: (records: unknown) => ({ results: records }),
	'data-resource': (records: unknown, key: string) => ({ data: { [key]: records } }),
};
describeSetting('listShape', shapes, async (dialect, wrap) => {
	const sandbox = await openSandbox({ dialect });
	for (const id of ['e1', 'e2']) sandbox.requestOffer({ id });
	sandbox.alert({ exchangeId: 'e1' });
	const exchanges = (await ask(sandbox, 'GET /exchanges')).json;
	expect(exchanges).toMatchObject(wrap([{ id: 'e1' }, { id: 'e2' }], 'exchanges'));
	// Nothing besides.
	expect(Object.keys(exchanges as object)).toEqual(Object.keys(wrap([1, 2], 'exchanges')));
	expect((await ask(sandbox, 'GET /watchdog/events')).json).toMatchObject(
		wrap([{ exchange_id: 'e1' }], 'events'),
	);
});

describeSetting('watchdogKey', namesOf('watchdogKey'), async (dialect, key) => {
	const { json } = await ask(await openSandbox({ dialect }), 'GET /watchdog/events');
	expect(Object.keys(json as object)).toEqual([key]);
});

describeSetting('ledgerKey', namesOf('ledgerKey'), async (dialect, key) => {
	const { json } = await ask(await openSandbox({ dialect }), 'GET /credits/balance');
	expect(json).toMatchObject({ balance: 100, [key]: [{ amount: 100 }] });
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
