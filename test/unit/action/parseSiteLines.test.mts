/** Sites as users paste them from other programs. */
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
	['umlauts', 'https://bücher-ecke.example;Bücher', '1 https://bücher-ecke.example | Bücher'],
])('%s', (_, text, expected) => {
	expect(read(text)).toEqual([expected]);
});

test('skips blank lines, empty rows and a header row; numbers lines from 1', () => {
	expect(
		read('\ufeffurl;niche\r\n\r\nhttps://a.example;tea\r\n;\r\n  \r\nb.example;x\r\n'),
	).toEqual(['3 https://a.example | tea', '6 https://b.example | x']);
	expect(read('')).toEqual([]);
});

test.each([
	['no niche', 'https://a.example', 'the niche is missing behind the address'],
	['an empty niche', 'https://a.example;', 'the niche is missing behind the address'],
	['a lost letter', 'https://a.example,G\ufffdrten', /^a letter was lost/],
	['a lost letter in the first line', 'b\ufffdcher.example,tea', /^a letter was lost/],
])('reports %s, with the line unchanged', (_, text, problem) => {
	const [read] = parseSiteLines([text, 'https://z.example, tea']);
	expect(read?.problem).toMatch(problem);
	expect(read).toMatchObject({ line: 1, text });
});

test.each([
	'tea',
	'ftp://a.example, tea',
	'mail@a.example, tea',
	'17, tea',
	'site_17, tea',
	'my site, tea',
])('reports %j after other lines as a line without a usable URL', (text) => {
	const [, read] = parseSiteLines(['https://z.example, tea', text]);
	expect(read?.problem).toBe('it does not begin with the address of a site');
});
