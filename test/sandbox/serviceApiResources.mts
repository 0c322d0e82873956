/** Tests for the rows of service-api.md on resources, fields and endpoints. */
import { expect } from 'vitest';

import { callApi, getError, matching, openSandbox } from './harness.mts';

export const site = { url: 'https://mine.example', niche: 'travel' };
export const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

async function addedSite(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ verification: { delayMilliseconds: 0 } });
	await callApi(sandbox, 'POST /sites', { json: site });
	const { json } = await callApi(sandbox, 'GET /sites');
	return (json as { sites: Record<string, unknown>[] }).sites[0] ?? {};
}

async function balance(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ credits: 25 });
	await callApi(sandbox, `POST /exchanges/${sandbox.requestOffer({ cost: 10 }).id}/accept`);
	return (await callApi(sandbox, 'GET /credits/balance')).json as Record<string, unknown>;
}

/**
 * Fetches an exchange in each of its states.
 *
 * @returns the records by state
 */
async function exchangeInEachState(): Promise<Record<string, Record<string, unknown>>> {
	const sandbox = await openSandbox();
	const ends = { fromSite: 'https://partner.example/', toSite: site.url };
	const { id } = sandbox.requestOffer({ anchor: 'words', ...ends });
	const seen: Record<string, Record<string, unknown>> = {};
	const steps = [
		() => undefined,
		() => callApi(sandbox, `POST /exchanges/${id}/accept`),
		() => sandbox.publish(id),
		() => sandbox.breakLink(id),
	];
	for (const step of steps) {
		await step();
		const { json } = await callApi(sandbox, 'GET /exchanges');
		const record = (json as { exchanges: Record<string, unknown>[] }).exchanges[0] ?? {};
		for (const [field, value] of Object.entries(record)) {
			seen[field] = { ...seen[field], [String(record.status)]: value };
		}
	}
	return seen;
}

/** Expected fields of each record, by the name of its resource in the document. */
const fields: Record<string, [read: () => Promise<object>, expected: Record<string, unknown>]> = {
	Site: [
		addedSite,
		{
			id: matching(/^site_.+/),
			...site,
			dr: { asymmetricMatch: Number.isInteger },
			verified: true,
			created_at: matching(isoUtc),
		},
	],
	'Credit balance': [balance, { balance: 15, lifetime_earned: 25, lifetime_spent: 10 }],
	Exchange: [
		exchangeInEachState,
		{
			id: { pending: matching(/./) },
			from_site: { pending: 'https://partner.example/' },
			to_site: { pending: site.url },
			anchor: { pending: 'words' },
			accepted_at: { pending: null, accepted: matching(isoUtc) },
			live_url: { accepted: null, live: matching(/^https:/) },
			published_at: { accepted: null, live: matching(isoUtc) },
			status: { pending: 'pending', accepted: 'accepted', live: 'live', broken: 'broken' },
		},
	],
};
const fieldRows = Object.entries(fields).flatMap(([resource, [read, expected]]) =>
	Object.entries(expected).map(([field, value]) => [
		`${resource}: ${field}`,
		async () => {
			expect(await read()).toMatchObject({ [field]: value });
		},
	]),
) as [string, () => Promise<void>][];

/** Keys as `getRows` in serviceApi.test.mts creates them. */
export const resources: Record<string, () => Promise<void>> = {
	...Object.fromEntries(fieldRows),

	'Endpoints: GET /api/sites': async () => {
		const sandbox = await openSandbox();
		sandbox.addSite(site);
		sandbox.addSite({ url: 'https://other.example', niche: 'food' });
		const answer = await callApi(sandbox, 'GET /sites');
		expect(answer.status).toBe(200);
		expect(Object.keys(answer.json as object)).toEqual(['sites']);
		expect(answer.json).toMatchObject({
			sites: [{ url: site.url }, { url: 'https://other.example' }],
		});
	},
	'Endpoints: POST /api/sites': async () => {
		let now = Date.UTC(2026, 6, 1);
		const sandbox = await openSandbox({
			clock: () => now,
			verification: { delayMilliseconds: 5_000 },
		});
		expect((await callApi(sandbox, 'POST /sites', { json: site })).status).toBe(201);
		const verified = async () =>
			(await callApi(sandbox, 'GET /sites')).json as { sites: { verified: boolean }[] };
		expect(await verified()).toMatchObject({ sites: [{ verified: false }] });
		now += 5_000;
		expect(await verified()).toMatchObject({ sites: [{ verified: true }] });
		const wrong = async (json: unknown) =>
			getError(await callApi(sandbox, 'POST /sites', { json })).code;
		expect(await wrong({ url: 5, niche: 'x' })).toBe('invalid_request');
		expect(await wrong({ url: 'https://a.example' })).toBe('invalid_request');
		expect(await wrong({ url: 'mine.example', niche: 'x' })).toBe('invalid_url');
		expect(await wrong({ ...site, url: `${site.url}/` })).toBe('site_exists');
		const noJson = await callApi(sandbox, 'POST /sites', {
			text: JSON.stringify(site),
			headers: { 'content-type': 'text/plain' },
		});
		expect([noJson.status, getError(noJson).code]).toEqual([415, 'unsupported_media_type']);
	},
	'Endpoints: GET /api/exchanges': async () => {
		const sandbox = await openSandbox();
		const [a, b] = [sandbox.requestOffer(), sandbox.requestOffer()];
		sandbox.accept(b.id);
		for (const [query, listed] of [
			['', [a, b]],
			['?status=pending', [a]],
			['?status=accepted', [b]],
			['?status=live', []],
			['?status=broken', []],
		] as const) {
			const { json } = await callApi(sandbox, `GET /exchanges${query}`);
			const { exchanges } = json as { exchanges: { id: string }[] };
			expect(exchanges.map(({ id }) => id)).toEqual(listed.map(({ id }) => id));
		}
		expect((await callApi(sandbox, 'GET /exchanges?status=all')).status).toBe(400);
	},
	'Endpoints: POST /api/exchanges/:id/accept': async () => {
		const sandbox = await openSandbox({ credits: 30 });
		const { id } = sandbox.requestOffer({ id: 'a/b?c#d', cost: 20 });
		const accept = (named: string) =>
			callApi(sandbox, `POST /exchanges/${encodeURIComponent(named)}/accept`);
		const answer = await accept(id);
		expect([answer.status, answer.json]).toMatchObject([200, { id, status: 'accepted' }]);
		expect((await accept(id)).status).toBe(409);
		const { books } = sandbox;
		expect([books.balance(), books.creditsSpentOn(id), books.acceptCount(id)]).toEqual([10, 20, 1]);
		const unknown = await accept('../credits');
		expect([unknown.status, getError(unknown).code]).toEqual([404, 'exchange_not_found']);
	},
	'Endpoints: GET /api/credits/balance': async () => {
		const { ledger, ...figures } = await balance();
		expect(Object.keys(figures)).toEqual(['balance', 'lifetime_earned', 'lifetime_spent']);
		expect(ledger).toMatchObject([{ amount: -10 }, { amount: 25 }]);
	},
	'Endpoints: GET /api/watchdog/events': async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		expect((await callApi(sandbox, 'GET /watchdog/events')).json).toEqual({ events: [] });
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [] });
		sandbox.removeLink(id);
		expect(sandbox.books.exchange(id).status).toBe('live');
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [{ id }] });
		expect((await callApi(sandbox, 'GET /watchdog/events')).json).toMatchObject({
			events: [
				{ exchange_id: id, severity: 'high', type: 'link_removed', detail: matching(/gone/) },
			],
		});
	},
};
