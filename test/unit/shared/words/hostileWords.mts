/** Words of strangers, made to act where they are shown. */
import fc from 'fast-check';

const inSlack = ['<!channel>', '<@U123>', '@channel', '@here', '#general', ':fire:', ':+1:'];
const inHtml = ['<script>alert(1)</script>', '&lt;b&gt;', '"', '”', '{{ $json.x }}'];
const inMarkdown = ['*bold*', '_italic_', '\u{1d157}\u{1d165}_0', '~strike~', '`code`', '```'];
const inSpreadsheets = ['=HYPERLINK("x")', '+1+cmd|calc', '-2+3', '\t=1', ','];
const unseen = ['\r\n', '\u202e', '\u2066', '\u200b', '\u0000', '\u3164', '\ufe0f', '\ud800'];
const addresses = [
	...['https://evil.example/x', 'www.evil.example', 'हिन्दी.com', 'example.भारत'],
	...['mailto:a@evil.example', '[text](https://evil.example)'],
	'<https://evil.example|bank.example>',
];
const harmless = [
	'e\u0301\u0301\u0301\u0301\u0301\u0301',
	'x'.repeat(200),
	'🍵',
	' ',
	'.',
	':',
	'a',
	'1',
];

const pieces = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 30 }),
	fc.string({ unit: 'grapheme', maxLength: 30 }),
	fc.constantFrom(
		...[...inSlack, ...inHtml, ...inMarkdown, ...inSpreadsheets, ...unseen],
		...[...addresses, ...harmless],
	),
);
export const hostile = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
