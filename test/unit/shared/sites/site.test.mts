/**
 * How sites are identified: by URL or ID, in any spelling; which site of the account an end belongs
 * to; which way an exchange goes.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { Exchange } from '../../../../nodes/shared/api/exchange.ts';
import { OwnSites } from '../../../../nodes/shared/sites/ownSites.ts';
import { coversSite, isOfSite, parseSite } from '../../../../nodes/shared/sites/site.ts';
import {
	getKey as getUrlKey,
	parseSiteName,
	type SiteName,
} from '../../../../nodes/shared/sites/siteUrl.ts';
import { trimInvisible } from '../../../../nodes/shared/utils/text.ts';

function getKey(value: unknown): string | undefined {
	const name = parseSiteName(value);
	return name?.id ?? (name?.url && getUrlKey(name.url));
}

function parse(value: unknown): SiteName {
	const name = parseSiteName(value);
	if (name === undefined) throw new Error(`${String(value)} can't be read`);
	return name;
}

const noSites = new OwnSites([]);

describe('parseSiteName', () => {
	test.each([
		['https://WWW.Good.example:443/Path/', 'good.example/Path'],
		['http://good.example:80', 'good.example'],
		['https://good.example:8443', 'good.example:8443'],
		[' good.example. ', 'good.example'],
		['\u200fhttps://good.example\u200f', 'good.example'],
		['//good.example/x', 'good.example/x'],
		['ｇｏｏｄ.example', 'good.example'],
		['bücher.example', 'xn--bcher-kva.example'],
		['good.example/b%c3%bccher', 'good.example/b%C3%BCcher'],
		['good.example/bücher', 'good.example/b%C3%BCcher'],
		['good.example/%7Efriend', 'good.example/~friend'],
		['good.example/%40friend%2Cx', 'good.example/@friend,x'],
		['good.example/a%2fb%7cc|d', 'good.example/a%2Fb%7Cc%7Cd'],
		["good.example/?q='a'%2C%26b", "good.example?q='a',%26b"],
		['good.example/a/../b/%2E%2e/c', 'good.example/c'],
		['good.example/?p=12#top', 'good.example?p=12'],
		['good.example@evil.example', 'evil.example'],
		['https://evil.example\\@good.example', 'evil.example/@good.example'],
		[17, '17'],
		['17', '17'],
		['site_1a2B', 'site_1a2B'],
		['SITE_1a2B', 'SITE_1a2B'],
	])('reads %j as %s', (value, key) => {
		expect(getKey(value)).toBe(key);
		const { id, url } = parseSite({ url: value }, noSites);
		expect(id ?? (url && getUrlKey(url))).toBe(key);
	});

	test.each([
		...['evil.example＠good.example', 'good.example／.evil.example', 'good.example\u202ex.example'],
		...[
			'good.example evil.example',
			'*.good.example',
			'//https://good.example',
			'com',
			'tea-blog2',
		],
		...['good.example/a/..%2fb', 'good.example/a%5c..%5Cb', 'good.example/a/..;/b'],
		...['site_', '0x11', '-1', 1.5, -1, 2 ** 60, null, [], {}, '', ' '],
	])("doesn't read %j", (value) => {
		expect(parseSiteName(value)).toBeUndefined();
	});

	test.each([
		['https://shop.example/Blog', 'https://shop.example/blog'],
		['https://shop.example/?p=12', 'https://shop.example/?p=34'],
		['site_0Gv7qE', 'site_0Gv7qe'],
		['http://shop.example:8080', 'https://shop.example'],
	])('keeps %s and %s apart', (one, other) => {
		expect(getKey(one)).not.toBe(getKey(other));
	});
});

describe('coversSite', () => {
	test.each([
		['tea.example', 'https://blog.tea.example/x', true],
		['tea.example', 'https://green-tea.example', false],
		['https://platform.example/@friend', 'https://platform.example/@friend/links', true],
		['https://platform.example/@friend', 'https://platform.example/@friendly', false],
		['https://platform.example/@friend', 'https://platform.example/@stranger', false],
		['https://platform.example/@friend', 'https://platform.example', false],
		['https://platform.example/@friend', 'https://evil.platform.example/@friend', false],
		['https://tea.example/?p=12', 'https://tea.example/?p=34', false],
		['https://tea.example/?p=12', 'https://tea.example/?p=12', true],
		['https://tea.example/?p=12', 'https://blog.tea.example/?p=12', false],
		['https://tea.example:8443', 'https://tea.example', false],
		['https://bücher.example/b%C3%BCcher', 'xn--bcher-kva.example/bücher/neu', true],
		['https://platform.example/@friend', 'https://platform.example/@friend/../@stranger', false],
		['https://platform.example/@friend', 'https://platform.example/@Friend', false],
		['site_1', 'site_1', true],
		['17', 'site_17', false],
		['tea.example', 'site_1', false],
	])('%s, an entry with subdomains, covers %s: %s', (entry, site, covers) => {
		expect(coversSite(parse(entry), parse(site))).toBe(covers);
	});

	test('an entry without subdomains covers its own host alone', () => {
		const options = { includeSubdomains: false };
		expect(isOfSite(parse('tea.example'), parse('blog.tea.example'), options)).toBe(false);
		expect(isOfSite(parse('tea.example'), parse('www.tea.example/a'), options)).toBe(true);
	});
});

const shop = { id: 'site_shop', url: 'https://shop.example/' };
const german = { id: 'site_de', url: 'https://shop.example/de' };
const blog = { id: 'site_blog', url: 'https://blog.shop.example' };
const umlaut = { id: 'site_umlaut', url: 'https://bücher.example' };
const account = new OwnSites([german, shop, blog, umlaut]);

describe('OwnSites', () => {
	test.each([
		['site_shop', shop],
		['site_SHOP', undefined],
		['http://www.SHOP.example:80/', shop],
		['shop.example.', shop],
		['shop.example/about', shop],
		['https://shop.example/de/impressum', german],
		['https://shop.example/deals', shop],
		['https://en.blog.shop.example/x', blog],
		['https://en.shop.example', shop],
		['xn--bcher-kva.example', umlaut],
		['myshop.example', undefined],
		['com', undefined],
		[{ id: 'site_de', url: 'https://shop.example' }, german],
		[{ url: 'https://shop.example/de' }, german],
		[{ id: 'other', url: 'https://other.example' }, undefined],
		[undefined, undefined],
	])('finds the most specific site of %j', (end, site) => {
		expect(parseSite(end, account).own?.record).toBe(site);
	});

	test('finds sites by numbers, and by IDs of any form', () => {
		const sites = new OwnSites([
			{ id: 17, url: 'a.example' },
			{ id: 'tea-blog2', url: 'b.example' },
		]);
		expect(parseSite('17', sites).own?.record.url).toBe('a.example');
		expect(parseSite({ id: 17 }, sites).own?.record.url).toBe('a.example');
		expect(parseSite('tea-blog2', sites).own?.record.url).toBe('b.example');
	});
});

describe('Exchange', () => {
	const partner = 'https://partner.example';
	test.each([
		['an offer of a partner', partner, shop.url, 'incoming', shop.url, partner],
		['an offer to a partner', shop.url, partner, 'outgoing', shop.url, partner],
		['two of your sites', shop.url, blog.url, 'incoming', blog.url, shop.url],
		[
			'two unknown sites',
			partner,
			'https://else.example',
			'incoming',
			'https://else.example',
			partner,
		],
		['an end that is missing', shop.url, undefined, 'incoming', shop.url, undefined],
		["an end that can't be read", shop.url, 'com', 'incoming', shop.url, 'com'],
		['an end with an unknown ID', shop.id, 'site_other', 'outgoing', shop.id, 'site_other'],
		['an end that is a number', shop.id, 17, 'incoming', shop.id, 17],
	])('%s', (_, from, to, direction, site, other) => {
		const exchange = Exchange.parse([{ from_site: from, to_site: to }], account);
		const labels = [exchange.direction, exchange.site.label, exchange.partner.label];
		expect(labels).toEqual([direction, site, other === undefined ? undefined : String(other)]);
	});

	test('an account without sites has incoming exchanges only', () => {
		const { direction, site } = Exchange.parse(
			[{ from_site: shop.url, to_site: partner }],
			noSites,
		);
		expect([direction, site.label, site.own]).toEqual(['incoming', partner, undefined]);
	});
});

const spellings = fc.constantFrom<(host: string) => unknown>(
	(host) => `https://${host}`,
	(host) => `HTTP://WWW.${host.toUpperCase()}:80/`,
	(host) => `${host}.`,
	(host) => ({ url: `https://${host}/page?x=1` }),
	(host) => `https://${host}/a/b`,
	(host) => `https://sub.${host}`,
);

test('partner and site are never swapped, in whatever spelling', () => {
	fc.assert(
		fc.property(spellings, spellings, fc.boolean(), (spellOwn, spellPartner, isOutgoing) => {
			const own = spellOwn('shop.example');
			const partner = spellPartner('partner.example');
			const record = (
				isOutgoing ? { from_site: own, to_site: partner } : { from_site: partner, to_site: own }
			) as IDataObject;
			const ends = Exchange.parse([record], account);
			expect(ends.direction).toBe(isOutgoing ? 'outgoing' : 'incoming');
			const getLabel = (end: unknown) =>
				typeof end === 'string' ? end : (end as { url: string }).url;
			expect(ends.site.label).toBe(getLabel(own));
			expect(ends.partner.label).toBe(getLabel(partner));
			expect(ends.site.own?.record).toBe(shop);
		}),
	);
});

const pieces = fc.constantFrom(
	...['good.example', 'evil.example', 'www.', '.', '@', '/', '\\', ':', '?', '#', '%', 'https://'],
	...['＠', '／', '．', '：', '。', '℀', '‥', ' ', '\u00ad', '\u200b', '1', '_', 'é'],
);

test('parses the same host as the WHATWG URL parser', () => {
	fc.assert(
		fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (parts) => {
			const text = trimInvisible(parts.join(''));
			const url = parseSiteName(text)?.url;
			if (url === undefined) return;
			const address = /^https?:[\\/]{2}/.test(text)
				? text
				: `https://${text.replace(/^[\\/]{2}/, '')}`;
			const visited = new URL(address).hostname.replace(/\.+$/, '');
			expect(['', 'www.'].map((prefix) => prefix + url.host)).toContain(visited);
		}),
		{ numRuns: 3000 },
	);
});
