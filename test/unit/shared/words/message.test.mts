/** What a message makes of the words of strangers. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { eventMessage } from '../../../../nodes/shared/words/eventMessage.ts';
import { address, describeExchange, plain, quote } from '../../../../nodes/shared/words/message.ts';

const pieces = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 30 }),
	fc.string({ unit: 'grapheme', maxLength: 30 }),
	fc.constantFrom(
		'<!channel>',
		'<@U123>',
		'<script>alert(1)</script>',
		'&lt;b&gt;',
		'@channel',
		'@here',
		'*bold*',
		'_italic_',
		'\u{1d157}\u{1d165}_0',
		'~strike~',
		'`code`',
		'```',
		':fire:',
		':+1:',
		'#general',
		'=HYPERLINK("x")',
		'+1+cmd|calc',
		'-2+3',
		'\t=1',
		'\r\n',
		'\u202e',
		'\u2066',
		'\u200b',
		'\u0000',
		'\u3164',
		'\ufe0f',
		'\ud800',
		'https://evil.example/x',
		'www.evil.example',
		'हिन्दी.com',
		'example.भारत',
		'mailto:a@evil.example',
		'[text](https://evil.example)',
		'<https://evil.example|bank.example>',
		'"',
		'”',
		'{{ $json.x }}',
		'e\u0301\u0301\u0301\u0301\u0301\u0301',
		'x'.repeat(200),
		'🍵',
		',',
		' ',
		'.',
		':',
		'a',
		'1',
	),
);
const hostile = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));

function inner(quoted: string): string {
	expect(quoted).toMatch(/^".+"$/su);
	return quoted.slice(1, -1);
}

/** Marks count as letters: in many scripts, a name has both. */
const anyAddress = /[\p{L}\p{M}\p{N}]\.\p{L}[\p{L}\p{M}]/u;

