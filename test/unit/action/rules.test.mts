/**
 * The rules of Accept Many, for any form of sites and lists of words. Words:
 * anchorMatcher.test.mts. All rules together: engine/action/acceptMany.
 */
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { createRules } from './createRules.mts';

type Value = IDataObject[string];

const tea = {
	from_site: 'https://tea.example',
	to_site: 'https://own.example',
	anchor: 'green tea',
};

describe('sites in rules', () => {
	test.each([
		...[
			'*.spam.example',
			'.spam.example',
			'a.example;spam.example',
			'https://https://spam.example',
		],
		...['spam!.example', 'http//spam.example', ',', ', ,'],
	])('an invalid blocked partner fails, a valid one works: %j', (refusedPartners) => {
		const evaluate = () => {
			try {
				const from_site = 'https://blog.spam.example';
				return createRules({ rules: { refusedPartners } })({ ...tea, from_site });
			} catch (error) {
				return (error as Error).message;
			}
		};
		expect(evaluate()).toMatch(/^refused$|"Refused Partners"/);
	});
	test.each([
		...['https://https://spam.example', 'http//spam.example', 'https:spam.example'],
		...['https://spam.example:/x', 'spam.example..', 'https://sp%61m.example', 'ｓｐａｍ.example'],
		...['spam。example', 'SPAM.EXAMPLE.', 'https://user:pw@spam.example:8443/', '*.spam.example'],
		...['spam.exam\u00adple', { id: 'spam.example', url: 'https://good.example' }],
		...[{ name: 'spam.example' }, ['spam.example'], 'https://good.example;.spam.example'],
	])('blocks a partner entered as %j', (from_site) => {
		const evaluate = createRules({ rules: { refusedPartners: 'spam.example' } });
		expect(evaluate({ ...tea, from_site })).not.toBe('allowed');
	});
	const sites = '17, site_17, tea.example';
	test.each([
		...['0x11', '021', 'evil.site_17', 'evil-tea.example', 'tea.example.evil.example'],
		...['https://tea.example@evil.example', 'blog.tea.example', '', null, 7, 'tea'],
		...['SITE_17', { id: 'Site_17' }, 'http://tea.example:8080', '017'],
		...[{ id: 7 }, { id: 'tea.example', url: 'https://evil.example' }],
	])('%j matches none of the sites "17", "site_17" and "tea.example"', (site) => {
		const rules = { ownSites: sites, includeSubdomains: false };
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: sites, rules });
		const ends = { from_site: 'tea.example', to_site: 'tea.example' };
		expect(evaluate({ ...tea, ...ends })).toBe('allowed');
		expect(evaluate({ ...tea, ...ends, from_site: site })).toBe('undecided');
		expect(evaluate({ ...tea, ...ends, to_site: site })).toBe('undecided');
	});
	test.each([
		...['site_17', 17, '17', { id: 17 }, { id: 'site_17', url: 'https://any.example' }],
		...['http://WWW.tea.example:80/x', 'blog.tea.example', { url: 'https://tea.example' }],
	])('%j matches one of them, on both ends', (site) => {
		const rules = { allowedPartners: sites, rules: { ownSites: sites } };
		const evaluate = createRules({ acceptFrom: 'listed', ...rules });
		expect(evaluate({ ...tea, from_site: site, to_site: site })).toBe('allowed');
	});
});

