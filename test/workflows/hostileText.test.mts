/** What partners, the service's texts and a language model supply stays text, wherever the ready-made workflows show it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { runCode } from './codeNode.mts';

/** Pieces that mean something to Slack, HTML, JSON, a terminal or a reader, among anything else. */
const pieces = [
	...['<!channel>', '<!here|x>', '<@U1>', '@channel', '<https://evil.example|bank>', '&lt;', '&'],
	...['"', "'", '“', '”', '\\"', '\\', '`', '```', '*', '_', '~', ':x:', ':+1:', '::', ':'],
	...['\n', '\r\n', '\u2028', '\u2029', '\u0085', '\u000b', '\t', '\u0000', '\u001b[31m'],
	...['\u200b', '\u202e', '\u2066', '\ufeff', '\u00ad', '\u{e0041}', '\ud800', '\udfff', '\u0301'],
	...[
		'Accepted: exchange "ex_9"',
		'. Accepting spends credits.',
		'</p><script>',
		'${x}',
		'{{ 1 }}',
	],
	...['__proto__', 'constructor', 'null', '＜！channel＞', '🙂', 'é', '  '],
];
const text = fc
	.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 5 })), {
		maxLength: 12,
	})
	.map((parts) => parts.join(''));
/** What a field may hold that should be a text. */
const anything = fc.oneof(
	{ weight: 8, arbitrary: text },
	fc.constantFrom(null, undefined, 0, -1, 1e21, true, 'x'.repeat(5000)),
	fc.array(text, { maxLength: 2 }),
	fc.dictionary(fc.constantFrom('url', 'id', 'name', 'toString'), text, { noNullPrototype: true }),
);
const runs = { numRuns: 300 };

/** No line break and no invisible sign beyond those that we wrote. */
function checkLine(line: string): void {
	expect(line).not.toMatch(/[\n\r\u2028\u2029\u0085\v\f]/);
	expect(line.replaceAll('\u200b', '')).not.toMatch(/\p{C}/u);
}

/** Slack makes pictures of these. */
const emoji = /:[\w+-]+:/;

describe('the news', () => {
	const settings = { channel: '#c', emails: 'a@b.example', emailFrom: 'c@d.example' };
	const row = fc.record({
		headline: fc.constantFrom('Accepted', 'Failed'),
		facts: fc.oneof(
			fc
				.array(fc.tuple(fc.constantFrom('exchange', 'from', 'anchor'), anything), { maxLength: 4 })
				.map((facts) => JSON.stringify(facts)),
			text,
		),
		layout: fc.constantFrom('', 'list'),
		workflow: text,
	});

	it('has in Slack and in an email the lines that we wrote, and strangers stay in quotation marks', () => {
		fc.assert(
			fc.property(fc.array(row, { minLength: 1, maxLength: 3 }), (rows) => {
				const news = rows.map((each, index) => ({
					...{ ...each, id: index + 1, key: `k${index}`, state: 'new', claim: '7' },
				}));
				const outputs = { 'Check settings': [[settings]] };
				const items = runCode('tell-slack-and-email', 'Messages', { input: news, outputs });
				const told = new Set(
					items.flatMap(({ rows: of }) => Object.keys((of as object | undefined) ?? {})),
				);
				expect(told.size).toBe(rows.length);
				for (const item of items.filter(({ kind }) => kind === 'slack')) {
					for (const line of String(item.slackText).split('\n')) {
						checkLine(line);
						expect(line).not.toMatch(emoji);
						expect(line).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
					}
					for (const line of String(item.slackText).split('\n').slice(1)) {
						if (line.startsWith('    ') || line.includes('"')) {
							expect(line.split('"').length % 2, line).toBe(1);
						}
					}
				}
				for (const item of items.filter(({ kind }) => kind === 'email')) {
					checkLine(String(item.subject));
					const ours = /<\/?(?:p|b|div)(?: style="padding-left:2em")?>/g;
					expect(String(item.emailHtml).replace(ours, '')).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
				}
			}),
			runs,
		);
	});
});

