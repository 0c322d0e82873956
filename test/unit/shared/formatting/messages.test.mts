/**
 * Third-party text in messages: unchanged, except for invisible characters and markup of Slack and
 * HTML.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { eventMessage } from '../../../../nodes/shared/formatting/eventMessage.ts';
import {
	describeExchange,
	formatSite,
	quote,
	sanitize,
} from '../../../../nodes/shared/formatting/message.ts';
import { getPageUrl } from '../../../../nodes/shared/formatting/pageUrl.ts';

it.each([
	['green tea', '“green tea”'],
	['Essen & Trinken', '“Essen & Trinken”'],
	['rel="nofollow"', '“rel="nofollow"”'],
	['100 °C, ½ price – 20 % off!', '“100 °C, ½ price – 20 % off!”'],
	['xn--bcher-kva', '“xn--bcher-kva”'],
	['/~anna', '“/~anna”'],
	['ゆっくり コーヒー', '“ゆっくり コーヒー”'],
	['two\nlines\tand  more', '“two lines and more”'],
	['<!channel> <b>hi</b>', '“‹!channel› ‹b›hi‹/b›”'],
	['zero\u200bwidth \u202eleft', '“zerowidth left”'],
	[42, '“42”'],
	['x'.repeat(100), `“${'x'.repeat(79)}…”`],
	[' \u200b', undefined],
	[null, undefined],
	[{}, undefined],
])('quotes %j as %s', (words, quoted) => {
	expect(quote(words)).toBe(quoted);
});

it('keeps any text on one line, without invisible characters, < and >, and cuts no character', () => {
	const pieces = fc.constantFrom(
		...['a', 'é', '<', '>', '&', '“', '.', '/', ' ', '\n', '\t', '\0', 'https://', 'x'.repeat(30)],
		...['\u200b', '\u202e', '\u2028', '\u3164', '\ufe0f', '\ud800', '👩‍🌾', 'tea.example'],
	);
	const words = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(words, (text) => {
			for (const shown of [sanitize(text, 60), quote(text) ?? '', formatSite(text) ?? '']) {
				expect(shown).not.toMatch(
					/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>]|\p{Default_Ignorable_Code_Point}/u,
				);
				expect(Array.from(shown).length).toBeLessThanOrEqual(82);
			}
		}),
	);
});

it.each([
	['https://Bücher.example/', 'Bücher.example'],
	['http://kettle-review.example/~anna?x=1&y=2', 'kettle-review.example/~anna?x=1&y=2'],
	['xn--bcher-kva.example', 'xn--bcher-kva.example'],
	[{ url: 'https://tea.example', id: 'site_1' }, 'tea.example'],
	[{ name: 'Tea & more' }, '“Tea & more”'],
	['site_1', '“site_1”'],
	['two words.example', '“two words.example”'],
	['tea.example@evil.example', '“tea.example@evil.example”'],
	[undefined, undefined],
])('shows the URL of %j as %s', (site, shown) => {
	expect(formatSite(site)).toBe(shown);
});

it.each([
	['https://a.example/~anna/Über uns?q=1#top', 'https://a.example/~anna/%C3%9Cber%20uns?q=1#top'],
	['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
	['https://user:secret@a.example/x', 'https://a.example/x'],
	["https://a.example/'(<x>)|y", 'https://a.example/%27%28%3Cx%3E%29%7Cy'],
	['https://a.example/?x=1&region=2', 'https://a.example/?x=1&%72egion=2'],
	['https://a.example/end.', 'https://a.example/end%2E'],
	['javascript:alert(1)', undefined],
	['a.example/x', undefined],
	[`https://a.example/${'x'.repeat(1000)}`, undefined],
	['https://a.example/??', 'https://a.example/?%3F'],
])('turns the page %s into the link %s', (live_url, link) => {
	expect(getPageUrl({ live_url })).toBe(link);
	if (link !== undefined) expect(decodeURI(new URL(link).href)).toContain('a.example');
});

it('a link is safe in Slack, HTML and at the end of a sentence, and leads to the same page', () => {
	fc.assert(
		fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (page) => {
			const link = getPageUrl({ live_url: page });
			if (link === undefined) return;
			expect(link).toMatch(/^https?:\/\/[^\s<>"'|()]+[^\s.,;:!?]$/);
			const getParts = ({ origin, pathname, search, hash }: URL) =>
				[origin, pathname, search, hash].map(decodeURIComponent);
			expect(getParts(new URL(link))).toEqual(getParts(new URL(page)));
		}),
	);
});

const page = 'https://kettle-review.example/tea';
const record = {
	id: 'exc_1',
	from_site: 'https://kettle-review.example',
	to_site: 'https://tea.example',
	anchor: 'green tea',
	live_url: page,
};
const offer = { ...record, live_url: null };
const ends = 'kettle-review.example → tea.example, anchor “green tea”';
const theLink = `the link from ${page} to tea.example`;
const accepted_at = '2026-07-01T12:00:00Z';
it.each([
	['exchange.requested', offer, `Exchange requested: ${ends}`],
	['exchange.requested', { id: 'exc_1' }, 'Exchange requested: exchange “exc_1”'],
	[
		'exchange.accepted',
		{ ...offer, accepted_at },
		`Exchange accepted: ${ends}, at 1 Jul 2026, 12:00 UTC`,
	],
	['exchange.accepted', record, `Exchange accepted: ${ends}, page ${page}`],
	['exchange.published', record, `Link published: ${theLink} is live, anchor “green tea”`],
	['exchange.published', { id: 'exc_1' }, 'Link published: exchange “exc_1”'],
	['exchange.broken', record, `Link broken: ${theLink} is no longer live, anchor “green tea”`],
	['<b>', { id: 1 }, 'Event “‹b›”: exchange “1”'],
	['exchange.accepted', {}, 'Exchange accepted'],
	['watchdog.alert', {}, 'Watchdog alert'],
])('describes %s in one sentence: %j', (event, data, message) => {
	expect(eventMessage(event, data)).toBe(message);
});

it.each([
	// The sentence already contains the detail, and the link identifies the exchange.
	[
		{
			severity: 'critical',
			type: 'link_removed',
			detail: `The link to tea.example is gone from ${page}.`,
		},
		`Link removed (critical): ${theLink} is gone, anchor “green tea”`,
	],
	[
		{ severity: 'critical', type: 'link_removed', detail: 'HTTP 404' },
		`Link removed (critical): ${theLink} is gone, anchor “green tea”, detail “HTTP 404”`,
	],
	[
		{ severity: 2, type: 'anchorTextChanged', detail: 'Now "buy tea".' },
		`Anchor text changed (“2”): ${theLink}, anchor “green tea”, detail “Now "buy tea".”`,
	],
	[
		{ severity: '<!here>', type: '*gone*', live_url: 'https://a.example/' },
		'Watchdog alert (“‹!here›”): type “*gone*”, the link from https://a.example/ to tea.example, anchor “green tea”',
	],
])("describes an alert by its exchange's link, without repetition: %j", (alert, message) => {
	expect(eventMessage('watchdog.alert', { exchange_id: 'exc_1', ...alert }, record)).toBe(message);
});

it("shows the ID of an alert whose exchange isn't known", () => {
	const alert = {
		exchange_id: 'exc_1',
		severity: 'critical',
		type: 'link_removed',
		detail: 'gone',
	};
	expect(eventMessage('watchdog.alert', alert)).toBe(
		'Link removed (critical): exchange “exc_1”, detail “gone”',
	);
});

it('describes an exchange by its distinctive fields', () => {
	expect(describeExchange(record)).toBe(`${ends}, page ${page}`);
	expect(describeExchange({ to_site: 'https://tea.example' })).toBe(
		'an unknown site → tea.example',
	);
	expect(describeExchange({ id: 1 })).toBeUndefined();
});
