/**
 * Each variant of the settings of writes, records and times, as it looks on the wire. Those of lists and errors: dialectsOfLists.test.mts and
 * dialectsOfErrors.test.mts; those of deliveries: signature.test.mts and deliveries.test.mts.
 */
import { expect, it } from 'vitest';

import { type Answer, ask, describeSetting, errorOf, namesOf, openSandbox } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);
const noon = '2026-07-01T12:00:00';
const mine = { url: 'https://mine.example', niche: 'x' };
const minuteLater = Math.ceil((now + 60_000) / 1000);

/** A write answers with the status and in the form that the variant is named after. */
function expectWritten(answer: Answer, variant: string, name: string, record: object): void {
	const [status, form = ''] = variant.split('-');
	const bodies: Record<string, object> = {
		record,
		envelope: { [name]: record },
		data: { data: record },
	};
	expect(answer.status).toBe(Number(status));
	if (form === 'empty') expect(answer.text).toBe('');
	else expect(answer.json).toMatchObject(bodies[form] ?? {});
}

describeSetting('createSite', namesOf('createSite'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	const answer = await ask(sandbox, 'POST /sites', { json: mine });
	expect(sandbox.books.sites()).toHaveLength(1);
	expectWritten(answer, variant, 'site', { url: mine.url, verified: false });
});

describeSetting('accept', namesOf('accept'), async (dialect, variant) => {
	const sandbox = await openSandbox({ dialect });
	sandbox.requestOffer({ id: 'e1' });
	const answer = await ask(sandbox, 'POST /exchanges/e1/accept');
	expect(sandbox.books.acceptsOf('e1')).toBe(1);
	expectWritten(answer, variant, 'exchange', { id: 'e1', status: 'accepted' });
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

const times = {
	'iso-8601-milliseconds': `${noon}.500Z`,
	'iso-8601-seconds': `${noon}Z`,
	'epoch-seconds': Math.floor(now / 1000),
	'epoch-milliseconds': now,
};
describeSetting('times', times, async (dialect, accepted_at: string | number) => {
	const sandbox = await openSandbox({ dialect, clock: () => now });
	sandbox.accept(sandbox.requestOffer().id);
	expect((await ask(sandbox, 'GET /exchanges')).json).toMatchObject({
		exchanges: [{ accepted_at, published_at: null }],
	});
	expect(JSON.parse(sandbox.books.deliveries().at(-1)?.body ?? '')).toMatchObject({ accepted_at });
	sandbox.addSite(mine);
	expect((await ask(sandbox, 'GET /sites')).json).toMatchObject({
		sites: [{ created_at: `${noon}.500Z` }],
	});
});

const references = {
	url: (_id: string, url: string): unknown => url,
	id: (id: string) => id,
	object: (id: string, url: string) => ({ id, url }),
};
describeSetting('siteReference', references, async (dialect, expected) => {
	const sandbox = await openSandbox({ dialect });
	const { id, url } = sandbox.addSite(mine);
	sandbox.requestOffer({ toSite: url });
	expect((await ask(sandbox, 'GET /exchanges')).json).toMatchObject({
		exchanges: [{ to_site: expected(id, url) }],
	});
});

it('the clock skew shows in the Date and reset headers', async () => {
	const sandbox = await openSandbox({ dialect: { clockSkewSeconds: -3600 }, clock: () => now });
	const { headers } = await ask(sandbox, 'GET /sites');
	expect(headers.date).toBe('Wed, 01 Jul 2026 11:00:00 GMT');
	expect(headers['x-ratelimit-reset']).toBe(String(minuteLater - 3600));
});
