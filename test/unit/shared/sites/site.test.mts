/**
 * How sites are identified: by URL or ID, in any spelling; which site of the account an end belongs
 * to; which way an exchange goes.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { Exchange } from '../../../../nodes/shared/api/exchange.ts';
import { OwnSites } from '../../../../nodes/shared/sites/ownSites.ts';
import { parseSite } from '../../../../nodes/shared/sites/site.ts';
import {
	getKey as getUrlKey,
	parseSiteEntry,
	parseSiteName,
} from '../../../../nodes/shared/sites/siteUrl.ts';
import { trimInvisible } from '../../../../nodes/shared/utils/text.ts';

function getKey(value: unknown): string | undefined {
	const name = parseSiteName(value);
	return name?.id ?? (name?.url && getUrlKey(name.url));
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
});

describe('parseSiteEntry', () => {
	test.each([
		...[
			'/*',
			'/**',
			'/{page}',
			'/[a-z]+',
			'/:page',
			'/.+',
			'/(.+)',
			'/%',
			'/blog%',
			'/%s',
			'/blog/%/x',
		],
		...['/...', '/blog...', '/…', '/blog…', '/blog/.../', '/blog$', '/^blog', '?page=*'],
	])("doesn't read good.example%s, which has another tool's sign", (path) => {
		expect(parseSiteEntry(`good.example${path}`)).toBeUndefined();
		expect(parseSiteEntry(`https://good.example${path}`)).toBeUndefined();
	});
	test.each(['/100%25', '/tea_(plant)', '/a+b', '/a.b/?q=1+2', '/~me', '/@me', '/a...b'])(
		'reads good.example%s',
		(path) => {
			expect(parseSiteEntry(`good.example${path}`)).toBeDefined();
		},
	);
});

const shop = { id: 'site_shop', url: 'https://shop.example/' };
const german = { id: 'site_de', url: 'https://shop.example/de' };
const blog = { id: 'site_blog', url: 'https://blog.shop.example' };
const account = new OwnSites([german, shop, blog]);

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
});

const spellings = fc.constantFrom<(host: string) => unknown>(
	(host) => `https://${host}`,
	(host) => `HTTP://WWW.${host.toUpperCase()}:80/`,
	(host) => `${host}.`,
	(host) => ({ url: `https://${host}/page?x=1` }),
	(host) => ({ host }),
	(host) => ({ id: 'site_x', name: 'A site', host }),
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
				typeof end === 'string' ? end : Object.values(end as { url: string }).at(-1);
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
