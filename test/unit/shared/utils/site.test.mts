/**
 * Sites are parsed as browsers parse URLs, or not at all. Equal URLs of a site in Create:
 * test/engine/action/siteCreate.test.mts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import {
	getSiteIdKind,
	getSiteIds,
	matchesSite,
	normalizeSite,
	parseSiteId,
} from '../../../../nodes/shared/utils/site.ts';

test.each([
	['https://WWW.Good.example:8443/path', 'good.example'],
	[' good.example. ', 'good.example'],
	['//good.example/x', 'good.example'],
	['ｇｏｏｄ.example', 'good.example'],
	['bücher.example', 'xn--bcher-kva.example'],
	['good.example@evil.example', 'evil.example'],
	['https://evil.example\\@good.example', 'evil.example'],
	['good.example%2eevil.example', 'good.example.evil.example'],
	[17, '17'],
	['17', '17'],
	[' SITE_1a2B ', 'site_1a2b'],
])('parses %j as %s', (site, host) => {
	expect(parseSiteId(site)).toBe(host);
	expect(getSiteIds(site)).toEqual([host]);
	expect(getSiteIds({ url: site })).toEqual([host]);
	expect(getSiteIds({ id: site, url: 'https://other.example' })).toEqual(['other.example', host]);
});

test.each([
	// Characters that only look like those of a URL: no browser opens any of these.
	'evil.example＠good.example',
	'https://evil.example＠good.example/',
	'good.example／.evil.example',
	'good.example：443',
	'good.example\u202e',
	'good.example evil.example',
	'*.good.example',
	'//https://good.example',
	...['com', 'tea-blog2', 'site_', '0x11', '-1', 1.5, -1, 2 ** 60, null, []],
])('rejects %j', (site) => {
	expect(parseSiteId(site)).toBeUndefined();
	expect(getSiteIds({ id: site })).toEqual([]);
});

test.each([
	['17', 'number'],
	['site_17', 'id'],
	['17.example', 'address'],
	['good.example/17', 'address'],
	['127.0.0.1', undefined],
])('%j has the form %s', (name, form) => {
	expect(getSiteIdKind(name)).toBe(form);
});

const pieces = fc.constantFrom(
	...['good.example', 'evil.example', 'www.', '.', '@', '/', '\\', ':', '?', '#', '%', 'https://'],
	...['＠', '／', '．', '：', '。', '℀', '‥', ' ', '\u00ad', '\u200b', '1', '_', 'é'],
);

test('parses the same host as the WHATWG URL parser', () => {
	fc.assert(
		fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (parts) => {
			const text = parts.join('').trim();
			const host = parseSiteId(text);
			if (host === undefined || /^[\w-]+$/.test(host)) return;
			const address = /^https?:[\\/]{2}/.test(text)
				? text
				: `https://${text.replace(/^[\\/]{2}/, '')}`;
			const visited = new URL(address).hostname.replace(/\.+$/, '');
			expect(matchesSite(visited, [host], { includeSubdomains: true })).toBe(true);
		}),
		{ numRuns: 3000 },
	);
});

test('the filter name is equal for two forms of a site, and different for two sites', () => {
	expect(normalizeSite('HTTPS://WWW.münchen.example:443/Blog//')).toBe(
		'xn--mnchen-3ya.example/blog',
	);
	expect(normalizeSite('http://a.example:8080')).toBe('a.example:8080');
	expect(normalizeSite('site_1A')).toBe('site_1a');
	expect(normalizeSite('http://[')).toBe('http://[');
	expect(normalizeSite('a.example/go?to=https://b.example')).toBe('a.example/go');
});