/** What nothing that is shown may hold, whoever wrote it. */
function expectHarmless(text: string): void {
	expect(text).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
	expect(text).not.toMatch(/\p{Default_Ignorable_Code_Point}/u);
	expect(text).not.toMatch(/[<>&@"`*~|={}\\^]/u);
	expect(text, 'one line, single blanks').not.toMatch(/[^\S ]| {2}/u);
	expect(text).not.toMatch(/^[\s=+\-@]|[\s]$/u);
	expect(text, 'a cell after a separator').not.toMatch(/[,;] ?[=+\-@](?! )/u);
	expect(Array.from(text).length).toBeLessThanOrEqual(80 * 3);
	expect(text).not.toMatch(/\p{M}{4}/u);
}

describe('words', () => {
	it('whatever they are, nothing in them acts in Slack, HTML or a spreadsheet', () => {
		fc.assert(
			fc.property(hostile, (words) => {
				const quoted = quote(words);
				if (quoted === undefined) return;
				const text = inner(quoted);
				expectHarmless(text);
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

describe('events', () => {
	const record = {
		id: 'exc_1',
		from_site: 'https://kettle-review.example',
		to_site: 'https://tea.example',
		anchor: 'green tea',
		live_url: 'https://kettle-review.example/tea',
	};
	const alert = { exchange_id: 'exc_1', severity: 'critical', type: 'link_removed', detail: 404 };
	const link = 'https://kettle-review.example/tea';
	const requested = { ...record, live_url: null };
	const ends = 'kettle-review.example → tea.example, anchor "green tea"';
	const which = 'anchor "green tea", exchange "exc_1"';
	it.each([
		['exchange.requested', requested, `Exchange requested: ${ends}, exchange "exc_1"`],
		['exchange.accepted', requested, `Exchange accepted: ${ends}, exchange "exc_1"`],
		['exchange.accepted', record, `Exchange accepted: ${ends}, page ${link}, exchange "exc_1"`],
		['exchange.accepted', { id: 'exc_1' }, 'Exchange accepted: exchange "exc_1"'],
		[
			'exchange.published',
			record,
			`Link published: the link from ${link} to tea.example is live, ${which}`,
		],
		[
			'exchange.published',
			{ id: 'exc_1', live_url: link },
			`Link published: the link from ${link} is live, exchange "exc_1"`,
		],
		['exchange.published', { id: 'exc_1' }, 'Link published: the link is live, exchange "exc_1"'],
		[
			'exchange.broken',
			record,
			`Link broken: the link from ${link} to tea.example is no longer live, ${which}`,
		],
		[
			'exchange.broken',
			{ ...record, live_url: 'ftp://kettle-review.example/tea' },
			`Link broken: the link from "kettle-review[.]example/tea" to tea.example is no longer live, ${which}`,
		],
		[
			'watchdog.alert',
			alert,
			'Link removed (critical): the link is gone, exchange "exc_1", detail "404"',
		],
		['<b>', { id: 1 }, 'Event "b": exchange "1"'],
		['credits.low', { balance: 3 }, 'Event "credits[.]low"'],
		['exchange.accepted', {}, 'Exchange accepted'],
		['watchdog.alert', {}, 'Watchdog alert'],
	])('%s is one plain sentence', (event, data, message) => {
		expect(eventMessage(event, data)).toBe(message);
	});

	it.each([
		[
			alert,
			`Link removed (critical): the link from ${link} to tea.example is gone, ${which}, detail "404"`,
		],
		[
			{ exchange_id: 'exc_1', severity: 'warning', type: 'link_nofollow' },
			`Link nofollow (warning): the link from ${link} to tea.example is marked nofollow, ${which}`,
		],
		[
			{ exchange_id: 'exc_1', severity: 2, type: 'anchorTextChanged', detail: 'Now "buy tea".' },
			`Anchor text changed ("2"): the link from ${link} to tea.example, ${which}, detail "Now 'buy tea'."`,
		],
		[
			{ exchange_id: 'exc_1', severity: '<!here>', type: '*gone* https://evil.example' },
			`Watchdog alert ("!here"): type "gone evil[.]example", the link from ${link} to tea.example, ${which}`,
		],
		[
			{ exchange_id: 'exc_1', type: 'x'.repeat(41) },
			`Watchdog alert: type "${'x'.repeat(41)}", the link from ${link} to tea.example, ${which}`,
		],
	])('an alert speaks of the link of its exchange where that is known: %j', (data, message) => {
		expect(eventMessage('watchdog.alert', data, record)).toBe(message);
	});

	it('the page of an alert may be its own', () => {
		const own = { ...alert, live_url: 'https://kettle-review.example/other' };
		expect(eventMessage('watchdog.alert', own, record)).toContain(
			'the link from https://kettle-review.example/other to tea.example is gone',
		);
	});

	it('whatever the fields hold, nothing in them acts', () => {
		const field = fc.oneof(hostile, fc.constant(undefined), fc.integer());
		const records = fc.record({
			id: field,
			exchange_id: field,
			from_site: field,
			to_site: field,
			anchor: field,
			severity: field,
			type: field,
			detail: field,
			live_url: field,
		});
		const names = fc.constantFrom('exchange.published', 'watchdog.alert', 'exchange.requested');
		const page = fc.webUrl({ withFragments: true, withQueryParameters: true });
		fc.assert(
			fc.property(fc.oneof(names, hostile), records, fc.option(page), (event, data, live_url) => {
				const message = eventMessage(event, { ...data, live_url: live_url ?? data.live_url });
				const own = message
					.replaceAll(/"[^"]*"/g, 'quoted')
					.replaceAll(/https?:\/\/\S+/g, 'address')
					.replaceAll(/\b[a-z0-9][a-z0-9.-]*\.[a-z0-9./%:-]*…?/gi, 'address');
				expect(own).toMatch(/^[A-Z][a-z0-9]*( [a-z0-9]+)*( \([a-z ]+\))?(: [a-z ,→]+)?$/);
				const words = message.replaceAll(/https?:\/\/\S+/g, 'address');
				expect(words).not.toMatch(/[\p{C}\p{Zl}\p{Zp}<>&@*~`|={}\\^]/u);
			}),
			{ numRuns: 2000 },
		);
	});
});

it('a word such as an ID is quoted as it is, whatever stands in it', () => {
	const id = fc.stringMatching(/^exc_[\w-]{1,40}$/);
	fc.assert(fc.property(id, (each) => quote(each) === `"${each}"` && plain(each, 60) === each));
});
