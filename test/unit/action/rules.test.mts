/**
 * The rules of Accept Many, for any form of sites and lists of words. Words:
 * anchorMatcher.test.mts. All rules together: engine/action/acceptMany.
 */
import fc from 'fast-check';
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
	])('an invalid blocked partner fails, a valid one works: %j', (blockedPartners) => {
		const evaluate = () => {
			try {
				const from_site = 'https://blog.spam.example';
				return createRules({ rules: { blockedPartners } })({ ...tea, from_site });
			} catch (error) {
				return (error as Error).message;
			}
		};
		expect(evaluate()).toMatch(/^blocked$|'Blocked Partners'/);
	});
	test.each([
		...['https://https://spam.example', 'http//spam.example', 'https:spam.example'],
		...['https://spam.example:/x', 'spam.example..', 'https://sp%61m.example', 'ｓｐａｍ.example'],
		...['spam。example', 'SPAM.EXAMPLE.', 'https://user:pw@spam.example:8443/', '*.spam.example'],
		...['spam.exam\u00adple', { id: 'spam.example', url: 'https://good.example' }],
		...[{ name: 'spam.example' }, ['spam.example'], 'https://good.example;.spam.example'],
	])('blocks a partner entered as %j', (from_site) => {
		const evaluate = createRules({ rules: { blockedPartners: 'spam.example' } });
		expect(evaluate({ ...tea, from_site })).not.toBe('allowed');
	});
	const sites = '17, site_17, tea.example';
	test.each([
		...['0x11', '021', 'evil.site_17', 'evil-tea.example', 'tea.example.evil.example'],
		...['https://tea.example@evil.example', '', null, 7, 'tea'],
		...['SITE_17', { id: 'Site_17' }, 'http://tea.example:8080', '017'],
		...[{ id: 7 }, { id: 'tea.example', url: 'https://evil.example' }],
	])('%j matches none of the sites "17", "site_17" and "tea.example"', (site) => {
		const rules = { yourSites: sites };
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: sites, rules });
		const ends = { from_site: 'tea.example', to_site: 'tea.example' };
		expect(evaluate({ ...tea, ...ends })).toBe('allowed');
		expect(evaluate({ ...tea, ...ends, from_site: site })).toBe('needsReview');
		expect(evaluate({ ...tea, ...ends, to_site: site })).toBe('needsReview');
	});
	test.each([
		...['site_17', 17, '17', { id: 17 }, { id: 'site_17', url: 'https://any.example' }],
		...['http://WWW.tea.example:80/x', { url: 'https://tea.example' }],
	])('%j matches one of them, on both ends', (site) => {
		const rules = { allowedPartners: sites, rules: { yourSites: sites } };
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
		[friend, 'https://platform.example/@stranger/cheap-pills', 'needsReview'],
		[friend, 'https://platform.example/@friendly', 'needsReview'],
		[friend, 'https://platform.example/@Friend', 'needsReview'],
		[friend, 'https://platform.example/@friend/../@stranger', 'needsReview'],
		[friend, 'https://platform.example/@friend/..%2f@stranger', 'needsReview'],
		[friend, 'https://platform.example', 'needsReview'],
		[friend, 'https://evil.platform.example/@friend', 'needsReview'],
		[friend, 'https://platform.example:8443/@friend', 'needsReview'],
		['sites.host.example/view/friend', 'https://sites.host.example/view/stranger', 'needsReview'],
		['sites.host.example/view/friend', 'https://sites.host.example/view/friend', 'allowed'],
		['https://substack.com/@friend', 'https://substack.com/@friend/p/1', 'allowed'],
		['https://substack.com/@friend', 'https://evil.substack.com/@friend', 'needsReview'],
		['https://forum.example/?u=12', 'https://forum.example/?u=12', 'allowed'],
		['https://forum.example/?u=12', 'https://forum.example/?u=34', 'needsReview'],
		['https://forum.example/?u=12', 'https://sub.forum.example/?u=12', 'needsReview'],
		['https://tea.example/bücher', 'https://tea.example/b%C3%BCcher/neu', 'allowed'],
		['https://tea.example/b%c3%bccher', 'https://tea.example/bücher', 'allowed'],
	])('as Allowed Partners %s: an offer from %j is %s', (allowedPartners, partner, outcome) => {
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners });
		expect(evaluate(from(partner))).toBe(outcome);
	});

	test.each<[partner: Value, outcome: string]>([
		[friend, 'blocked'],
		['http://www.platform.example:8443/@friend/links?x=1#y', 'blocked'],
		['https://platform.example/%40friend', 'blocked'],
		[{ id: 'site_1', url: friend }, 'blocked'],
		['https://platform.example/@Friend', 'allowed'],
		['https://platform.example/@stranger', 'allowed'],
		['https://platform.example', 'allowed'],
		['site_1', 'needsReview'],
	])('as Blocked Partners: an offer from %j is %s', (partner, outcome) => {
		const evaluate = createRules({ rules: { blockedPartners: friend } });
		expect(evaluate(from(partner))).toBe(outcome);
	});

	test('a partner that is blocked and allowed is blocked, also below the path', () => {
		const evaluate = createRules({
			acceptFrom: 'listed',
			allowedPartners: 'platform.example',
			rules: { blockedPartners: friend },
		});
		expect(evaluate(from(`${friend}/links`))).toBe('blocked');
		expect(evaluate(from('https://platform.example/@other'))).toBe('allowed');
	});
});

