/** Lists from which a user chooses instead of typing, called as n8n calls them. */
import { expect, test } from 'vitest';

import { nodeTypes, packageName } from './engine.mts';
import { mockService } from './mockedService.mts';
import { setUpWithOffer, startTestService } from './service.mts';

/** The nodes with lists. */
const nodes = ['backlinkExchange', 'backlinkExchangeTrigger'].map(
	(name) => `${packageName}.${name}`,
);

/** Returns the names of all list methods of a kind that the fields of a node use. */
function getMethods(part: unknown, kind: string): string[] {
	if (typeof part !== 'object' || part === null) return [];
	return Object.entries(part).flatMap(([name, value]) =>
		name === kind ? [String(value)] : getMethods(value, kind),
	);
}

test.each(nodes)('%s has every list that its fields use, and no other', (type) => {
	const { description, methods = {} } = nodeTypes().getByNameAndVersion(type);
	const used = (kind: string) => [...new Set(getMethods(description.properties, kind))].sort();
	expect(Object.keys(methods.listSearch ?? {}).sort()).toEqual(used('searchListMethod'));
	expect(Object.keys(methods.loadOptions ?? {})).toEqual(used('loadOptionsMethod'));
	expect(used('loadOptionsMethod')).toEqual(['getSites']);
});

test('lists the sites of the account by URL and niche', async () => {
	const { api, search, loadSites } = mockService();
	api.get('/sites').reply(200, {
		sites: [
			{ id: 'site_1', url: 'https://www.tea.example/', niche: 'tea' },
			{ id: 'site_2', url: 'https://garden.example/a,b;c، |d', niche: '' },
			{ id: 3 },
		],
	});
	const sites = [
		{ name: 'www.tea.example · “tea” · site_1', value: 'https://www.tea.example/' },
		{
			name: '“https://garden.example/a,b;c، |d”',
			value: 'site_2',
		},
		{ name: '“3”', value: '3' },
	];
	expect(await search('searchSites')).toEqual(sites);
	expect(await search('searchSites', ' GARDEN')).toEqual([sites[1]]);
	expect(await search('searchSites', 'site_1')).toEqual([sites[0]]);
	for (const type of nodes) expect(await loadSites(type)).toEqual(sites);
});

test('lists offers by sites, anchor and ID, exchanges also by status, and searches them', async () => {
	const { sandbox, search, offer } = await setUpWithOffer({}, { anchor: 'garden chairs' });
	const { id: tea } = sandbox.requestOffer({ anchor: 'tea pots' });
	const { id: accepted } = sandbox.accept(sandbox.requestOffer({ anchor: 'garden gnomes' }).id);
	const shown = `^\\S+ → \\S+ · “garden chairs” · ${offer.id}`;
	const getValues = async (...typed: Parameters<typeof search>) =>
		(await search(...typed)).map(({ value }) => value).sort();

	expect(await getValues('searchPendingOffers')).toEqual([offer.id, tea].sort());
	const found = await search('searchPendingOffers', ' GARDEN ');
	expect(found.map(({ value }) => value)).toEqual([offer.id]);
	expect(found[0]?.name).toMatch(new RegExp(`${shown}$`, 'u'));
	expect(await search('searchPendingOffers', offer.id)).toEqual(found);

	expect(await getValues('searchExchanges')).toEqual([offer.id, tea, accepted].sort());
	expect(await getValues('searchExchanges', '(accepted)')).toEqual([accepted]);
	const [pending] = await search('searchExchanges', offer.id);
	expect(pending?.name).toMatch(new RegExp(`${shown} \\(pending\\)$`, 'u'));
});

test('lists incoming offers only for Accept', async () => {
	const [own, partner] = ['https://own.example', 'https://partner.example'];
	const exchanges = [
		{ id: 'exc_in', from_site: partner, to_site: own, status: 'pending' },
		{ id: 'exc_out', from_site: own, to_site: partner, status: 'pending' },
		{ id: 'exc_unknown', from_site: partner, to_site: 'https://new.example', status: 'pending' },
	];
	const { api, search } = mockService();
	api.persist().get('/exchanges').query(true).reply(200, { exchanges });
	api.get('/sites').reply(200, { sites: [{ id: 1, url: own }] });
	const listed = await search('searchPendingOffers');
	expect(listed.map(({ value }) => value)).toEqual(['exc_in', 'exc_unknown']);
	expect((await search('searchExchanges')).length).toBe(3);
});

