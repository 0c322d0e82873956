/** The rules of Accept Many, however sites, words and lists are written: nothing is accepted that they refuse or cannot read. */
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
		options: { refusedAnchorWords: 'casino', refusedPartners: 'spam.example' },
	});
	expect(decisions).toMatchObject([{ outcome: 'undecided', reason }]);
	expect(service.asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('offers without an ID are as many items', async () => {
	const accepted = { status: 'accepted', accepted_at: new Date().toISOString() };
	const list = [{}, {}, accepted].map((fields) => pending({ id: undefined, ...fields }));
	const service = await serviceByHand({ list: () => list });
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
	test.each([
		...['0x11', '021', 'evil.site_17', 'evil-tea.example', 'tea.example.evil.example'],
		...['https://tea.example@evil.example', 'blog.tea.example', '', null, 7, 'tea'],
		...[{ id: 7 }, { id: 'tea.example', url: 'https://evil.example' }],
	])('%j is none of the sites "17", "site_17" and "tea.example"', async (site) => {
		const ends = { from_site: 'tea.example', to_site: 'tea.example' };
		const list = [pending({ ...ends, from_site: site }), pending({ ...ends, to_site: site })];
		const service = await serviceByHand({ list: () => list });
		const sites = '17, site_17, tea.example';
		const options = { ownSites: sites, includeSubdomains: false };
		const rules = { acceptFrom: 'listed', allowedPartners: sites, options };
		const { outcomes } = await service.acceptMany(rules);
		expect([outcomes, service.posted]).toEqual([['undecided', 'undecided'], []]);
	});
	test.each([
		...['site_17', 'SITE_17', 17, '17', { id: 17 }, { id: 'Site_17', url: 'https://any.example' }],
		...['http://WWW.tea.example:8080/x', 'blog.tea.example', { url: 'https://tea.example' }],
	])('%j is one of them, on both ends', async (site) => {
		const list = [pending({ from_site: site, to_site: site })];
		const service = await serviceByHand({ list: () => list });
		const sites = '17, site_17, tea.example';
		const options = { ownSites: sites };
		const rules = { acceptFrom: 'listed', allowedPartners: sites, options };
		const { outcomes } = await service.acceptMany(rules);
		expect(outcomes).toEqual(['accepted']);
	});
});

describe('sites that are allowed', () => {
	test.each([
		...['tea-blog2', 'co.uk', 'www.co.uk', 'CO.UK.', 'https://co.uk/', 'com.au', 'uk'],
		...['blogspot.com', '*.tea.example', 'tea blog.example'],
	])('%s is no site, whatever stands beside it, and nothing is sent', async (entry) => {
		for (const sites of [entry, `tea.example, ${entry}`, `${entry},tea.example`]) {
			const service = await serviceByHand({ list: () => [pending()] });
			const allowed = { acceptFrom: 'listed', allowedPartners: sites };
			const own = { acceptFrom: 'anyone', options: { ownSites: sites } };
			const errors = [await service.acceptMany(allowed), await service.acceptMany(own)];
			expect(errors.map(({ error }) => error?.message.split(':')[0])).toEqual([
				'"Allowed Partners" cannot be used',
				'"Own Sites" cannot be used',
			]);
			expect(service.asked).toEqual([]);
		}
	});
	test.each([
		'tea.co.uk',
		'www.tea.co.uk',
		'blog.tea.com.au',
		'tea.blogspot.com',
		'id.me',
		'go.com',
	])('%s is a site', async (site) => {
		const service = await serviceByHand({ list: () => [pending({ from_site: site })] });
		const rules = { acceptFrom: 'listed', allowedPartners: site };
		expect((await service.acceptMany(rules)).outcomes).toEqual(['accepted']);
	});
	test('what many sites share may be refused as a whole', async () => {
		const list = [pending({ from_site: 'https://tea.blogspot.com' })];
		const service = await serviceByHand({ list: () => list });
		const options = { refusedPartners: 'blogspot.com' };
		expect((await service.acceptMany({ options })).outcomes).toEqual(['refused']);
	});
});

describe('own sites', () => {
	const row = (mode: string, value: unknown) => ({ __rl: true, mode, value });
	test.each([
		['rows', [row('list', 'https://own.example, site_2'), row('id', 'tea.example')]],
		['a row with several', [row('id', 'own.example, site_2, tea.example')]],
		['an array of an expression', '={{ ["own.example", "site_2", "tea.example"] }}'],
		['a text', 'own.example, site_2, tea.example'],
	])('may come as %s', async (_, ownSites) => {
		const sites = ['https://own.example', 'SITE_2', { id: 'site_2', url: 'https://own.example' }];
		const list = [...sites, 'tea.example', 'other.example'].map((to_site) => pending({ to_site }));
		const service = await serviceByHand({ list: () => list });
		const { outcomes } = await service.acceptMany({ options: { ownSites } });
		expect(outcomes).toEqual([...Array<string>(4).fill('accepted'), 'undecided']);
	});
	test.each([[[]], [[row('list', '')]], [[row('id', 'own.example'), row('list', '')]], ['']])(
		'a row that is left empty, %j, is an error: the rule must not be off in silence',
		async (ownSites) => {
			const service = await serviceByHand({ list: () => [pending()] });
			const { error } = await service.acceptMany({ options: { ownSites } });
			expect([error?.message, service.asked]).toEqual(['"Own Sites" is empty', []]);
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
		'ca-sino',
		'cas\u2011i\u2019no',
		'c·a·s·i·n·o',
		'online. casino',
		'online/casino',
		'online_casino',
		'onlinecasinos',
		'get online - casino',
		'c a s i n o',
	])('%j contains a refused word', async (anchor) => {
		const service = await serviceByHand({ list: () => [pending({ anchor })] });
		const words = anchor.match(/online/i) ? 'online casino, casino' : 'casino';
		const isOfTwo = /online.*casino/is.test(anchor);
		for (const refusedAnchorWords of isOfTwo ? ['online casino', 'Online/Casino'] : [words]) {
			const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords } });
			expect(service.posted).toEqual([]);
			expect(outcomes).toEqual(['refused']);
		}
	});
	test.each(['halo and beam', 'halo-and beam', 'lo and behold', 'lo an', 'nol oans'])(
		'%j does not contain "loan": it is not found across two words',
		async (anchor) => {
			const service = await serviceByHand({ list: () => [pending({ anchor })] });
			const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords: 'loan' } });
			expect(outcomes).toEqual(['accepted']);
		},
	);
	test.each([
		'bingo; casino',
		'bingo，casino；x',
		'"bingo", "casino"',
		'bingo\tcasino',
		'bingo\r\ncasino',
		'bingo\rcasino',
		'bingo\u2028casino',
		'bingo، casino',
		'bingo､casino',
		'bingo|casino',
		'„bingo“, „casino“',
		"'bingo', 'casino'",
		'«bingo», «casino»',
		'- bingo\n- casino',
		'• bingo\n• casino',
		'bingo, casino.',
		'[bingo, casino]',
	])('the words %j are several', async (refusedAnchorWords) => {
		const service = await serviceByHand({ list: () => [pending({ anchor: 'casino' })] });
		const { outcomes } = await service.acceptMany({ options: { refusedAnchorWords } });
		expect(outcomes).toEqual(['refused']);
	});
	test.each(['-', '\u200b', 'casino, „“'])('%j is no list of words', async (words) => {
		const service = await serviceByHand({ list: () => [pending()] });
		const { error } = await service.acceptMany({ options: { refusedAnchorWords: words } });
		expect([error?.message.slice(0, 38), service.asked]).toEqual([
			'"Refused Anchor Words" cannot be used:',
			[],
		]);
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

test.each(['.', '..', ' ', '\u2003', '%2e', 'a/../b', '__proto__', 'constructor', '#', 'a?b'])(
	'an ID that cannot be part of an address: %j leaves the other offers going',
	async (id) => {
		const offers = [pending(), pending({ id }), pending()];
		const service = await serviceByHand({ list: () => offers });
		const { decisions, error } = await service.acceptMany();
		expect(error?.message).toBeUndefined();
		expect(decisions.length).toBe(3);
		expect([decisions[0]?.outcome, decisions[2]?.outcome]).toEqual(['accepted', 'accepted']);
	},
);

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
});
