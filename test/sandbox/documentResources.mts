/** Tests of the rows of service-api.md that name resources, fields and endpoints. */
import { expect } from 'vitest';

import { type Answer, ask, errorOf, openSandbox } from './harness.mts';

export const site = { url: 'https://mine.example', niche: 'travel' };
export const isoUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

async function addedSite(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ verification: { delayMilliseconds: 0 } });
	await ask(sandbox, 'POST /sites', { json: site });
	const { json } = await ask(sandbox, 'GET /sites');
	return (json as { sites: Record<string, unknown>[] }).sites[0] ?? {};
}

async function balance(): Promise<Record<string, unknown>> {
	const sandbox = await openSandbox({ credits: 25 });
	await ask(sandbox, `POST /exchanges/${sandbox.requestOffer({ cost: 10 }).id}/accept`);
	return (await ask(sandbox, 'GET /credits/balance')).json as Record<string, unknown>;
}

/** An exchange as the list shows it in each of its states. */
async function exchangeInEachState(): Promise<Record<string, Record<string, unknown>>> {
	const sandbox = await openSandbox();
	const { id } = sandbox.requestOffer({
		anchor: 'words',
		fromSite: 'https://partner.example/',
		toSite: site.url,
	});
	const states: Record<string, Record<string, unknown>> = {};
	const look = async () => {
		const { json } = await ask(sandbox, 'GET /exchanges');
		const record = (json as { exchanges: Record<string, unknown>[] }).exchanges[0] ?? {};
		states[String(record.status)] = record;
	};
	await look();
	await ask(sandbox, `POST /exchanges/${id}/accept`);
	await look();
	sandbox.publish(id);
	await look();
	sandbox.breakLink(id);
	await look();
	return states;
}

const states: Record<string, (records: Record<string, Record<string, unknown>>) => void> = {
	id: ({ pending }) => {
		expect(pending?.id).toMatch(/./);
	},
	from_site: ({ pending }) => {
		expect(pending?.from_site).toBe('https://partner.example/');
	},
	to_site: ({ pending }) => {
		expect(pending?.to_site).toBe(site.url);
	},
	anchor: ({ pending }) => {
		expect(pending?.anchor).toBe('words');
	},
	accepted_at: ({ pending, accepted }) => {
		expect(pending?.accepted_at).toBeNull();
		expect(accepted?.accepted_at).toMatch(isoUtc);
	},
	live_url: ({ accepted, live }) => {
		expect(accepted?.live_url).toBeNull();
		expect(live?.live_url).toMatch(/^https:/);
	},
	published_at: ({ accepted, live }) => {
		expect(accepted?.published_at).toBeNull();
		expect(live?.published_at).toMatch(isoUtc);
	},
	status: (records) => {
		expect(Object.keys(records)).toEqual(['pending', 'accepted', 'live', 'broken']);
	},
};

const exchangeRows = Object.fromEntries(
	Object.entries(states).map(([field, check]) => [
		`Exchange: ${field}`,
		async () => {
			check(await exchangeInEachState());
		},
	]),
);