test('lists an offer with missing fields without gaps', async () => {
	const { api, search } = mockService();
	api.get('/sites').reply(200, []);
	api
		.get('/exchanges?status=pending')
		.reply(200, [
			{ id: 'exc_1', to_site: 'https://blog.example' },
			{ id: 'exc_2', anchor: 'tea' },
			{ id: '\u202e<b>\n7' },
		]);
	const found = await search('searchPendingOffers');
	expect(found.map(({ name }) => name)).toEqual([
		'an unknown site → blog.example · exc_1',
		'“tea” · exc_2',
		'‹b› 7',
	]);
});

test('lists each niche and severity once, sorted and sanitized', async () => {
	const words = ['tea', 'Garden', ' tea ', 'TEA', 7, '', ' ', '\u200b', null, {}, 'a\u202e<b>'];
	const { api, search } = mockService();
	api.get('/sites').reply(200, { sites: words.map((niche, id) => ({ id, niche })) });
	const events = words.map((severity, id) => ({ id, severity }));
	api.get('/watchdog/events').reply(200, { events });
	const expected = [
		{ name: '7', value: '7' },
		{ name: 'a‹b›', value: 'a\u202e<b>' },
		{ name: 'Garden', value: 'Garden' },
		{ name: 'tea', value: 'tea' },
	];
	expect(await search('searchNiches')).toEqual(expected);
	expect(await search('searchSeverities')).toEqual(expected);
	expect(await search('searchSeverities', 'TE')).toEqual([expected[3]]);
});

test("shows an entry that can't be chosen if nothing matches", async () => {
	const { search } = await setUpWithOffer();
	expect(await search('searchPendingOffers', 'elephants')).toEqual([
		{ name: 'No match for "elephants" in 1 entry. Type another word', value: '' },
	]);
});

test('explains what to do if the account has no entries', async () => {
	const { search } = await startTestService();
	const texts = {
		searchSites: 'No sites yet. Add one with Site > Create',
		searchNiches: 'No niches yet. Select By Name to enter one',
		searchSeverities: 'No alerts yet. Select By Name to enter one',
		searchExchanges: 'No exchanges yet',
		searchPendingOffers: 'No pending offers',
	} as const;
	for (const [method, name] of Object.entries(texts)) {
		expect(await search(method as keyof typeof texts, 'tea')).toEqual([{ name, value: '' }]);
		// The width of a row among filters on a laptop.
		expect(name.length).toBeLessThanOrEqual(47);
	}
});

test('lists the first 500 entries, and the number of the others', async () => {
	const sites = Array.from({ length: 502 }, (_, id) => ({ id, niche: `niche ${1000 + id}` }));
	const { api, search } = mockService();
	api.get('/sites').reply(200, { sites });
	const listed = await search('searchNiches');
	expect(listed.slice(0, 500).at(-1)?.value).toBe('niche 1499');
	const hintEntry = 'Type to search 2 more entries';
	expect(listed.slice(500)).toEqual([{ name: hintEntry, value: '' }]);
});

test('explains what to enter instead if the service truncates its list', async () => {
	const { api, search } = mockService();
	const truncated = { data: [{ id: 1, niche: 'a' }], has_more: true };
	api.get('/sites').reply(200, truncated);
	api.get('/exchanges?status=pending').reply(200, truncated);
	const last = async (...[method]: Parameters<typeof search>) => (await search(method)).at(-1);
	const hintEntry = (instead: string) => ({
		name: `The list is incomplete. Enter ${instead}`,
		value: '',
	});
	expect(await last('searchSites')).toEqual(hintEntry('the URL or ID'));
	expect(await last('searchNiches')).toEqual(hintEntry('the name'));
	expect(await last('searchPendingOffers')).toEqual(hintEntry('the ID'));
});

test('reports a wrong key with the message of the node', async () => {
	const { sandbox, search, loadSites } = await startTestService();
	sandbox.revokeApiKey(sandbox.apiKey);
	await expect(search('searchSites')).rejects.toThrow(/API key/);
	await expect(loadSites()).rejects.toThrow(/API key/);
});
