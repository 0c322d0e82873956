/** What a message makes of the words of strangers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
	address,
	describeExchange,
	plain,
	quote,
	quoteValue,
	several,
} from '../../../../nodes/shared/words/message.ts';
import { hostile } from './hostileWords.mts';

/** Marks count as letters: in many scripts, a name has both. */
const anyAddress = /[\p{L}\p{M}\p{N}]\.\p{L}[\p{L}\p{M}]/u;

it('a value is quoted with its names, and nothing acts in either', () => {
	const record = { state: { 'https://evil.example <!channel>': 'https://evil.example' } };
	expect(quoteValue(record)).toBe('{"state":{"evil[.]example !channel":"evil[.]example"}}');
});

describe('words', () => {
	it('whatever they are, nothing in them acts in Slack, HTML or a spreadsheet', () => {
		fc.assert(
			fc.property(hostile, (words) => {
				const quoted = quote(words);
				if (quoted === undefined) return;
				expect(quoted).toMatch(/^".+"$/su);
				const text = quoted.slice(1, -1);
				expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
				expect(text).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
				expect(text).not.toMatch(/[<>&@"`*~|={}\\^]/u);
				expect(text, 'one line, single blanks').not.toMatch(/[^\S ]| {2}/u);
				expect(text).not.toMatch(/^[\s=+\-@]|[\s]$/u);
				expect(text, 'a cell after a separator').not.toMatch(/[,;] ?[=+\-@](?! )/u);
				expect(Array.from(text).length).toBeLessThanOrEqual(80 * 3);
				expect(text).not.toMatch(/\p{M}{4}/u);
				// What may be an ID stays as it is.
				if (!/^[a-z\d][\w-]*$/i.test(words)) {
					expect(text, 'italic').not.toMatch(/(^|[^\p{L}\p{M}\p{N}])_|_([^\p{L}\p{M}\p{N}]|$)/u);
				}
				expect(text, 'emoji name or scheme').not.toMatch(/:[^\p{N} …]/u);
				expect(plain(words, 1000), 'address').not.toMatch(anyAddress);
				expect(text, 'address').not.toMatch(anyAddress);
				expect(plain(words, 9), 'half of a character').not.toMatch(/\p{C}/u);
				expect(text, 'scheme').not.toContain('://');
				expect(text, 'channel').not.toMatch(/#\P{N}/u);
				expect(text, 'Markdown link').not.toMatch(/\]\(/);
			}),
			{ numRuns: 5000 },
		);
	});

	it.each([
		['green tea', '"green tea"'],
		['Best kettles, tested & rated (2026)!', '"Best kettles, tested and rated (2026)!"'],
		["the world's best", '"the world\'s best"'],
		['"quoted"', `"'quoted'"`],
		['two\nlines\tand  more', '"two lines and more"'],
		['link_removed', '"link_removed"'],
		['_link_ removed', '"link removed"'],
		['visit evil.example, evil1.example', '"visit evil[.]example, evil1[.]example"'],
		['https://evil.example/a?b=c', '"evil[.]example/a?b c"'],
		['mail@evil.example', '"mail(at)evil[.]example"'],
		['<!channel> free *money*', '"!channel free money"'],
		['=1+1', '"1+1"'],
		['-5 degrees', '"5 degrees"'],
		['- - 5 degrees', '"5 degrees"'],
		['tea:', '"tea:"'],
		['cafe\u0301', '"caf\u00e9"'],
		['a balance of -5 credits, -6, --7', '"a balance of -5 credits, 6, 7"'],
		['12:30, 5 € – cheap', '"12:30, 5 € - cheap"'],
		['Grüner Tee — 緑茶。', '"Grüner Tee - 緑茶。"'],
		['שלום tea', '"שלום tea"'],
		['tea 🍵 time', '"tea 🍵 time"'],
		[':fire: #general #1', '"fire: general #1"'],
		['x\u0301 ?\u0301\u0301', '"x\u0301 ?"'],
		[`x${'\u0301'.repeat(5)}`, `"x${'\u0301'.repeat(3)}"`],
		[7, '"7"'],
	])('%j is shown as %s', (words, shown) => {
		expect(quote(words)).toBe(shown);
	});

	it('are counted', () => {
		expect([0, 1, 2].map((count) => several(count, 'link'))).toEqual([
			'0 links',
			'1 link',
			'2 links',
		]);
	});

	it('are cut where they are too long, and never in the middle of a character', () => {
		expect(quote('x'.repeat(81))).toBe(`"${'x'.repeat(79)}…"`);
		expect(quote('🍵'.repeat(81))).toBe(`"${'🍵'.repeat(79)}…"`);
		expect(quote('x'.repeat(80))).toBe(`"${'x'.repeat(80)}"`);
	});

	it.each([undefined, null, '', ' \n', '***', {}, [], true, '\u200b\u202e', Number])(
		'%j is nothing to quote',
		(words) => {
			expect(quote(words)).toBeUndefined();
		},
	);
});

describe('addresses', () => {
	it.each([
		['https://kettle-review.example/', 'kettle-review.example'],
		['http://tea.example/blog/green-tea', 'tea.example/blog/green-tea'],
		['tea.example:8080', 'tea.example:8080'],
		['site_1a2b', '"site_1a2b"'],
		['https://tea.example/<b>', '"tea[.]example/ b"'],
		['javascript:alert(1)', '"javascript alert(1)"'],
		[{ id: 'site_1', url: 'https://tea.example' }, 'tea.example'],
		[{ id: 'site_1', url: '' }, '"site_1"'],
	])('%j is shown as %s', (site, shown) => {
		expect(address(site)).toBe(shown);
	});

	it('the two ends of an exchange stand side by side, as far as they are known', () => {
		expect(describeExchange({ from_site: 'https://a.example', to_site: 'b.example' })).toBe(
			'a.example → b.example',
		);
		expect(describeExchange({ to_site: 'b.example' })).toBe('an unknown site → b.example');
		expect(describeExchange({})).toBeUndefined();
	});
});

it('a word such as an ID is quoted as it is, whatever stands in it', () => {
	const id = fc.stringMatching(/^exc_[\w-]{1,40}$/);
	fc.assert(fc.property(id, (each) => quote(each) === `"${each}"` && plain(each, 60) === each));
});
