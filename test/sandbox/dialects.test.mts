/**
 * Each variant of the settings of writes, records and times, as it looks on the wire. Those of lists and errors: dialectsOfLists.test.mts and
 * dialectsOfErrors.test.mts; those of deliveries: signature.test.mts and deliveries.test.mts.
 */
import { describe, expect, it } from 'vitest';

import { type Dialect, dialectVariants } from '../../sandbox/dialects.mts';
import { describeSetting } from './describeSetting.mts';
import { type Answer, ask, errorOf, openSandbox } from './harness.mts';

const now = Date.UTC(2026, 6, 1, 12, 0, 0, 500);
const noon = '2026-07-01T12:00:00';
const minuteLater = Math.ceil((now + 60_000) / 1000);

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