describe('an entry with a path', () => {
	const friend = 'https://platform.example/@friend';
	const from = (site: Value) => ({ ...tea, from_site: site });

	test.each<[entry: string, partner: Value, outcome: string]>([
		[friend, 'http://www.PLATFORM.example/@friend/', 'allowed'],
		[friend, { url: `${friend}/links?page=2` }, 'allowed'],
		[friend, 'https://platform.example/%40friend', 'allowed'],
		[friend, 'https://platform.example/@stranger/cheap-pills', 'undecided'],
		[friend, 'https://platform.example/@friendly', 'undecided'],
		[friend, 'https://platform.example/@Friend', 'undecided'],
		[friend, 'https://platform.example/@friend/../@stranger', 'undecided'],
		[friend, 'https://platform.example/@friend/..%2f@stranger', 'undecided'],
		[friend, 'https://platform.example', 'undecided'],
		[friend, 'https://evil.platform.example/@friend', 'undecided'],
		[friend, 'https://platform.example:8443/@friend', 'undecided'],
		['sites.host.example/view/friend', 'https://sites.host.example/view/stranger', 'undecided'],
		['sites.host.example/view/friend', 'https://sites.host.example/view/friend', 'allowed'],
		['https://substack.com/@friend', 'https://substack.com/@friend/p/1', 'allowed'],
		['https://substack.com/@friend', 'https://evil.substack.com/@friend', 'undecided'],
		['https://forum.example/?u=12', 'https://forum.example/?u=12', 'allowed'],
		['https://forum.example/?u=12', 'https://forum.example/?u=34', 'undecided'],
		['https://forum.example/?u=12', 'https://sub.forum.example/?u=12', 'undecided'],
		['https://tea.example/bücher', 'https://tea.example/b%C3%BCcher/neu', 'allowed'],
		['https://tea.example/b%c3%bccher', 'https://tea.example/bücher', 'allowed'],
	])('as Allowed Partners %s: an offer from %j is %s', (allowedPartners, partner, outcome) => {
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners });
		expect(evaluate(from(partner))).toBe(outcome);
	});

	test.each<[partner: Value, outcome: string]>([
		[friend, 'refused'],
		['http://www.platform.example:8443/@friend/links?x=1#y', 'refused'],
		['https://platform.example/%40friend', 'refused'],
		[{ id: 'site_1', url: friend }, 'refused'],
		['https://platform.example/@Friend', 'allowed'],
		['https://platform.example/@stranger', 'allowed'],
		['https://platform.example', 'allowed'],
		['site_1', 'undecided'],
	])('as Refused Partners: an offer from %j is %s', (partner, outcome) => {
		const evaluate = createRules({ rules: { refusedPartners: friend } });
		expect(evaluate(from(partner))).toBe(outcome);
	});

	test('a partner that is refused and allowed is refused, also below the path', () => {
		const evaluate = createRules({
			acceptFrom: 'listed',
			allowedPartners: 'platform.example',
			rules: { refusedPartners: friend },
		});
		expect(evaluate(from(`${friend}/links`))).toBe('refused');
		expect(evaluate(from('https://platform.example/@other'))).toBe('allowed');
	});
});

test('IDs of partners are compared as written', () => {
	const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: 'site_0Gv7qE' });
	expect(evaluate({ ...tea, from_site: 'site_0Gv7qE' })).toBe('allowed');
	expect(evaluate({ ...tea, from_site: 'site_0Gv7qe' })).toBe('undecided');
	const other = createRules({ rules: { refusedPartners: 'site_0Gv7qE' } });
	expect(other({ ...tea, from_site: 'site_0Gv7qE' })).toBe('refused');
	expect(other({ ...tea, from_site: 'site_0Gv7qe' })).toBe('allowed');
});

describe('Own Sites', () => {
	const shop = { id: 'site_shop', url: 'https://shop.example/' };
	const german = { id: 'site_de', url: 'https://shop.example/de' };
	const french = { id: 'site_fr', url: 'https://www.shop.example/fr' };
	const blog = { id: 'tea-blog', url: 'https://blog.shop.example' };
	const account = [french, shop, german, blog];
	const choose = ({ url, id }: { url: string; id: string }) => [
		{ __rl: true, mode: 'list', value: `${url}, ${id}` },
	];
	const evaluateFor = (to_site: Value, ownSites: unknown, more: object = {}) =>
		createRules({ rules: { ownSites, ...more } }, account)({ ...tea, to_site });

	test.each<[chosen: typeof shop, end: Value, outcome: string]>([
		[german, german.url, 'allowed'],
		[german, 'http://www.shop.example/de/impressum', 'allowed'],
		[german, 'site_de', 'allowed'],
		[german, { id: 'site_de' }, 'allowed'],
		[german, french.url, 'undecided'],
		[german, 'site_fr', 'undecided'],
		[german, shop.url, 'undecided'],
		[german, 'https://shop.example/deals', 'undecided'],
		[shop, 'https://shop.example/about', 'allowed'],
		[shop, 'https://other.shop.example', 'allowed'],
		[shop, 'site_shop', 'allowed'],
		[shop, german.url, 'undecided'],
		[shop, 'https://shop.example/fr/page', 'undecided'],
		[shop, 'site_fr', 'undecided'],
		[shop, blog.url, 'undecided'],
		[shop, 'tea-blog', 'undecided'],
		[blog, 'tea-blog', 'allowed'],
		[blog, 'https://blog.shop.example/x', 'allowed'],
		[blog, shop.url, 'undecided'],
		[shop, 'https://elsewhere.example', 'undecided'],
		[shop, undefined, 'undecided'],
	])('chosen: %j; an offer for %j is %s', (chosen, end, outcome) => {
		expect(evaluateFor(end, choose(chosen))).toBe(outcome);
	});

	test.each([
		['https://shop.example', 'https://shop.example/about', 'allowed'],
		['shop.example', 'site_shop', 'allowed'],
		['shop.example', german.url, 'undecided'],
		['site_fr', french.url, 'allowed'],
		['site_FR', french.url, 'undecided'],
		['shop.example/blog', 'https://shop.example/blog/post', 'allowed'],
		['shop.example/blog', 'https://shop.example/about', 'undecided'],
		['shop.example/DE', german.url, 'undecided'],
		['en.shop.example', 'https://en.shop.example', 'allowed'],
		['en.shop.example', 'https://shop.example', 'undecided'],
	])('%s, entered: an offer for %s is %s', (ownSites, end, outcome) => {
		expect(evaluateFor(end, ownSites)).toBe(outcome);
	});

	test('without Include Subdomains, a subdomain of the site is not the site', () => {
		const off = { includeSubdomains: false };
		expect(evaluateFor('https://other.shop.example', choose(shop), off)).toBe('undecided');
		expect(evaluateFor('https://shop.example/about', choose(shop), off)).toBe('allowed');
		expect(evaluateFor('site_shop', choose(shop), off)).toBe('allowed');
	});

	test('an end that is none of the sites of the account is compared with the choice itself', () => {
		const evaluate = createRules({ rules: { ownSites: choose(german) } });
		expect(evaluate({ ...tea, to_site: 'https://shop.example/de/x' })).toBe('allowed');
		expect(evaluate({ ...tea, to_site: 'site_de' })).toBe('allowed');
		expect(evaluate({ ...tea, to_site: french.url })).toBe('undecided');
	});

	test('your end and the partner are compared, whichever end of the record each is', () => {
		const offer = { from_site: german.url, to_site: 'https://tea.example', anchor: 'tea' };
		const listed = { acceptFrom: 'listed' as const, allowedPartners: 'tea.example' };
		const evaluate = (more: object) => createRules({ ...listed, ...more }, account)(offer);
		expect(evaluate({ rules: { ownSites: choose(german) } })).toBe('allowed');
		expect(evaluate({ rules: { ownSites: choose(french) } })).toBe('undecided');
		expect(evaluate({ rules: { refusedPartners: 'tea.example' } })).toBe('refused');
		expect(evaluate({ rules: { refusedPartners: 'shop.example' } })).toBe('allowed');
		expect(evaluate({ allowedPartners: 'shop.example' })).toBe('undecided');
	});
});

