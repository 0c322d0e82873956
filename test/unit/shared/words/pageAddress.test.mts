/** The address of a page as it stands in messages: the same page, and nothing in it acts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { linkOf } from '../../../../nodes/shared/words/pageAddress.ts';

const linkFrom = (live_url: unknown) => linkOf({ live_url } as never);

const signs = fc.oneof(
	fc.constantFrom(...Array.from('&#_?=%/.:;,+-*~|@!$()[]{}<>"\'`\\^ \n\t')),
	fc.constantFrom(
		...['&lt;', '&copy=1', '&#60;', '#general', '@here', ':fire:', '_italic_', '..', '%2e', '%zz'],
		...['<!channel>', '<script>', '=HYPERLINK("x")', '*bold*', '](https://evil.example)'],
	),
	fc.string({ unit: 'binary', maxLength: 5 }),
	fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const behindTheHost = fc.array(signs, { maxLength: 20 }).map((parts) => `/${parts.join('')}`);
const begin = fc.constantFrom(
	'https://tea.example',
	'http://tea.example:8080',
	'HTTPS://Tea.EXAMPLE',
);

/** What an address asks a server and a page for, however it is written. */
function meaning(address: string): unknown {
	const { origin, pathname, search, hash } = new URL(address);
	const decoded = (text: string) =>
		text.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return {
		origin,
		segments: pathname.split('/').map(decoded),
		parameters: [...new URLSearchParams(search)],
		fragment: decoded(hash),
	};
}

describe('the address of a page', () => {
	it('leads to the same page, whatever it holds, and nothing in it acts', () => {
		fc.assert(
			fc.property(begin, behindTheHost, (origin, rest) => {
				const original = `${origin}${rest}`;
				const link = linkFrom(original);
				if (link === undefined) {
					expect(new URL(original).href.length).toBeGreaterThan(300);
					return;
				}
				expect(link).toMatch(/^https?:\/\/[a-z0-9.:]+\/[a-z0-9/.?&=#%+_-]*$/i);
				expect(link.length).toBeLessThanOrEqual(1000);
				expect(link, 'a character of HTML, or a channel').not.toMatch(/(&#?|#)[a-z0-9]/i);
				expect(link, 'italics').not.toMatch(/(^|[^a-z0-9])_|_([^a-z0-9]|$)/i);
				expect(link, 'the end of a sentence').not.toMatch(/[.?]$/);
				expect(meaning(link)).toEqual(meaning(original));
				expect(linkFrom(link)).toBe(link);
			}),
			{ numRuns: 5000 },
		);
	});

	it.each([
		['https://kettle-review.example/articles/tea', 'https://kettle-review.example/articles/tea'],
		['  https://Tea.Example  ', 'https://tea.example/'],
		['https://tea.example/grüner_tee', 'https://tea.example/gr%C3%BCner_tee'],
		['https://tee-grün.example/x', 'https://xn--tee-grn-s2a.example/x'],
		['https://tea.example/?p=12&lang=en#top', 'https://tea.example/?p=12&%6Cang=en#%74op'],
		['https://tea.example/#ab#cd', 'https://tea.example/#%61b%23cd'],
		['https://tea.example/(a)*b*', 'https://tea.example/%28a%29%2Ab%2A'],
		['https://me:secret@tea.example/', 'https://tea.example/'],
		['https://bank.example@evil.example/', 'https://evil.example/'],
		[`https://tea.example/${'a'.repeat(980)}`, `https://tea.example/${'a'.repeat(980)}`],
	])('%j is shown as %s', (address, link) => {
		expect(linkFrom(address)).toBe(link);
	});

	it.each([
		...[undefined, null, 7, {}, ['https://tea.example']],
		...['', 'https://', 'tea.example/blog', '//tea.example', 'ftp://tea.example/'],
		'xhttps://tea.example/',
		...['javascript:alert(1)', 'data:text/html,x'],
		...['https://[::1]/', 'https://a"b.example/', "https://a'b.example/", 'https://-*-.example/'],
		`https://tea.example/${'a'.repeat(981)}`,
		`https://tea.example/${'ü'.repeat(200)}`,
	])('%j is none', (address) => {
		expect(linkFrom(address)).toBeUndefined();
	});

	it('is that of the payload, or else that of the record', () => {
		const exchange = { live_url: 'https://b.example/' };
		expect(linkOf({ live_url: 'https://a.example/' }, exchange)).toBe('https://a.example/');
		expect(linkOf({ live_url: 'nowhere' }, exchange)).toBe('https://b.example/');
		expect(linkOf({}, exchange)).toBe('https://b.example/');
	});
});