test('IDs of partners are compared as written', () => {
	const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: 'site_0Gv7qE' });
	expect(evaluate({ ...tea, from_site: 'site_0Gv7qE' })).toBe('allowed');
	expect(evaluate({ ...tea, from_site: 'site_0Gv7qe' })).toBe('needsReview');
	const other = createRules({ rules: { blockedPartners: 'site_0Gv7qE' } });
	expect(other({ ...tea, from_site: 'site_0Gv7qE' })).toBe('blocked');
	expect(other({ ...tea, from_site: 'site_0Gv7qe' })).toBe('allowed');
});

describe('Your Sites', () => {
	const shop = { id: 'site_shop', url: 'https://shop.example/' };
	const german = { id: 'site_de', url: 'https://shop.example/de' };
	const french = { id: 'site_fr', url: 'https://www.shop.example/fr' };
	const blog = { id: 'tea-blog', url: 'https://blog.shop.example' };
	const account = [french, shop, german, blog];
	const choose = ({ url }: { url: string }) => [url];
	const evaluateFor = (to_site: Value, yourSites: unknown) =>
		createRules({ rules: { yourSites } }, account)({ ...tea, to_site });

	test.each<[chosen: typeof shop, end: Value, outcome: string]>([
		[german, german.url, 'allowed'],
		[german, 'http://www.shop.example/de/impressum', 'allowed'],
		[german, 'site_de', 'allowed'],
		[german, { id: 'site_de' }, 'allowed'],
		[german, french.url, 'needsReview'],
		[german, 'site_fr', 'needsReview'],
		[german, shop.url, 'needsReview'],
		[german, 'https://shop.example/deals', 'needsReview'],
		[shop, 'https://shop.example/about', 'allowed'],
		[shop, 'https://other.shop.example', 'needsReview'],
		[shop, 'site_shop', 'allowed'],
		[shop, german.url, 'needsReview'],
		[shop, 'https://shop.example/fr/page', 'needsReview'],
		[shop, 'site_fr', 'needsReview'],
		// The ID wins.
		[shop, { id: 'site_de', url: shop.url }, 'needsReview'],
		[shop, blog.url, 'needsReview'],
		[shop, 'tea-blog', 'needsReview'],
		[blog, 'tea-blog', 'allowed'],
		[blog, 'https://blog.shop.example/x', 'allowed'],
		[blog, shop.url, 'needsReview'],
		[shop, 'https://elsewhere.example', 'needsReview'],
		[shop, undefined, 'needsReview'],
	])('chosen: %j; an offer for %j is %s', (chosen, end, outcome) => {
		expect(evaluateFor(end, choose(chosen))).toBe(outcome);
	});

	test.each([
		['https://shop.example', 'https://shop.example/about', 'allowed'],
		['shop.example', 'site_shop', 'allowed'],
		['shop.example', german.url, 'needsReview'],
		['site_fr', french.url, 'allowed'],
		['site_FR', french.url, 'needsReview'],
		['shop.example/blog', 'https://shop.example/blog/post', 'allowed'],
		['shop.example/blog', 'https://shop.example/about', 'needsReview'],
		['shop.example/DE', german.url, 'needsReview'],
		['en.shop.example', 'https://en.shop.example', 'allowed'],
		['en.shop.example', 'https://shop.example', 'needsReview'],
	])('%s, entered: an offer for %s is %s', (yourSites, end, outcome) => {
		expect(evaluateFor(end, yourSites)).toBe(outcome);
	});

	test('means the site alone, while a partner includes its subdomains', () => {
		const from = (from_site: string) => ({ ...tea, from_site });
		const listed = { acceptFrom: 'listed' as const, allowedPartners: 'tea.example' };
		expect(createRules(listed)(from('https://blog.tea.example'))).toBe('allowed');
		expect(
			createRules({ rules: { yourSites: 'own.example' } })({
				...tea,
				to_site: 'https://blog.own.example',
			}),
		).toBe('needsReview');
	});

	test('an end that is none of the sites of the account is compared with the choice itself', () => {
		const evaluate = createRules({ rules: { yourSites: choose(german) } });
		expect(evaluate({ ...tea, to_site: 'https://shop.example/de/x' })).toBe('allowed');
		expect(evaluate({ ...tea, to_site: 'site_de' })).toBe('needsReview');
		expect(evaluate({ ...tea, to_site: french.url })).toBe('needsReview');
	});

	test('your end and the partner are compared, whichever end of the record each is', () => {
		const offer = { from_site: german.url, to_site: 'https://tea.example', anchor: 'tea' };
		const listed = { acceptFrom: 'listed' as const, allowedPartners: 'tea.example' };
		const evaluate = (more: object) => createRules({ ...listed, ...more }, account)(offer);
		expect(evaluate({ rules: { yourSites: choose(german) } })).toBe('allowed');
		expect(evaluate({ rules: { yourSites: choose(french) } })).toBe('needsReview');
		expect(evaluate({ rules: { blockedPartners: 'tea.example' } })).toBe('blocked');
		expect(evaluate({ rules: { blockedPartners: 'shop.example' } })).toBe('allowed');
		expect(evaluate({ allowedPartners: 'shop.example' })).toBe('needsReview');
	});
});

