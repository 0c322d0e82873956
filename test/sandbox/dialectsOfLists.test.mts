/** Each variant of the settings of lists, as it looks on the wire. */
import { expect } from 'vitest';

import type { Dialect } from '../../sandbox/dialects.mts';
import { describeSetting } from './describeSetting.mts';
import { type Answer, ask, openSandbox } from './harness.mts';

/** The lists of two offers and one alert. */
async function lists(settings: Partial<Dialect>): Promise<{ exchanges: unknown; events: unknown }> {
	const sandbox = await openSandbox({ dialect: settings });
	sandbox.requestOffer({ id: 'e1' });
	sandbox.requestOffer({ id: 'e2' });
	sandbox.alert({ exchangeId: 'e1' });
	return {
		exchanges: (await ask(sandbox, 'GET /exchanges')).json,
		events: (await ask(sandbox, 'GET /watchdog/events')).json,
	};
}

const shape =
	(listShape: Dialect['listShape'], wrap: (records: unknown, key: string) => unknown) =>
	async () => {
		const { exchanges, events } = await lists({ listShape });
		expect(exchanges).toMatchObject(wrap([{ id: 'e1' }, { id: 'e2' }], 'exchanges') as object);
		expect(events).toMatchObject(wrap([{ exchange_id: 'e1' }], 'events') as object);
		// Nothing besides.
		expect(JSON.stringify(Object.keys(exchanges as object))).toBe(
			JSON.stringify(Object.keys(wrap([1, 2], 'exchanges') as object)),
		);
	};

describeSetting('listShape', {
	resource: shape('resource', (records, key) => ({ [key]: records })),
	array: shape('array', (records) => records),
	data: shape('data', (records) => ({ data: records })),
	items: shape('items', (records) => ({ items: records })),
	results: shape('results', (records) => ({ results: records })),
	'data-resource': shape('data-resource', (records, key) => ({ data: { [key]: records } })),
});

const eventKey = (watchdogKey: Dialect['watchdogKey']) => async () => {
	expect(Object.keys((await lists({ watchdogKey })).events as object)).toEqual([watchdogKey]);
};
describeSetting('watchdogKey', {
	events: eventKey('events'),
	watchdog_events: eventKey('watchdog_events'),
});

const ledgerKey = (key: Dialect['ledgerKey']) => async () => {
	const { json } = await ask(
		await openSandbox({ dialect: { ledgerKey: key } }),
		'GET /credits/balance',
	);
	expect(json).toMatchObject({ balance: 100, [key]: [{ amount: 100 }] });
};
describeSetting('ledgerKey', {
	ledger: ledgerKey('ledger'),
	entries: ledgerKey('entries'),
	ledger_entries: ledgerKey('ledger_entries'),
	transactions: ledgerKey('transactions'),
});

/** The three pages of five offers, two on a page, each looked for in the place that `next` knows. */
const paged =
	(pagination: Dialect['pagination'], next: (answer: Answer) => string | undefined) => async () => {
		const sandbox = await openSandbox({ dialect: { pagination, pageSize: 2 } });
		for (const id of ['e1', 'e2', 'e3', 'e4', 'e5']) sandbox.requestOffer({ id });
		const seen: string[][] = [];
		let query: string | undefined = '?status=pending';
		while (query !== undefined) {
			const answer: Answer = await ask(sandbox, `GET /exchanges${query}`);
			seen.push((answer.json as { exchanges: { id: string }[] }).exchanges.map(({ id }) => id));
			query = next(answer);
		}
		expect(seen).toEqual([['e1', 'e2'], ['e3', 'e4'], ['e5']]);
		const sites = (await ask(sandbox, 'GET /sites')).json;
		expect(sites).toMatchObject({ sites: [] });
	};
const searchOf = (url: string) => new URL(url).search;
const field = (answer: Answer, name: string) => (answer.json as Record<string, unknown>)[name];
const linked = (host: string) => (answer: Answer) => {
	const url = /^<(.+)>; rel="next"$/.exec(String(answer.headers.link))?.[1];
	if (url !== undefined) expect(new URL(url).hostname).toBe(host);
	return url === undefined ? undefined : searchOf(url);
};
describeSetting('pagination', {
	none: async () => {
		const sandbox = await openSandbox({ dialect: { pageSize: 1 } });
		sandbox.requestOffer();
		sandbox.requestOffer();
		const { json, headers } = await ask(sandbox, 'GET /exchanges');
		expect((json as { exchanges: unknown[] }).exchanges).toHaveLength(2);
		expect([Object.keys(json as object), headers.link]).toEqual([['exchanges'], undefined]);
	},
	link: paged('link', linked('127.0.0.1')),
	'link-other-origin': paged('link-other-origin', linked('localhost')),
	'has-more': (() => {
		let page = 1;
		return paged('has-more', (answer) =>
			field(answer, 'has_more') === true ? `?page=${(page += 1)}` : undefined,
		);
	})(),
	'next-url': paged('next-url', (answer) =>
		typeof field(answer, 'next') === 'string'
			? searchOf(field(answer, 'next') as string)
			: undefined,
	),
	'next-cursor': paged('next-cursor', (answer) =>
		typeof field(answer, 'next_cursor') === 'string'
			? `?page=${field(answer, 'next_cursor') as string}`
			: undefined,
	),
	'next-page': paged('next-page', (answer) =>
		typeof field(answer, 'next_page') === 'number'
			? `?page=${field(answer, 'next_page') as number}`
			: undefined,
	),
});
