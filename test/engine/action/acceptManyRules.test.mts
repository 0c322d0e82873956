/** The rules of Accept Many, however sites, words and lists are written: nothing is accepted that they refuse or cannot read. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, serviceByHand } from './accepts.mts';

useVirtualTime();

test.each([
	['a partner that cannot be read', { from_site: { name: 7 } }, 'The partner cannot be read'],
	[
		'a partner with a control character',
		{ from_site: 'tea.\u0000example' },
		'The partner cannot be read',
	],
	['no anchor', { anchor: null }, 'The anchor text cannot be read'],
	['an anchor that is no UTF-8', { anchor: 'par\ufffd' }, 'The anchor text cannot be read'],
	[
		'a state that nobody knows',
		{ status: 'archived' },
		'Its state cannot be read: the list shows "status": "archived"',
	],
	['an ID with a control character', { id: 'exc_\u0007' }, 'Its ID cannot be read'],
	['no ID', { id: null }, 'Its ID cannot be read'],
])('%s is left to a person', async (_, fields, reason) => {
	const offer = { id: 'exc_1', from_site: 'tea.example', anchor: 'tea', status: 'pending' };
	const service = await localService(json([{ ...offer, ...fields }]));
	const { decisions } = await service.acceptMany({
		acceptFrom: 'listed',
		allowedPartners: 'tea.example',
		options: { refusedAnchorWords: 'casino' },
	});
	expect(decisions).toMatchObject([{ outcome: 'undecided', reason }]);
	expect(service.asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('offers without an ID are as many items', async () => {
	const service = await serviceByHand({ list: () => [1, 2].map(() => pending({ id: undefined })) });
	const { outcomes } = await service.acceptMany({}, { mode: 'trigger' });
	expect(outcomes).toEqual(['undecided', 'undecided']);
});

describe('sites in rules, however they are written', () => {
	test.each([
		'*.spam.example',
		'.spam.example',
		'a.example;spam.example',
		'https://https://spam.example',
		'spam!.example',
		'http//spam.example',
		',',
		', ,',
	])('Refused Partners as %j is an error, or works', async (refusedPartners) => {
		const service = await serviceByHand({
			list: () => [pending({ from_site: 'https://blog.spam.example' })],
		});
		const { error, outcomes } = await service.acceptMany({ options: { refusedPartners } });
		expect(service.posted).toEqual([]);
		if (error === undefined) expect(outcomes).toEqual(['refused']);
		else expect(error.message).toContain('"Refused Partners"');
	});
	test.each([
		'https://https://spam.example',
		'http//spam.example',
		'https:spam.example',
		'https://spam.example:/x',
		'spam.example..',
		'https://sp%61m.example',
		'ｓｐａｍ.example',
		'spam。example',
		'SPAM.EXAMPLE.',
		'https://user:pw@spam.example:8443/',
		'spam.exam\u00adple',
		'*.spam.example',
		{ id: 'spam.example', url: 'https://good.example' },
		{ name: 'spam.example' },
		['spam.example'],
		'https://good.example;.spam.example',
	])('a refused partner written as %j is not accepted', async (from_site) => {
		const service = await serviceByHand({ list: () => [pending({ from_site })] });
		const { decisions } = await service.acceptMany({
			options: { refusedPartners: 'spam.example' },
		});
		expect(service.posted).toEqual([]);
		expect(['refused', 'undecided']).toContain(decisions[0]?.outcome);
	});
	test.each(['0x11', '021', 'SITE_17'])(
		'the site %j is not the allowed site "17" or "site_17"',
		async (from_site) => {
			const service = await serviceByHand({ list: () => [pending({ from_site })] });
			await service.acceptMany({ acceptFrom: 'listed', allowedPartners: '17, site_17' });
			expect(service.posted).toEqual([]);
		},
	);
});

describe('words in anchors, however they are written', () => {
	test.each([
		'CASİNO online',
		'CASıNO ONLINE',
		'c\ufe0fasino',
		'ca\u034fsino',
		'c\u3164asino',
		'online\ncasino',
		'ONLINE\u00a0CASINO',
		'online   casino',
		'ᶜᵃˢⁱⁿᵒ',
		'Casino\u0000',
		'online \u200b casino',
		'casinò',
		'c\u0336a\u0336sino',
	])('%j contains a refused word', async (anchor) => {
		const service = await serviceByHand({ list: () => [pending({ anchor })] });
		const words = anchor.match(/online/i) ? 'online casino, casino' : 'casino';
		const refusedAnchorWords = /\n|\u00a0| {3}|\u200b/.test(anchor) ? 'online casino' : words;
		const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords } });
		expect(service.posted).toEqual([]);
		expect(outcomes).toEqual(['refused']);
	});
	test.each([
		'bingo; casino',
		'bingo，casino；x',
		'"bingo", "casino"',
		'bingo\tcasino',
		'bingo\r\ncasino',
	])('the words %j are several', async (refusedAnchorWords) => {
		const service = await serviceByHand({ list: () => [pending({ anchor: 'casino' })] });
		const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords } });
		expect(outcomes).toEqual(['refused']);
	});
	test.each([['casino'], { text: 'casino' }, 7, true, null, ' ', '\u200b'])(
		'%j is left to a person',
		async (anchor) => {
			const service = await serviceByHand({ list: () => [pending({ anchor })] });
			const { outcomes } = await service.acceptMany({
				options: { refusedAnchorWords: 'casino' },
			});
			expect(outcomes).toEqual(['undecided']);
		},
	);
});

describe('an ID in a list that cannot be part of an address', () => {
	test.each(['.', '..', ' ', '\u2003', '%2e', 'a/../b', '__proto__', 'constructor', '#', 'a?b'])(
		'%j leaves the other offers going',
		async (id) => {
			const offers = [pending(), pending({ id }), pending()];
			const service = await serviceByHand({ list: () => offers });
			const { decisions, error } = await service.acceptMany();
			expect(error?.message).toBeUndefined();
			expect(decisions.length).toBe(3);
			expect([decisions[0]?.outcome, decisions[2]?.outcome]).toEqual(['accepted', 'accepted']);
		},
	);
});

describe('rules, and lists that change or contradict themselves', () => {
	test('an anchor that changes while earlier offers take their time', async () => {
		const offers = [pending(), pending()];
		const service = await serviceByHand({
			list: (reads) =>
				reads === 1 ? offers : offers.map((each) => ({ ...each, anchor: 'casino' })),
			accept: (id, response) => {
				setTimeout(() => response.end(JSON.stringify({ id, status: 'accepted' })), 6000);
				response.writeHead(200);
				return undefined;
			},
		});
		const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords: 'casino' } });
		expect(service.posted).toEqual([offers[0]?.id]);
		expect(outcomes).toEqual(['accepted', 'refused']);
	});
	test.each([
		[{ anchor: 'casino' }, 'refused'],
		[{ from_site: 'https://spam.example' }, 'refused'],
		[{ from_site: null }, 'undecided'],
	])('two entries of one id, the second %j', async (second, outcome) => {
		const offer = pending();
		for (const list of [
			[offer, { ...offer, ...second }],
			[{ ...offer, ...second }, offer],
		]) {
			const service = await serviceByHand({ list: () => list });
			const { outcomes } = await service.acceptMany({
				options: { refusedAnchorWords: 'casino', refusedPartners: 'spam.example' },
			});
			expect(service.posted).toEqual([]);
			expect(outcomes).toEqual([outcome]);
		}
	});
});

test('whatever the offers and the rules: nothing is accepted that a rule refuses, cannot read, or does not allow', async () => {
	const site = fc.constantFrom(
		'https://tea.example',
		'http://WWW.tea.example:8080/x',
		'blog.tea.example',
		'evil-tea.example',
		'tea.example.evil.example',
		'https://tea.example@evil.example',
		'spam.example',
		'site_17',
		'',
		null,
		7,
		{ url: 'https://tea.example/' },
		{ id: 'site_17' },
	);
	const anchor = fc.constantFrom(
		'green tea',
		'Casino',
		'c\u200basino',
		'ｃａｓｉｎｏ',
		'',
		null,
		5,
	);
	const status = fc.constantFrom('pending', 'Pending', 'accepted', 'live', 'archived', null);
	const offers = fc.array(fc.record({ from_site: site, to_site: site, anchor, status }), {
		maxLength: 6,
	});
	const rules = fc.record({
		acceptFrom: fc.constantFrom('anyone', 'listed'),
		allowedPartners: fc.constantFrom('', 'tea.example', 'tea.example, site_17'),
		refusedPartners: fc.constantFrom(undefined, 'spam.example', 'blog.tea.example'),
		refusedAnchorWords: fc.constantFrom(undefined, 'casino'),
		ownSites: fc.constantFrom(undefined, 'tea.example'),
		includeSubdomains: fc.boolean(),
		maxAccepts: fc.integer({ min: 1, max: 4 }),
	});
	/** By hand, for these sites alone. */
	const hosts: Record<string, string> = {
		'https://tea.example': 'tea.example',
		'http://WWW.tea.example:8080/x': 'tea.example',
		'blog.tea.example': 'blog.tea.example',
		'evil-tea.example': 'evil-tea.example',
		'tea.example.evil.example': 'tea.example.evil.example',
		'https://tea.example@evil.example': 'evil.example',
		'spam.example': 'spam.example',
		site_17: 'site_17',
		'{"url":"https://tea.example/"}': 'tea.example',
		'{"id":"site_17"}': 'site_17',
	};
	const hostOf = (value: unknown) =>
		hosts[typeof value === 'string' ? value : JSON.stringify(value)];
	let accepts = 0;
	await fc.assert(
		fc.asyncProperty(
			offers,
			rules,
			async (drawn, { acceptFrom, allowedPartners, includeSubdomains, maxAccepts, ...some }) => {
				const listed: Array<IDataObject & { id: string }> = drawn.map((offer) => ({
					id: `exc_${Math.random()}`,
					...offer,
				}));
				const posted: string[] = [];
				const service = await localService((request, response) => {
					const id = request.url?.split('/').at(-2) ?? '';
					if (request.method === 'POST') posted.push(id);
					json(request.method === 'POST' ? { id, status: 'accepted' } : listed)(request, response);
				});
				const set = Object.fromEntries(
					Object.entries(some).filter(([, value]) => value !== undefined),
				);
				const { decisions, error } = await service.acceptMany({
					acceptFrom,
					allowedPartners,
					options: { includeSubdomains, maxAccepts, ...set },
				});
				expect(error?.message).toBeUndefined();
				const on = (host: string | undefined, list = '') =>
					host !== undefined &&
					list
						.split(', ')
						.some(
							(each) =>
								each !== '' && (host === each || (includeSubdomains && host.endsWith(`.${each}`))),
						);
				for (const id of posted) {
					const offer = listed.find((each) => each.id === id);
					const partner = hostOf(offer?.from_site);
					expect(['pending', 'Pending']).toContain(offer?.status);
					if (acceptFrom === 'listed') expect(on(partner, allowedPartners)).toBe(true);
					if (some.refusedPartners) {
						expect([partner === undefined, on(partner, some.refusedPartners)]).toEqual([
							false,
							false,
						]);
					}
					if (some.ownSites) expect(on(hostOf(offer?.to_site), some.ownSites)).toBe(true);
					if (some.refusedAnchorWords) expect(offer?.anchor).toBe('green tea');
				}
				expect(posted.length).toBeLessThanOrEqual(maxAccepts);
				expect(
					decisions.filter(({ outcome }) => outcome === 'accepted').map(({ id }) => id),
				).toEqual(posted);
				accepts += posted.length;
			},
		),
		{ numRuns: 150, seed: 20261122 },
	);
	expect(accepts).toBeGreaterThan(20);
});