test('blocked wins over needs review, and needs review over allowed', () => {
	const rules = { blockedPartners: 'spam.example, site_1' };
	const evaluate = createRules({ rules, blockedAnchorWords: 'casino' });
	expect(evaluate({ ...tea, from_site: 'https://spam.example' })).toBe('blocked');
	expect(evaluate({ ...tea, anchor: 'casino' })).toBe('blocked');
	expect(evaluate(tea)).toBe('needsReview');
});

describe('allowed sites', () => {
	test.each([
		...['tea-blog2', 'co.uk', 'www.co.uk', 'CO.UK.', 'https://co.uk/', 'com.au', 'uk'],
		...['blogspot.com', '*.tea.example', 'tea blog.example', 'co.uk?x', 'https://co.uk:8443'],
	])('rejects %s as a site, with any text next to it', (entry) => {
		for (const sites of [entry, `tea.example, ${entry}`, `${entry},tea.example`]) {
			const allowed = () => createRules({ acceptFrom: 'listed', allowedPartners: sites });
			expect(allowed).toThrow("'Allowed Partners' must be");
			expect(() => createRules({ rules: { yourSites: sites } })).toThrow("'Your Sites' must be");
		}
	});
	test.each([
		...['tea.co.uk', 'www.tea.co.uk', 'blog.tea.com.au', 'tea.blogspot.com', 'id.me', 'go.com'],
	])('%s is a site', (site) => {
		const evaluate = createRules({ acceptFrom: 'listed', allowedPartners: site });
		expect(evaluate({ ...tea, from_site: site })).toBe('allowed');
	});
	test('blocks a suffix that many sites share as a whole', () => {
		const evaluate = createRules({ rules: { blockedPartners: 'blogspot.com' } });
		expect(evaluate({ ...tea, from_site: 'https://tea.blogspot.com' })).toBe('blocked');
	});
});