describe('a question to a person', () => {
	const frame =
		/^Accept the offer “([^“”]*)”\? From “([^“”]*)” for “([^“”]*)”, with the anchor text “([^“”]*)”\. Accepting spends credits\.$/u;
	const checkQuestion = (question: string) => {
		checkLine(question);
		expect(question).not.toMatch(emoji);
		expect(question).toMatch(frame);
		expect(question).not.toMatch(/[<>&"'`\\]/);
		expect(question.length).toBeLessThan(4 * 420);
	};
	const ids = fc.oneof(
		text.filter((id) => id.trim() !== '' && !/\p{C}/u.test(id)),
		fc.nat(),
	);

	it('about an offer that came in has our words in our order', () => {
		const settings = {
			...{ ask: '#c', emailFrom: '', minimumBalance: 0, daysToDecide: 3, tell: '' },
		};
		fc.assert(
			fc.property(ids, anything, anything, anything, (id, from_site, to_site, anchor) => {
				const event = { event: 'exchange.requested', data: { id, from_site, to_site, anchor } };
				const run = (json: object) =>
					runCode('offer-approval', 'Check settings', { input: [{ ...settings, ...json }] })[0];
				const facts = String(run(event)?.facts);
				expect(facts.length).toBeLessThan(40_000);
				const question = run({ outcome: 'question', id: 1, key: 'k', facts });
				checkQuestion(String(question?.text));
				// What is accepted after the click is what the person was shown.
				expect((question?.offer as { exchange: string }).exchange).toBe(String(id));
			}),
			runs,
		);
	});

	it('in the chat has our words in our order', () => {
		fc.assert(
			fc.property(ids, anything, anything, anything, (id, from_site, to_site, anchor) => {
				const input = [{ id, from_site, to_site, anchor }];
				const [item] = runCode('ai-link-manager', 'Questions', { input });
				for (const { text: question } of item?.questions as Array<{ text: string }>) {
					checkQuestion(question);
				}
			}),
			runs,
		);
	});
});

describe('an offer that is accepted by rules', () => {
	const settings = {
		...{ allowedPartners: ['friend.example'], refusedPartners: ['spam.example'], ownSites: [] },
		...{ refusedAnchorWords: ['casino'], includeSubdomains: true, tell: '', dryRun: false },
	};
	const read = (exchanges: object[], own = {}) => {
		const outputs = {
			'Check settings': [[{ ...settings, ...own }]],
			'Get exchanges': [exchanges as Array<Record<string, unknown>>],
			Earlier: [[]],
		};
		return {
			offers: runCode('scheduled-auto-accept', 'Read offers', { input: [], outputs }),
			outputs,
		};
	};

	it('is of an allowed partner, whatever its address looks like', () => {
		const address = fc.oneof(
			anything,
			fc
				.tuple(
					fc.constantFrom('', 'https://', '//', 'ftp://', 'https:\\\\', 'friend.example@', 'x://'),
					fc.constantFrom('friend.example', 'spam.example', 'friend.example.evil.example'),
					fc.constantFrom('', '/', '.', ':443', '#', '?', '\\', '@evil.example', '。evil.example'),
					text,
				)
				.map((parts) => parts.join('')),
		);
		fc.assert(
			fc.property(address, (from_site) => {
				const [offer] = read([{ id: 'e', status: 'pending', from_site, anchor: 'a' }]).offers;
				const partner = String(offer?.partner);
				const isFriend = partner === 'friend.example' || partner.endsWith('.friend.example');
				expect(offer?.allowed).toBe(isFriend);
				// A browser finds the same host there, if it finds any.
				const site = from_site as { url?: string; id?: string } | null | undefined;
				const name: unknown = site?.url ?? site?.id ?? site;
				const written = isFriend && typeof name === 'string' ? name.trim() : '';
				const url = /^[a-z][a-z\d+.-]*:[\\/]{2}/i.test(written) ? written : `https://${written}`;
				if (!isFriend || !/^(https?|ftp):/i.test(url) || !URL.canParse(url)) return;
				expect(new URL(url).hostname.replace(/\.$/, '')).toMatch(/(^|\.)friend\.example$/);
			}),
			{ numRuns: 1000 },
		);
	});

	it('has news that the table and the messages can hold, whatever it says', () => {
		const exchange = fc.record({
			// The last one is unreadable, and long enough to be cut within a sign.
			id: fc.oneof(anything, fc.constantFrom('e', `\u0000${'🙂'.repeat(150)}`)),
			status: fc.constant('pending'),
			from_site: anything,
			to_site: anything,
			anchor: anything,
		});
		fc.assert(
			fc.property(fc.array(exchange, { maxLength: 4 }), (exchanges) => {
				const { offers, outputs } = read(exchanges, { allowedPartners: ['*'] });
				for (const { id, allowed } of offers) {
					expect(String(id)).not.toMatch(/\p{C}/u);
					// What cannot be named in the table is not accepted.
					if (allowed === true) {
						const ids = exchanges.map((each) => each.id).filter((each) => typeof each !== 'object');
						expect(ids.map(String)).toContain(id);
					}
				}
				const news = runCode('scheduled-auto-accept', 'News', {
					input: offers,
					outputs: { ...outputs, 'Read offers': [offers] },
					from: 'Rules',
				});
				for (const { facts, key } of news) {
					expect(String(facts)).not.toContain('\u0000');
					expect(String(key)).not.toContain('\u0000');
					expect(String(facts).length).toBeLessThan(20_000);
				}
			}),
			runs,
		);
	});
});

it('the page of added sites has no HTML but ours', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }), (cells) => {
			const csv = `url,niche\n${cells.map(([url, niche]) => `${url},${niche}\n`).join('')}`;
			const outputs = { 'Check settings': [[{ text: csv }]], 'Known sites': [[]] };
			const rows = runCode('bulk-add-sites', 'Rows', { input: [], outputs });
			const adding = rows.filter(({ add }) => add === true);
			const answers = adding.map(({ url }) => ({ error: { message: String(url) } }));
			const [page] = runCode('bulk-add-sites', 'Page', {
				input: [],
				outputs: { Rows: [rows], 'Is there one to add?': [adding], 'Create site': [answers] },
			});
			const ours = /<\/?(?:h1|table|tr|td|th)(?: [^<>]*)?>/g;
			const rest = String(page?.page).replace(ours, '');
			expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
		}),
		runs,
	);
});

it('an alert, and a failure of another workflow, become news that the table can hold', () => {
	fc.assert(
		fc.property(anything, anything, anything, text, (severity, type, detail, message) => {
			const [alert] = runCode('watchdog-routing', 'Read alerts', {
				input: [],
				outputs: {
					'Check settings': [
						[
							{
								...{ criticalSeverities: 'critical', tellCritical: '', tellMorning: '' },
								...{ event: 'watchdog.alert', eventKey: message },
								data: { exchange_id: type, severity, type, detail },
							},
						],
					],
				},
			});
			const [failure] = runCode('tell-failures', 'News', {
				input: [],
				outputs: {
					Settings: [
						[{ workflow: { id: 'w', name: message }, execution: { error: { message } }, tell: '' }],
					],
				},
			});
			for (const news of [alert, failure]) {
				for (const field of ['key', 'exchange', 'headline', 'facts', 'tell', 'outcome']) {
					const value = news?.[field];
					expect(typeof value === 'string' ? value : '', field).not.toContain('\u0000');
				}
				expect(() => JSON.parse(String(news?.facts)) as unknown).not.toThrow();
			}
		}),
		runs,
	);
});