/** Keys as `rowsOf` in document.test.mts makes them. */
export const resources: Record<string, () => Promise<void>> = {
	'Site: id': async () => {
		expect((await addedSite()).id).toMatch(/^site_.+/);
	},
	'Site: url': async () => {
		expect((await addedSite()).url).toBe(site.url);
	},
	'Site: niche': async () => {
		expect((await addedSite()).niche).toBe(site.niche);
	},
	'Site: dr': async () => {
		expect(Number.isInteger((await addedSite()).dr)).toBe(true);
	},
	'Site: verified': async () => {
		expect((await addedSite()).verified).toBe(true);
	},
	'Site: created_at': async () => {
		expect((await addedSite()).created_at).toMatch(isoUtc);
	},
	'Credit balance: balance': async () => {
		expect((await balance()).balance).toBe(15);
	},
	'Credit balance: lifetime_earned': async () => {
		expect((await balance()).lifetime_earned).toBe(25);
	},
	'Credit balance: lifetime_spent': async () => {
		expect((await balance()).lifetime_spent).toBe(10);
	},
	...exchangeRows,

	'Endpoints: GET /api/sites': async () => {
		const sandbox = await openSandbox();
		sandbox.addSite(site);
		sandbox.addSite({ url: 'https://other.example', niche: 'food' });
		const answer = await ask(sandbox, 'GET /sites');
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
		expect((await ask(sandbox, 'POST /sites', { json: site })).status).toBe(201);
		const verified = async () =>
			(await ask(sandbox, 'GET /sites')).json as { sites: { verified: boolean }[] };
		expect(await verified()).toMatchObject({ sites: [{ verified: false }] });
		now += 5_000;
		expect(await verified()).toMatchObject({ sites: [{ verified: true }] });
		const wrong = async (json: unknown) =>
			errorOf(await ask(sandbox, 'POST /sites', { json })).code;
		expect(await wrong({ url: 5, niche: 'x' })).toBe('invalid_request');
		expect(await wrong({ url: 'https://a.example' })).toBe('invalid_request');
		expect(await wrong({ url: 'mine.example', niche: 'x' })).toBe('invalid_url');
		expect(await wrong({ ...site, url: `${site.url}/` })).toBe('site_exists');
		const noJson = await ask(sandbox, 'POST /sites', {
			text: JSON.stringify(site),
			headers: { 'content-type': 'text/plain' },
		});
		expect([noJson.status, errorOf(noJson).code]).toEqual([415, 'unsupported_media_type']);
	},
	'Endpoints: GET /api/exchanges': async () => {
		const sandbox = await openSandbox();
		const [a, b] = [sandbox.requestOffer(), sandbox.requestOffer()];
		sandbox.accept(b.id);
		const ids = (answer: Answer) =>
			(answer.json as { exchanges: { id: string }[] }).exchanges.map(({ id }) => id);
		expect(ids(await ask(sandbox, 'GET /exchanges'))).toEqual([a.id, b.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=pending'))).toEqual([a.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=accepted'))).toEqual([b.id]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=live'))).toEqual([]);
		expect(ids(await ask(sandbox, 'GET /exchanges?status=broken'))).toEqual([]);
		expect((await ask(sandbox, 'GET /exchanges?status=all')).status).toBe(400);
	},
	'Endpoints: POST /api/exchanges/:id/accept': async () => {
		const sandbox = await openSandbox({ credits: 30 });
		const { id } = sandbox.requestOffer({ id: 'a/b?c#d', cost: 20 });
		const answer = await ask(sandbox, `POST /exchanges/${encodeURIComponent(id)}/accept`);
		expect(answer.status).toBe(200);
		expect(answer.json).toMatchObject({ id, status: 'accepted' });
		expect([
			sandbox.books.balance(),
			sandbox.books.creditsSpentOn(id),
			sandbox.books.acceptsOf(id),
		]).toEqual([10, 20, 1]);
		expect((await ask(sandbox, `POST /exchanges/${encodeURIComponent(id)}/accept`)).status).toBe(
			409,
		);
		expect(sandbox.books.acceptsOf(id)).toBe(1);
		const unknown = await ask(
			sandbox,
			`POST /exchanges/${encodeURIComponent('../credits')}/accept`,
		);
		expect([unknown.status, errorOf(unknown).code]).toEqual([404, 'exchange_not_found']);
	},
	'Endpoints: GET /api/credits/balance': async () => {
		expect(await balance()).toMatchObject({
			balance: 15,
			lifetime_earned: 25,
			lifetime_spent: 10,
			ledger: [{ amount: -10 }, { amount: 25 }],
		});
	},
	'Endpoints: GET /api/watchdog/events': async () => {
		const sandbox = await openSandbox();
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		expect((await ask(sandbox, 'GET /watchdog/events')).json).toEqual({ events: [] });
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [] });
		sandbox.removeLink(id);
		expect(sandbox.books.exchange(id).status).toBe('live');
		expect(sandbox.checkLinks()).toMatchObject({ checked: 1, broken: [{ id }] });
		expect((await ask(sandbox, 'GET /watchdog/events')).json).toMatchObject({
			events: [
				{
					exchange_id: id,
					severity: 'critical',
					type: 'link_removed',
					detail: expect.stringContaining('gone') as string,
				},
			],
		});
	},
};