describe('words in anchors', () => {
	const createWordRules = (blockedAnchorWords: string) => createRules({ blockedAnchorWords });

	test.each([
		...[
			'"bingo", "casino"',
			'„bingo“, „casino“',
			"'bingo', 'casino'",
			'«bingo», «casino»',
			'- bingo\n- casino',
		],
		...['• bingo\n• casino', 'bingo, casino.', '[bingo, casino]'],
	])('parses the words %j as several', (words) => {
		expect(createWordRules(words)({ ...tea, anchor: 'casino' })).toBe('blocked');
	});
	test.each(['-', 'casino, „“'])('rejects %j as a list of words', (words) => {
		expect(() => createWordRules(words)).toThrow("'Blocked Anchor Words' must be");
	});
	test.each([
		...['tea & cake', 'tea &amp; cake', 'R&D', 'R&amp;D', 'AT&T', 'AT&T&#', 'black&white', 'Q&A'],
		...[
			'3 > 2',
			'&quot;tea&quot;',
			'tea &#39;n&#39; cake',
			'caf\u00e9 \u2764\ufe0f',
			'fish &chips',
		],
		...['\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', '5 \u00d7 3'],
	])('finds no word in %s', (anchor) => {
		expect(createWordRules('casino, loan')({ ...tea, anchor })).toBe('allowed');
	});

	/** What readers don't see as it's written. */
	const disguise = fc.oneof(
		fc.constantFrom(
			...['<b>', '</p><p>', '<wbr>', '<!-- > -->', '<i title=">">', '<a\nb=x/>', '<', '<3'],
			...['&lt;', '&lt;b&gt;', '&amp;lt;', '\u00ad', '\u200b', '\u200d', '\u202e', '\u2060'],
			// Browsers read only old names without a semicolon.
			...['&nbsp', '&shy', '&ecirc', '&copy', '&not', '&times;', '&zwnj;', '&NoBreak;', '&cscr;'],
		),
		fc
			.tuple(fc.constantFrom('#', '#00', '#x', '#X0', 'amp;#'), fc.nat(), fc.constantFrom('', ';'))
			.map(([sign, code, end]) => `&${sign}${code.toString(/x/i.test(sign) ? 16 : 10)}${end}`)
			.filter((reference) => reference !== '&#39;'),
	);

	test('leaves an anchor for review if readers may see another text', () => {
		const text = fc.constantFrom('casino', 'prêt', 'free spins', 'tea');
		fc.assert(
			fc.property(text, fc.nat(), disguise, (words, position, part) => {
				const at = 1 + (position % (words.length - 1));
				const anchor = words.slice(0, at) + part + words.slice(at);
				expect(createWordRules('')({ ...tea, anchor })).toBe('needsReview');
				const blocked = 'casino, prêt, free spins';
				expect(createWordRules(blocked)({ ...tea, anchor })).not.toBe('allowed');
			}),
			{ numRuns: 1000 },
		);
	});

	test.each([
		...['casino*', 'c*sino', 'c?sino', '/casino/i', String.raw`\bcasino\b`, 'cas[i1]no'],
		...['^casino', 'casino.+bonus', 'casin[o0]', '*'],
	])('the word %s, with a sign of another tool, is an error', (word) => {
		expect(() => createWordRules(`loan, ${word}`)).toThrow("'Blocked Anchor Words' must be words");
	});

	test.each(['casino!', 'and/or', 'C++', 'who? me', '100%', '$$$ casino', '"casino"'])(
		'the word %s is valid',
		(word) => {
			expect(createWordRules(word)({ ...tea, anchor: `x ${word} x` })).toBe('blocked');
		},
	);

	test('leaves an anchor for review if a word mixes scripts, in any spelling', () => {
		const letters = Array.from('casino');
		const lookalikes = ['\u0441', '\u0430', '\u0455', '\u0456', '\u043b', '\u03bf'];
		const spelling = fc.constantFrom<(word: string[]) => string>(
			(word) => word.join(''),
			(word) => word.join('').toUpperCase(),
			(word) => word.join(' '),
			(word) => word.join('.'),
			(word) => word.join('').replace(/[^a-z]/, '\u0301$&\u0301'),
			(word) => `2026${word.join('')}`,
			(word) =>
				word
					.join('')
					.replace(/[a-z]/g, (letter) => String.fromCodePoint(0x1d3b9 + letter.charCodeAt(0))),
		);
		fc.assert(
			fc.property(fc.nat({ max: 5 }), spelling, (index, spell) => {
				const anchor = spell(letters.with(index, lookalikes[index] ?? ''));
				expect(createWordRules('')({ ...tea, anchor })).toBe('needsReview');
				expect(createWordRules('casino')({ ...tea, anchor })).toBe('needsReview');
			}),
		);
	});

	test.each([
		...['5 \u00b5m', '\u00b5Torrent', '\u03b2-carotene', '\u03b2 carotene', '\u339b filter'],
		...[
			'\u043f\u0440\u043e\u0434\u0432\u0438\u0436\u0435\u043d\u0438\u0435 SEO',
			'SEO-\u0430\u0443\u0434\u0438\u0442',
			'\u0447\u0430\u0439 tea',
		],
		...[
			'\u042f\u043d\u0434\u0435\u043a\u0441\u2122',
			'\u03a0\u03bf\u03af\u03b7\u03c3\u03b7 2',
			'a \u03b2 c',
			'\u03b11a',
			'\u8336tea',
		],
	])('allows %s, which mixes no scripts within a word', (anchor) => {
		expect(createWordRules('casino')({ ...tea, anchor })).toBe('allowed');
	});

	test('a word of the list wins over a word that mixes scripts', () => {
		expect(createWordRules('casino')({ ...tea, anchor: 'casino b\u043enus' })).toBe('blocked');
	});

	test.each([
		['casino'],
		{ text: 'casino' },
		true,
		null,
		' ',
		'\u200b',
		'&nbsp;',
		'<b></b>',
		'c&#0;',
	])('leaves %j for review', (anchor) => {
		expect(createWordRules('casino')({ ...tea, anchor })).toBe('needsReview');
	});
});
