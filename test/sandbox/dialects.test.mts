/**
 * Each variant of each setting of the API, as it looks on the wire (those of deliveries: signature.test.mts and deliveries.test.mts).
 * TypeScript refuses a setting that leaves a variant out.
 */
import { describe, expect, it } from 'vitest';

import { type Dialect, type DialectSetting, dialectVariants } from '../../sandbox/dialects.mts';
import { type Answer, ask, errorOf, openSandbox } from './harness.mts';

type Checks<Setting extends DialectSetting> = Record<
	(typeof dialectVariants)[Setting][number],
	() => Promise<void>
>;

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);
const noon = '2026-07-01T12:00:00';
const minuteLater = Math.ceil((now + 60_000) / 1000);

function describeSetting<Setting extends DialectSetting>(
	setting: Setting,
	checks: Checks<Setting>,
): void {
	describe(setting, () => {
		for (const [variant, check] of Object.entries<() => Promise<void>>(checks)) it(variant, check);
	});
}

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

/** Every variant that reads `status-form`. */
function writes<Variant extends string>(
	variants: readonly Variant[],
	name: 'site' | 'exchange',
	write: (variant: Variant) => Promise<Answer>,
	record: object,
): Record<Variant, () => Promise<void>> {
	const bodies: Record<string, object | undefined> = {
		record,
		envelope: { [name]: record },
		data: { data: record },
		empty: undefined,
	};
	return Object.fromEntries(
		variants.map((variant) => [
			variant,
			async () => {
				const [status, form = ''] = variant.split('-');
				const answer = await write(variant);
				expect(answer.status).toBe(Number(status));
				const expected = bodies[form];
				if (expected) expect(answer.json).toMatchObject(expected);
				else expect(answer.text).toBe('');
			},
		]),
	) as Record<Variant, () => Promise<void>>;
}

describeSetting(
	'createSite',
	writes(
		dialectVariants.createSite,
		'site',
		async (createSite) => {
			const sandbox = await openSandbox({ dialect: { createSite } });
			const answer = await ask(sandbox, 'POST /sites', {
				json: { url: 'https://mine.example', niche: 'x' },
			});
			expect(sandbox.books.sites()).toHaveLength(1);
			return answer;
		},
		{ url: 'https://mine.example', verified: false },
	),
);
describeSetting(
	'accept',
	writes(
		dialectVariants.accept,
		'exchange',
		async (accept) => {
			const sandbox = await openSandbox({ dialect: { accept } });
			sandbox.requestOffer({ id: 'e1' });
			const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
			expect(sandbox.books.acceptsOf('e1')).toBe(1);
			return answer;
		},
		{ id: 'e1', status: 'accepted' },
	),
);

const again = (acceptAgain: Dialect['acceptAgain'], deductions: number) => async () => {
	const sandbox = await openSandbox({ dialect: { acceptAgain } });
	sandbox.requestOffer({ id: 'e1' });
	await ask(sandbox, 'POST /exchanges/e1/accept');
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
	expect(answer.status).toBe(Number.parseInt(acceptAgain));
	if (answer.status === 200) expect(answer.json).toMatchObject({ id: 'e1', status: 'accepted' });
	else expect(errorOf(answer).code).toBe('exchange_not_pending');
	expect(sandbox.books.acceptsOf('e1')).toBe(deductions);
};
describeSetting('acceptAgain', {
	'409': again('409', 1),
	'404': again('404', 1),
	'422': again('422', 1),
	'400': again('400', 1),
	'200': again('200', 1),
	'200-charged-again': again('200-charged-again', 2),
});

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

const reset = (rateLimitReset: Dialect['rateLimitReset'], value: string) => async () => {
	const sandbox = await openSandbox({ dialect: { rateLimitReset }, clock: () => now });
	expect((await ask(sandbox, 'GET /sites')).headers['x-ratelimit-reset']).toBe(value);
};
describeSetting('rateLimitReset', {
	'epoch-seconds': reset('epoch-seconds', String(minuteLater)),
	'epoch-milliseconds': reset('epoch-milliseconds', String(now + 60_000)),
	'delta-seconds': reset('delta-seconds', '60'),
	'iso-8601': reset('iso-8601', '2026-07-01T12:01:01.000Z'),
	'http-date': reset('http-date', 'Wed, 01 Jul 2026 12:01:01 GMT'),
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

const times = (variant: Dialect['times'], value: string | number) => async () => {
	const sandbox = await openSandbox({ dialect: { times: variant }, clock: () => now });
	sandbox.accept(sandbox.requestOffer().id);
	expect((await ask(sandbox, 'GET /exchanges')).json).toMatchObject({
		exchanges: [{ accepted_at: value, published_at: null }],
	});
	expect(JSON.parse(sandbox.books.deliveries().at(-1)?.body ?? '')).toMatchObject({
		accepted_at: value,
	});
	sandbox.addSite({ url: 'https://mine.example', niche: 'x' });
	expect((await ask(sandbox, 'GET /sites')).json).toMatchObject({
		sites: [{ created_at: `${noon}.500Z` }],
	});
};
describeSetting('times', {
	'iso-8601-milliseconds': times('iso-8601-milliseconds', `${noon}.500Z`),
	'iso-8601-seconds': times('iso-8601-seconds', `${noon}Z`),
	'epoch-seconds': times('epoch-seconds', Math.floor(now / 1000)),
	'epoch-milliseconds': times('epoch-milliseconds', now),
});

const reference =
	(siteReference: Dialect['siteReference'], expected: (id: string, url: string) => unknown) =>
	async () => {
		const sandbox = await openSandbox({ dialect: { siteReference } });
		const { id, url } = sandbox.addSite({ url: 'https://mine.example', niche: 'x' });
		sandbox.requestOffer({ toSite: url });
		expect((await ask(sandbox, 'GET /exchanges')).json).toMatchObject({
			exchanges: [{ to_site: expected(id, url) }],
		});
	};
describeSetting('siteReference', {
	url: reference('url', (_id, url) => url),
	id: reference('id', (id) => id),
	object: reference('object', (id, url) => ({ id, url })),
});

describe('the clock skew', () => {
	it('shows in the Date and reset headers', async () => {
		const sandbox = await openSandbox({ dialect: { clockSkewSeconds: -3600 }, clock: () => now });
		const { headers } = await ask(sandbox, 'GET /sites');
		expect(headers.date).toBe('Wed, 01 Jul 2026 11:00:00 GMT');
		expect(headers['x-ratelimit-reset']).toBe(String(minuteLater - 3600));
	});
});
