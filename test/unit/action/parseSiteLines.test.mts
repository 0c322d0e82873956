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
	return parseSiteLines(text.split(/\r\n|\n/)).lines.map(({ line, url, niche, problem }) =>
		problem === undefined ? `${line} ${url} | ${niche}` : `${line} !`,
	);
}

test.each([
	[
		'a comma: the rest of the line',
		'https://a.example, Garten, Haus',
		'1 https://a.example | Garten, Haus',
	],
	['a tab: the next cell', 'https://a.example\tTea\tnew', '1 https://a.example | Tea'],
	[
		'a semicolon: the next cell',
		'https://a.example;Tea, green;42',
		'1 https://a.example | Tea, green',
	],
	['no scheme', 'a.example, tea', '1 https://a.example | tea'],
	['a comma in a URL, before a tab', 'https://a.example/x,y\ttea', '1 https://a.example/x,y | tea'],
	[
		'quotes around a cell',
		'"https://a.example";"Tee ""grün"""',
		'1 https://a.example | Tee "grün"',
	],
	[
		'quotes around a niche with a separator',
		'https://a.example;"Garten; Haus"',
		'1 https://a.example | Garten; Haus',
	],
	[
		'quotes around a niche with a comma',
		'"a.example","Garten, Haus"',
		'1 https://a.example | Garten, Haus',
	],
	['empty cells at the end', 'https://a.example,tea,,', '1 https://a.example | tea'],
	['surrounding spaces', '  a.example ,  tea  ', '1 https://a.example | tea'],
	[
		'marks around the address',
		'\u200fhttps://tea.example\u200f, شاي\u200f',
		'1 https://tea.example | شاي',
	],
	['an emoji at the end of the niche', 'a.example, Health ❤️ ', '1 https://a.example | Health ❤️'],
	['a joiner at the end of the niche', 'a.example, ه\u200d', '1 https://a.example | ه\u200d'],
	['a comma in a quoted address', '"https://a.example/x,y";"tea"', '1 https://a.example/x,y | tea'],
	['a dash in front', '- https://a.example, tea', '1 https://a.example | tea'],
	['a dash without a space in front', '-a.example, tea', '1 https://a.example | tea'],
	['a bullet in front', '• https://a.example, tea', '1 https://a.example | tea'],
	['an asterisk in front', '* a.example, tea', '1 https://a.example | tea'],
	['a checkbox in front', '- [x] a.example, tea', '1 https://a.example | tea'],
	['a number and a period in front', '1. https://a.example, tea', '1 https://a.example | tea'],
	['a number in front of a tab', '12)\thttps://a.example\ttea', '1 https://a.example | tea'],
	['a number that belongs to the host', '1.a.example, tea', '1 https://1.a.example | tea'],
	['umlauts', 'https://bücher-ecke.example;Bücher', '1 https://bücher-ecke.example | Bücher'],
])('%s', (_, text, expected) => {
	expect(read(text)).toEqual([expected]);
});

test.each(Array.from(',;،，、；؛﹐､\u07f8'))(
	'separates the address from the niche at %j',
	(separator) => {
		expect(read(`https://a.example${separator}شاي`)).toEqual(['1 https://a.example | شاي']);
		expect(read(`"a.example"${separator} 茶${separator}`)).toEqual(['1 https://a.example | 茶']);
	},
);

test('skips blank lines, empty rows and a header row; numbers lines from 1', () => {
	expect(
		read('\ufeffurl;niche\r\n\r\nhttps://a.example;tea\r\n;\r\n  \r\nb.example;x\r\n'),
	).toEqual(['3 https://a.example | tea', '6 https://b.example | x']);
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
	['a lost letter', 'https://a.example,G\ufffdrten', /^A letter was lost/],
	['a lost letter in the first line', 'b\ufffdcher.example,tea', /^A letter was lost/],
	['a password', 'https://user:pw@tea.example, tea', /user name or password/],
	['a password without a scheme', 'user:pw@tea.example, tea', /user name or password/],
	['a user name', 'https://user@tea.example, tea', /user name or password/],
	['an invisible character in the address', 'te\u200ba.example, tea', /character U\+200B/],
	['a scheme without a colon', 'https//tea.example, tea', /^The line doesn't begin with/],
])('reports %s', (_, text, problem) => {
	const { lines, columnNames } = parseSiteLines([text, 'https://z.example, tea']);
	expect(columnNames).toBeUndefined();
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
	const [, line] = parseSiteLines(['https://z.example, tea', text]).lines;
	expect(line?.problem).toMatch(/^The line doesn't begin with the address of a site/);
});

test.each([
	['Website, Topic', 'Website, Topic'],
	['"Website";"Topic, \nmain"', 'Website, Topic, main'],
	['Top pages,Clicks,Impressions,CTR,Position', 'Top pages, Clicks, Impressions, CTR, Position'],
	['\ufeffurl\tniche\t', 'url, niche'],
	['Сайт；Тема', 'Сайт, Тема'],
])('reads %j as column names', (text, names) => {
	const { lines, columnNames } = parseSiteLines(['', text, 'https//a.example, tea']);
	expect(columnNames).toEqual({ line: 2, names });
	expect(lines.map(({ line }) => line)).toEqual([3]);
});

test.each([
	...['https//tea.example, tea', 'tea,example.org', 'site_17, tea', '17, tea', 'mail@a, tea'],
])('reports %j in the first line, and does not read it as column names', (text) => {
	const { lines, columnNames } = parseSiteLines([text, 'https://z.example, tea']);
	expect(columnNames).toBeUndefined();
	expect(lines.map(({ line, problem }) => [line, problem === undefined])).toEqual([
		[1, false],
		[2, true],
	]);
});

test.each([['tea'], ['Website, Topic'], ['one', 'two']])(
	'reports lines without any address: %j %j',
	(...texts) => {
		const { lines, columnNames } = parseSiteLines(texts);
		expect(columnNames).toBeUndefined();
		expect(lines.every(({ problem }) => problem !== undefined)).toBe(true);
		expect(lines.length).toBe(texts.length);
	},
);

test('reports every line that names something exactly once', () => {
	const part = fc.constantFrom(
		...['tea', 'https://a.example', 'a.example', 'https//b', 'user:pw@c.example', '17', '3.5%'],
		...[',', ';', '\t', '،', '"', ' ', '- ', '1. ', '• ', '\u200f', '\ufe0f', '茶', '❤️', '.'],
	);
	const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
			const { lines, columnNames } = parseSiteLines(texts);
			const numbers = [...lines, ...(columnNames ? [columnNames] : [])].map(({ line }) => line);
			const expected = [...texts.entries()]
				.filter(([, line]) => /[\p{L}\p{N}❤]/u.test(line))
				.map(([index]) => index + 1);
			expect(numbers.sort((one, other) => one - other)).toEqual(expected);
		}),
		{ numRuns: 2000 },
	);
});
