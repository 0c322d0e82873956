/**
 * The rules of Accept Many, for any form of sites and lists of words. Words:
 * anchorMatcher.test.mts. All rules together: engine/action/acceptMany.
 */
import { describe, expect, test } from 'vitest';

import { createRules } from './createRules.mts';

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
		...['site_17', 'SITE_17', 17, '17', { id: 17 }, { id: 'Site_17', url: 'https://any.example' }],
		...['http://WWW.tea.example:8080/x', 'blog.tea.example', { url: 'https://tea.example' }],
	])('%j matches one of them, on both ends', (site) => {
		const rules = { allowedPartners: sites, rules: { ownSites: sites } };
		const evaluate = createRules({ acceptFrom: 'listed', ...rules });
		expect(evaluate({ ...tea, from_site: site, to_site: site })).toBe('allowed');
	});
});

describe('allowed sites', () => {
	test.each([
		...['tea-blog2', 'co.uk', 'www.co.uk', 'CO.UK.', 'https://co.uk/', 'com.au', 'uk'],
		...['blogspot.com', '*.tea.example', 'tea blog.example'],
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
