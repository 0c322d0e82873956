/** What a site is called: as browsers read its address, or not at all. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { hostOf, isHostOf } from '../../../nodes/shared/site.ts';

test.each([
	['https://WWW.Good.example:8443/path', 'good.example'],
	[' good.example. ', 'good.example'],
	['//good.example/x', 'good.example'],
	['ｇｏｏｄ.example', 'good.example'],
	['bücher.example', 'xn--bcher-kva.example'],
	['good.example@evil.example', 'evil.example'],
	['https://evil.example\\@good.example', 'evil.example'],
	['good.example%2eevil.example', 'good.example.evil.example'],
	[{ url: 'https://good.example', id: 'site_1' }, 'good.example'],
	[{ id: 'site_1' }, 'site_1'],
])('%j is %s', (site, host) => {
	expect(hostOf(site)).toBe(host);
});

test.each([
	// Signs that only look like those of an address: no browser opens any of these.
	'evil.example＠good.example',
	'https://evil.example＠good.example/',
	'good.example／.evil.example',
	'good.example：443',
	'good.example\u202e',
	'good.example evil.example',
	'*.good.example',
	'//https://good.example',
	'com',
	17,
	null,
	[],
])('%j cannot be read', (site) => {
	expect(hostOf(site)).toBeUndefined();
});

const pieces = fc.constantFrom(
	...['good.example', 'evil.example', 'www.', '.', '@', '/', '\\', ':', '?', '#', '%', 'https://'],
	...['＠', '／', '．', '：', '。', '℀', '‥', ' ', '\u00ad', '\u200b', '1', '_', 'é'],
);

test('a host that is read is the one that a browser would go to', () => {
	fc.assert(
		fc.property(fc.array(pieces, { minLength: 1, maxLength: 6 }), (parts) => {
			const text = parts.join('').trim();
			const host = hostOf(text);
			if (host === undefined || /^[\w-]+$/.test(host)) return;
			const address = /^https?:[\\/]{2}/.test(text)
				? text
				: `https://${text.replace(/^[\\/]{2}/, '')}`;
			const visited = new URL(address).hostname.replace(/\.+$/, '');
			expect(isHostOf(visited, [host], { includeSubdomains: true })).toBe(true);
		}),
		{ numRuns: 20_000 },
	);
});
