/** Sites as users paste them from other programs. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { parseSiteLines } from '../../../nodes/BacklinkExchange/resources/site/parseSiteLines.ts';

/**
 * Parses lines.
 *
 * @returns `line URL | niche`, or `line !` if the line is invalid
 */
function read(text: string): string[] {
	return parseSiteLines(text.split(/\r\n|\n/)).map(({ line, url, niche, problem }) =>
		problem === undefined ? `${line} ${url} | ${niche}` : `${line} !`,
	);
}

test.each([
	[
		'a comma: the rest of the line',
		'https://a.example, Garten, Haus',
		'1 https://a.example | Garten, Haus',
	],
	['no scheme', 'a.example, tea', '1 https://a.example | tea'],
	['quotes around a cell', '"https://a.example";"Tee grün"', '1 https://a.example | Tee grün'],
	[
		'quotes around a niche with a comma',
		'"a.example","Garten, Haus"',
		'1 https://a.example | Garten, Haus',
	],
	['surrounding spaces', '  a.example ,  tea  ', '1 https://a.example | tea'],
	[
		'marks around the address',
		'\u200fhttps://tea.example\u200f, شاي\u200f',
		'1 https://tea.example | شاي',
	],
	['an emoji at the end of the niche', 'a.example, Health ❤️ ', '1 https://a.example | Health ❤️'],
	['a joiner at the end of the niche', 'a.example, ه\u200d', '1 https://a.example | ه\u200d'],
	['a number that belongs to the host', '1.a.example, tea', '1 https://1.a.example | tea'],
	['umlauts', 'https://bücher-ecke.example;Bücher', '1 https://bücher-ecke.example | Bücher'],
])('%s', (_, text, expected) => {
	expect(read(text)).toEqual([expected]);
});

test.each(Array.from(',;\t'))('separates the address from the niche at %j', (separator) => {
	expect(read(`https://a.example${separator}شاي`)).toEqual(['1 https://a.example | شاي']);
	expect(read(`"a.example"${separator} 茶`)).toEqual(['1 https://a.example | 茶']);
});

test('skips blank lines and empty rows, reports a header row, and numbers lines from 1', () => {
	expect(
		read('\ufeffurl;niche\r\n\r\nhttps://a.example;tea\r\n;\r\n  \r\nb.example;x\r\n'),
	).toEqual(['1 !', '3 https://a.example | tea', '6 https://b.example | x']);
	expect(read('')).toEqual([]);
	expect(read('---\n \u200b\n,;،')).toEqual([]);
});

test.each([
	['no niche', 'https://a.example', /^The niche is missing after the address/],
	['an empty niche', 'https://a.example;', /^The niche is missing after the address/],
	['a niche without a letter', 'https://a.example;12', /^The niche “12” has no letter/],
	[
		'numbers of an export',
		'https://tea.example/green,12,340,3.53%,7.2',
		/^The niche “12,340,3.53%,7.2” has no letter/,
	],
	['a third cell', 'https://a.example\tTea\tnew', /more than two cells/],
	['a lost letter', 'https://a.example,G\ufffdrten', /^A letter was lost/],
	['a lost letter in the first line', 'b\ufffdcher.example,tea', /^A letter was lost/],
	['a password', 'https://user:pw@tea.example, tea', /user name or password/],
	['a password without a scheme', 'user:pw@tea.example, tea', /user name or password/],
	['a user name', 'https://user@tea.example, tea', /user name or password/],
	['an invisible character in the address', 'te\u200ba.example, tea', /character U\+200B/],
	['a scheme without a colon', 'https//tea.example, tea', /^The line doesn't begin with/],
])('reports %s', (_, text, problem) => {
	const lines = parseSiteLines([text, 'https://z.example, tea']);
	expect(lines[0]).toMatchObject({ line: 1, problem: expect.stringMatching(problem) as unknown });
	expect(JSON.stringify(lines[0])).not.toContain('pw');
});

test.each([
	'tea',
	'ftp://a.example, tea',
	'mail@a.example, tea',
	'17, tea',
	'site_17, tea',
	'my site, tea',
	'*.a.example, tea',
	'-, tea',
	'😀',
])('reports %j after other lines as a line without a usable URL', (text) => {
	const [, line] = parseSiteLines(['https://z.example, tea', text]);
	expect(line?.problem).toMatch(/^The line doesn't begin with the address of a site/);
});

test('reports every line that names something exactly once', () => {
	const part = fc.constantFrom(
		...['tea', 'https://a.example', 'a.example', 'https//b', 'user:pw@c.example', '17', '3.5%'],
		...[',', ';', '\t', '،', '"', ' ', '- ', '1. ', '• ', '\u200f', '\ufe0f', '茶', '❤️', '.'],
	);
	const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
			const numbers = parseSiteLines(texts).map(({ line }) => line);
			const expected = [...texts.entries()]
				.filter(([, line]) => /[\p{L}\p{N}❤]/u.test(line))
				.map(([index]) => index + 1);
			expect(numbers.sort((one, other) => one - other)).toEqual(expected);
		}),
		{ numRuns: 2000 },
	);
});
