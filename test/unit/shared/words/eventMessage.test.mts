/** The sentence for each event. */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { digestMessage, eventMessage } from '../../../../nodes/shared/words/eventMessage.ts';
import { hostile } from './hostileWords.mts';

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
const theLink = `the link from ${link} to tea.example`;
it.each([
	['exchange.requested', requested, `Exchange requested: ${ends}, exchange "exc_1"`],
	['exchange.accepted', requested, `Exchange accepted: ${ends}, exchange "exc_1"`],
	['exchange.accepted', record, `Exchange accepted: ${ends}, page ${link}, exchange "exc_1"`],
	['exchange.accepted', { id: 'exc_1' }, 'Exchange accepted: exchange "exc_1"'],
	['exchange.published', record, `Link published: ${theLink} is live, ${which}`],
	[
		'exchange.published',
		{ id: 'exc_1', live_url: link },
		`Link published: the link from ${link} is live, exchange "exc_1"`,
	],
	['exchange.published', { id: 'exc_1' }, 'Link published: the link is live, exchange "exc_1"'],
	['exchange.broken', record, `Link broken: ${theLink} is no longer live, ${which}`],
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
	[alert, `Link removed (critical): ${theLink} is gone, ${which}, detail "404"`],
	[
		{ exchange_id: 'exc_1', severity: 'warning', type: 'link_nofollow' },
		`Link nofollow (warning): ${theLink} is marked nofollow, ${which}`,
	],
	[
		{ exchange_id: 'exc_1', severity: 2, type: 'anchorTextChanged', detail: 'Now "buy tea".' },
		`Anchor text changed ("2"): ${theLink}, ${which}, detail "Now 'buy tea'."`,
	],
	[
		{ exchange_id: 'exc_1', severity: '<!here>', type: '*gone* https://evil.example' },
		`Watchdog alert ("!here"): type "gone evil[.]example", ${theLink}, ${which}`,
	],
	[
		{ exchange_id: 'exc_1', type: 'x'.repeat(41) },
		`Watchdog alert: type "${'x'.repeat(41)}", ${theLink}, ${which}`,
	],
	// Its page may be its own.
	[
		{ exchange_id: 'exc_1', type: 'gone', live_url: 'https://a.example/' },
		`Gone: the link from https://a.example/ to tea.example is gone, ${which}`,
	],
])('an alert speaks of the link of its exchange where that is known: %j', (data, message) => {
	expect(eventMessage('watchdog.alert', data, record)).toBe(message);
});

it('a digest is one sentence for each event, of which the first 20 are shown', () => {
	const lines = Array.from({ length: 21 }, (_, number) => `- Event ${number}`);
	const digest = (count: number) =>
		digestMessage(lines.slice(0, count).map((line) => line.slice(2)));
	expect(digest(1)).toBe('Event 0');
	expect(digest(20)).toBe(['20 events:', ...lines.slice(0, 20)].join('\n'));
	expect(digest(21)).toBe(['21 events:', ...lines.slice(0, 20), '- and 1 more'].join('\n'));
});

it('whatever the fields hold, nothing in them acts', () => {
	const field = fc.oneof(hostile, fc.constant(undefined), fc.integer());
	const fields = [
		...['id', 'exchange_id', 'from_site', 'to_site', 'anchor'],
		...['severity', 'type', 'detail', 'live_url'],
	];
	const records = fc.record(Object.fromEntries(fields.map((name) => [name, field])));
	const names = fc.constantFrom('exchange.published', 'watchdog.alert', 'exchange.requested');
	const page = fc.webUrl({ withFragments: true, withQueryParameters: true });
	fc.assert(
		fc.property(fc.oneof(names, hostile), records, fc.option(page), (event, data, live_url) => {
			const message = eventMessage(event, { ...data, live_url: live_url ?? data.live_url });
			const own = message
				.replaceAll(/"[^"]*"/g, 'quoted')
				.replaceAll(/https?:\/\/\S+/g, 'address')
				// One that is cut off may be so in front of its first dot.
				.replaceAll(/\b[a-z0-9][a-z0-9.-]*(?:\.[a-z0-9./%:-]*…?|…)/gi, 'address');
			expect(own).toMatch(/^[A-Z][a-z0-9]*( [a-z0-9]+)*( \([a-z ]+\))?(: [a-z ,→]+)?$/);
			const words = message.replaceAll(/https?:\/\/\S+/g, 'address');
			expect(words).not.toMatch(/[\p{C}\p{Zl}\p{Zp}<>&@*~`|={}\\^]/u);
		}),
		{ numRuns: 2000 },
	);
});