test('refused wins over doubt, and doubt over allowed', () => {
	const rules = { refusedPartners: 'spam.example, site_1' };
	const evaluate = createRules({ rules, refusedAnchorWords: 'casino' });
	expect(evaluate({ ...tea, from_site: 'https://spam.example' })).toBe('refused');
	expect(evaluate({ ...tea, anchor: 'casino' })).toBe('refused');
	expect(evaluate(tea)).toBe('undecided');
});

describe('allowed sites', () => {
	test.each([
		...['tea-blog2', 'co.uk', 'www.co.uk', 'CO.UK.', 'https://co.uk/', 'com.au', 'uk'],
		...['blogspot.com', '*.tea.example', 'tea blog.example', 'co.uk?x', 'https://co.uk:8443'],
	])('rejects %s as a site, with any text next to it', (entry) => {
		for (const sites of [entry, `tea.example, ${entry}`, `${entry},tea.example`]) {
			const allowed = () => createRules({ acceptFrom: 'listed', allowedPartners: sites });
			expect(allowed).toThrow('"Allowed Partners" cannot be used');
			expect(() => createRules({ rules: { ownSites: sites } })).toThrow(
				'"Own Sites" cannot be used',
			);
		}
	});
	test.each([
		...['tea.co.uk', 'www.tea.co.uk', 'blog.tea.com.au', 'tea.blogspot.com', 'id.me', 'go.com'],
	])('%s is a site', (site) => {
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: site });
		expect(evaluate({ ...tea, from_site: site })).toBe('allowed');
	});
	test('blocks a suffix that many sites share as a whole', () => {
		const evaluate = createRules({ rules: { refusedPartners: 'blogspot.com' } });
		expect(evaluate({ ...tea, from_site: 'https://tea.blogspot.com' })).toBe('refused');
	});
});

describe('words in anchors', () => {
	const createWordRules = (refusedAnchorWords: string) => createRules({ refusedAnchorWords });

	test.each([
		...[
			'bingo; casino',
			'bingo，casino；x',
			'"bingo", "casino"',
			'bingo\tcasino',
			'bingo\r\ncasino',
		],
		...['bingo\rcasino', 'bingo\u2028casino', 'bingo، casino', 'bingo､casino', 'bingo|casino'],
		...['„bingo“, „casino“', "'bingo', 'casino'", '«bingo», «casino»', '- bingo\n- casino'],
		...['• bingo\n• casino', 'bingo, casino.', '[bingo, casino]'],
	])('parses the words %j as several', (words) => {
		expect(createWordRules(words)({ ...tea, anchor: 'casino' })).toBe('refused');
	});
	test.each(['-', 'casino, „“'])('rejects %j as a list of words', (words) => {
		expect(() => createWordRules(words)).toThrow('"Refused Anchor Words" cannot be used:');
	});
	test.each([['casino'], { text: 'casino' }, 7, true, null, ' ', '\u200b'])(
		'leaves %j for review',
		(anchor) => {
			expect(createWordRules('casino')({ ...tea, anchor })).toBe('undecided');
		},
	);
});
