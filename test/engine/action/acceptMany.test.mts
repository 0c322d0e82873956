/**
 * Rules and limits of Accept Many, and what ends a run. Formats of sites and words:
 * test/unit/action.
 */
import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptEndpoint,
	acceptRequests,
	balanceEndpoint,
	listEndpoint,
	minute,
	mockExchanges,
	pending,
} from './acceptFixtures.mts';

const time = useVirtualTime();

test('accepts what the rules allow, blocks what they block, and leaves the rest for review', async () => {
	const service = await startTestService({ credits: 100 });
	const { sandbox } = service;
	const from = (fromSite: string, anchor = 'tea') =>
		sandbox.requestOffer({ fromSite: `https://${fromSite}`, anchor, cost: 10 }).id;
	const ids = [
		from('tea.example'),
		from('blog.tea.example', 'best CASINO bonus'),
		from('spam.tea.example'),
		from('other.example'),
	];
	const { decisions } = await service.acceptMany({
		acceptFrom: 'listed',
		allowedPartners: 'tea.example',
		rules: { blockedPartners: 'spam.tea.example' },
	});
	expect(
		decisions.map(({ exchangeId, outcome, reason }) => ({ exchangeId, outcome, reason })),
	).toEqual([
		{ exchangeId: ids[0], outcome: 'accepted', reason: undefined },
		{ exchangeId: ids[1], outcome: 'blocked', reason: 'The anchor text contains “casino”' },
		{ exchangeId: ids[2], outcome: 'blocked', reason: 'The partner is in Blocked Partners' },
		{ exchangeId: ids[3], outcome: 'needsReview', reason: "The partner isn't in Allowed Partners" },
	]);
	expect(decisions[0]).toMatchObject({ creditsSpent: 10, balance: 90 });
	expect(decisions[3]?.message).toMatch(
		/^Needs review: the offer other\.example .*\. Accept it in your dashboard .* \(ID: “exc_[^”]+”\)\.$/,
	);
	expect(acceptRequests(service).length).toBe(1);
});

test('with all defaults, returns the pending offers for review, and accepts nothing', async () => {
	const service = await startTestService();
	const { id } = service.sandbox.requestOffer();
	const run = await service.run('exchange', 'acceptMany', { parameters: {} });
	expect(run.items.map(({ json }) => json)).toMatchObject([
		{
			exchangeId: id,
			outcome: 'needsReview',
			reason: 'Allowed Partners is empty',
			partner: 'https://partner.example/',
		},
	]);
	expect(run.hints.map(({ message }) => message)).toEqual([
		"'Allowed Partners' is empty, so no offer would be accepted. The items show the partners that you can add.",
		'Dry run: no credits were spent. A live run would accept no offer. Kept back: 1 (Allowed Partners is empty).',
	]);
	const dry = await service.run('exchange', 'acceptMany', { parameters: { acceptFrom: 'anyone' } });
	expect(dry.items.map(({ json }) => json.outcome)).toEqual(['wouldAccept']);
	const live = { parameters: { dryRun: false } };
	const { items, hints } = await service.run('exchange', 'acceptMany', live);
	expect(items).toEqual([]);
	expect(hints.map(({ message }) => message)).toEqual([
		"Nothing was accepted, because 'Allowed Partners' is empty. Add partners, or set 'Accept From' to 'Anyone'.",
	]);
	expect(acceptRequests(service)).toEqual([]);
});

test('a dry run always has a hint: what kept offers back, and partners without an offer', async () => {
	const list = [pending({ from_site: 'https://other.example' }), pending({ anchor: 'casino' })];
	const service = mockExchanges({ list: () => list });
	const { hints } = await service.acceptMany({
		...{ acceptFrom: 'listed', allowedPartners: 'tea.example, kettle-reveiw-3.example' },
		...{ blockedAnchorWords: 'casino', dryRun: true },
	});
	expect(hints.map(({ message }) => message)).toContain(
		"Dry run: no credits were spent. A live run would accept no offer. Kept back: 1 (The partner isn't in Allowed Partners) and 1 (The anchor text contains “casino”). No pending offer comes from kettle-reveiw-3.example.",
	);
});

test('Max Accepts 0 accepts nothing', async () => {
	const service = mockExchanges({ list: () => [pending({ id: 'x' })] });
	expect((await service.acceptMany({ maxAccepts: 0 })).outcomes).toEqual(['skipped']);
	expect((await service.accept('x', { maxAccepts: 0 })).outcomes).toEqual(['skipped']);
	expect(service.postedIds).toEqual([]);
});

test.each(['maxPerDay', 'minimumBalance'])(
	'a limit that is added and empty is an error: %s',
	async (name) => {
		const service = mockExchanges({ list: () => [pending()] });
		const { error } = await service.acceptMany({ limits: { [name]: '' } });
		expect(error?.message).toContain('is empty');
		expect(service.postedIds).toEqual([]);
	},
);

describe('a hint shows the cost', () => {
	const getSpending =
		(run: Awaited<ReturnType<typeof startTestService>>['acceptMany']) => async (settings: object) =>
			(await run(settings)).hints.map(({ message }) => message).join();

	test.each(singleVariants('exchangeList'))('of a live and a dry run: $name', async (variant) => {
		const dialect = variant.settings;
		const { sandbox, acceptMany } = await startTestService({ credits: 100, dialect });
		const getHints = getSpending(acceptMany);
		for (const cost of [10, 20, 5, 5, 5]) sandbox.requestOffer({ cost });
		expect(await getHints({ dryRun: true })).toBe(
			"Dry run: no credits were spent. A live run would accept 5 offers. The service doesn't show prices, so the cost isn't known yet. You have 100 credits.",
		);
		expect(await getHints({ maxAccepts: 2 })).toBe(
			'2 offers were accepted for 30 credits. You have 70 credits left. Max Accepts (2) is reached, so 3 offers were skipped.',
		);
		expect(await getHints({ dryRun: true })).toBe(
			'Dry run: no credits were spent. A live run would accept 3 offers for about 45 credits, because offers have cost 15 on average. You have 70 credits.',
		);
	});

	test('unless the balance is unreadable', async () => {
		const { sandbox, acceptMany } = await startTestService();
		const getHints = getSpending(acceptMany);
		sandbox.requestOffer();
		sandbox.addFault({ kind: 'malformed-json', ...balanceEndpoint, times: 100 });
		expect(await getHints({ dryRun: true })).toBe(
			'Dry run: no credits were spent. A live run would accept 1 offer.',
		);
		expect(await getHints({})).toBe("1 offer was accepted. The service doesn't show the cost yet.");
	});
});

test('applies the default anchor words without the option; an empty field blocks no words', async () => {
	const service = await startTestService();
	service.sandbox.requestOffer({ anchor: 'a loan' });
	expect((await service.acceptMany()).outcomes).toEqual(['blocked']);
	expect((await service.acceptMany({ blockedAnchorWords: '' })).outcomes).toEqual(['accepted']);
});

test.each([
	['an unreadable partner', { from_site: { name: 7 } }, "The partner can't be read"],
	['no anchor', { anchor: null }, "The anchor text can't be read"],
	['an anchor that is not UTF-8', { anchor: 'par\ufffd' }, "The anchor text can't be read"],
	['an unreadable state', { status: 5 }, "Its status can't be read"],
	['an ID with a control character', { id: 'exc_\u0007' }, "Its ID can't be read"],
	['no ID', { id: null }, "Its ID can't be read"],
])('leaves an offer with %s for review', async (_, fields, reason) => {
	const service = mockExchanges({ list: () => [pending(fields)] });
	const { decisions } = await service.acceptMany({ rules: { blockedPartners: 'spam.example' } });
	expect(decisions).toMatchObject([{ outcome: 'needsReview', reason }]);
	expect(service.postedIds).toEqual([]);
});

test('evaluates the new anchor of an offer that changes while earlier offers are processed', async () => {
	const offers = [pending(), pending()];
	const service = mockExchanges({
		list: (reads) => (reads === 1 ? offers : offers.map((each) => ({ ...each, anchor: 'loan' }))),
		accept: async (id) => {
			await time.wait(6000);
			return { id, status: 'accepted' };
		},
	});
	expect((await service.acceptMany()).outcomes).toEqual(['accepted', 'blocked']);
	expect(service.postedIds).toEqual([offers[0]?.id]);
});

describe('several input items are several sets of rules for one run', () => {
	const partner = (host: string, anchor = 'tea') =>
		pending({ id: host, from_site: `https://${host}.example`, anchor });
	test('one rule set that blocks wins, else one that allows; each offer is one item', async () => {
		const offers = [partner('a'), partner('b'), partner('c'), partner('a-2', 'casino')];
		const service = mockExchanges({ list: () => offers });
		const { items } = await service.acceptMany(
			{ acceptFrom: 'listed', allowedPartners: '={{ $json.partner }}' },
			{ items: [{ partner: 'a.example' }, { partner: 'b.example' }] },
		);
		expect(items.map(({ json }) => [json.exchangeId, json.outcome])).toEqual([
			['a', 'accepted'],
			['b', 'accepted'],
			['c', 'needsReview'],
			['a-2', 'blocked'],
		]);
		expect(items[0]?.pairedItem).toEqual([{ item: 0 }, { item: 1 }]);
		expect(service.requests.filter((request) => request.startsWith('GET')).length).toBe(2 + 3);
	});
	test('a hint names a partner without an offer once', async () => {
		const service = mockExchanges({ list: () => [partner('a')] });
		const { hints } = await service.acceptMany(
			{ acceptFrom: 'listed', allowedPartners: 'kettle.example', dryRun: true },
			{ items: [{}, {}] },
		);
		expect(hints.map(({ message }) => message).join()).toMatch(
			/No pending offer comes from kettle\.example\.$/,
		);
	});
	test.each([
		['Max Accepts', { most: '1 offer' }],
		['Dry Run', { dry: 'perhaps' }],
	])('an unreadable %s in one fails all, with On Error: Continue too', async (_, unreadable) => {
		const service = mockExchanges({ list: () => [partner('a'), partner('b')] });
		const valid = { most: 5, dry: false, partner: 'none.example' };
		const { decisions, hints } = await service.acceptMany(
			{
				maxAccepts: '={{ $json.most }}',
				dryRun: '={{ $json.dry }}',
				rules: { blockedPartners: '={{ $json.partner }}' },
				options: { outputFormat: 'digest' },
			},
			{ items: [valid, { ...valid, partner: 'a.example', ...unreadable }], continueOnFail: true },
		);
		expect(decisions.map((item) => Object.keys(item))).toEqual([['message', 'error']]);
		const messages = hints.map(({ message }) => message);
		expect(messages).toEqual([expect.stringMatching(/^Nothing was done, because an input item/)]);
		expect(service.requests).toEqual([]);
	});
	test('the strictest limits apply', async () => {
		const service = await startTestService({ credits: 100 });
		for (let count = 0; count < 4; count++) service.sandbox.requestOffer({ cost: 10 });
		const settings = {
			maxAccepts: '={{ $json.most }}',
			limits: { minimumBalance: '={{ $json.floor }}' },
		};
		const withMaxAccepts = await service.acceptMany(settings, {
			items: [
				{ most: 1, floor: 0 },
				{ most: 9, floor: 0 },
			],
		});
		expect(withMaxAccepts.outcomes).toEqual(['accepted', 'skipped', 'skipped', 'skipped']);
		const withMinimumBalance = await service.acceptMany(settings, {
			items: [
				{ most: 9, floor: 75 },
				{ most: 9, floor: 0 },
			],
		});
		expect(withMinimumBalance.outcomes).toEqual(['accepted', 'accepted', 'skipped']);
	});
});

describe('Max per Day', () => {
	const hoursAgo = (hours: number) => new Date(time.now() - hours * 60 * minute).toISOString();
	const accepted = (fields: object) => pending({ status: 'accepted', ...fields });
	test.each([
		['accepts of the last 24 hours', { accepted_at: hoursAgo(23) }, 'skipped'],
		['no earlier accepts', { accepted_at: hoursAgo(25) }, 'wouldAccept'],
		['exchanges without a readable time', { accepted_at: 'a while ago' }, 'skipped'],
		['no earlier publications', { published_at: hoursAgo(25), status: 'live' }, 'wouldAccept'],
		['a link that has broken since', { accepted_at: hoursAgo(2), status: 'broken' }, 'skipped'],
	])('counts %s', async (_, fields, outcome) => {
		const listed = [accepted({ accepted_at: hoursAgo(30) }), accepted(fields), pending()];
		const service = mockExchanges({ list: () => listed });
		const { outcomes } = await service.acceptMany({ dryRun: true, limits: { maxPerDay: 1 } });
		expect(outcomes).toEqual([outcome]);
	});
	test.each([
		['ahead of', 2, 23],
		['behind', -2, 25],
	])(
		'takes the earlier clock if that of the service is %s the own one',
		async (_, hours, acceptedHoursAgo) => {
			const date = new Date(hoursAgo(-hours)).toUTCString();
			const list = [accepted({ accepted_at: hoursAgo(acceptedHoursAgo) }), pending()];
			const service = mockExchanges({ list: () => [200, list, { date }] });
			const { outcomes } = await service.acceptMany({ dryRun: true, limits: { maxPerDay: 1 } });
			expect(outcomes).toEqual(['skipped']);
		},
	);
	test.each([
		['no exchange has a readable time', [accepted({}), pending()], 'the times are missing'],
		['the list is truncated', { exchanges: [pending()], has_more: true }, 'the list is incomplete'],
	])('fails before any accept if %s', async (_, listed, expectedMessage) => {
		const service = mockExchanges({ list: () => listed });
		const { error } = await service.acceptMany({ limits: { maxPerDay: 5 } });
		expect(error?.message).toContain(expectedMessage);
		expect(service.postedIds).toEqual([]);
		expect((await service.acceptMany()).outcomes).toEqual(['accepted']);
	});
	test('counts accepts across concurrent executions, and allows more the next day', async () => {
		const service = await startTestService({ credits: 1000, latencyMilliseconds: 20 });
		for (let count = 0; count < 6; count++) service.sandbox.requestOffer();
		const run = () => service.acceptMany({ limits: { maxPerDay: 2 } });
		const runs = await Promise.all([run(), run()]);
		expect(acceptRequests(service).length).toBe(2);
		expect(runs[0].decisions.at(-1)?.reason).toBe(
			'Max per Day (2) is reached, counting the last 24 hours',
		);
		await time.wait(25 * 60 * minute);
		await run();
		expect(acceptRequests(service).length).toBe(4);
	});
	test.each([1, 5])(
		'of %i counts accepts across concurrent executions that accept from other partners',
		async (maxPerDay) => {
			const service = await startTestService({ credits: 1000 });
			const partners = ['one.example', 'two.example'];
			for (const partner of partners) {
				const offer = { fromSite: `https://${partner}` };
				for (let count = 0; count < 6; count++) service.sandbox.requestOffer(offer);
			}
			// Meanwhile, the other execution could count, and find nothing accepted yet.
			const delay = { kind: 'delay-before-commit', milliseconds: 2000 } as const;
			service.sandbox.addFault({ ...delay, ...acceptEndpoint });
			const run = (allowedPartners: string) => {
				const rules = { acceptFrom: 'listed', allowedPartners };
				return service.acceptMany({ ...rules, maxAccepts: 6, limits: { maxPerDay } });
			};
			await Promise.all(partners.map(run));
			expect(acceptRequests(service).length).toBe(maxPerDay);
		},
	);
	// A service that confirms later may still show it as pending.
	test.each(['in_progress', 'completed', 'pending'])(
		'counts an exchange with the status %s',
		async (status) => {
			const today = accepted({ status, accepted_at: hoursAgo(1) });
			const list = [today, { ...today, id: 'b' }, { ...today, id: 'c' }, pending(), pending()];
			const service = mockExchanges({ list: () => list });
			const { outcomes } = await service.acceptMany({ limits: { maxPerDay: 3 } });
			expect(new Set(outcomes)).toEqual(new Set(['skipped']));
			expect(service.postedIds).toEqual([]);
		},
	);
	test('ends for an offer whose ID is the name of a parameter', async () => {
		const service = mockExchanges({
			list: () => [pending({ id: 'maxPerDay' }), pending({ id: 'accept' })],
		});
		const { outcomes } = await service.acceptMany({ limits: { maxPerDay: 5 } });
		expect(outcomes).toEqual(['accepted', 'accepted']);
	});
	test('counts what the process has just accepted, although the list is late', async () => {
		const offers = Array.from({ length: 8 }, () => pending());
		const acceptedAt = new Map<string, number>();
		const isShown = (id: string) => time.now() - (acceptedAt.get(id) ?? Infinity) >= 2000;
		const service = mockExchanges({
			list: () =>
				offers.map((offer) =>
					isShown(offer.id)
						? { ...offer, status: 'accepted', accepted_at: new Date(time.now()).toISOString() }
						: offer,
				),
			accept: (id) => {
				acceptedAt.set(id, time.now());
				return { id, status: 'accepted' };
			},
		});
		const run = () => service.acceptMany({ maxAccepts: 8, limits: { maxPerDay: 5 } });
		await Promise.all([run(), run()]);
		expect(new Set(service.postedIds).size).toBe(5);
		expect(service.postedIds).toHaveLength(5);
	});
	test('counts what the process has just accepted, although no list contains it', async () => {
		const [one, two] = ['https://one.example', 'https://two.example'];
		const listed = [pending({ to_site: one }), pending({ to_site: two })];
		const live = { status: 'live', accepted_at: hoursAgo(30), published_at: hoursAgo(29) };
		const service = mockExchanges({
			list: () => [pending(live), ...listed],
			accept: (id) => {
				listed.push(pending({ to_site: one }));
				listed.splice(0, 1);
				return { id, status: 'accepted' };
			},
			sites: () => ({ sites: [one, two].map((url) => ({ id: url, url })) }),
		});
		const run = (yourSites: string) =>
			service.acceptMany({ rules: { yourSites }, limits: { maxPerDay: 1 } });
		expect((await run(one)).outcomes).toEqual(['accepted']);
		expect((await run(one)).outcomes).toEqual(['skipped']);
		expect((await run(two)).outcomes).toEqual(['accepted']);
	});
	test('counts for each set of rules the offers for its sites', async () => {
		const [one, two] = ['https://one.example', 'https://two.example'];
		const today = accepted({ to_site: one, accepted_at: hoursAgo(1) });
		const list = [today, pending({ to_site: one }), pending({ to_site: two })];
		const service = mockExchanges({
			list: () => list,
			sites: () => ({ sites: [one, two].map((url) => ({ id: url, url })) }),
		});
		const { outcomes } = await service.acceptMany(
			{ rules: { yourSites: '={{ $json.site }}' }, limits: { maxPerDay: 1 } },
			{ items: [{ site: one }, { site: two }] },
		);
		expect(outcomes).toEqual(['skipped', 'accepted']);
	});
	test('counts unknown outcomes, and in a dry run what it would accept', async () => {
		const service = await startTestService({ credits: 1000 });
		for (let count = 0; count < 2; count++) service.sandbox.requestOffer();
		const limits = { maxPerDay: 1 };
		const dry = await service.acceptMany({ dryRun: true, limits });
		expect(dry.outcomes).toEqual(['wouldAccept', 'skipped']);
		service.sandbox.addFault({ kind: 'cut-before-commit', ...acceptEndpoint });
		expect((await service.acceptMany({ limits })).outcomes).toEqual(['unknown', 'skipped']);
	});
	test('counts unknown outcomes of an execution that accepts from other partners', async () => {
		const service = await startTestService({ credits: 1000 });
		for (const partner of ['one', 'two']) {
			service.sandbox.requestOffer({ fromSite: `https://${partner}.example` });
		}
		const run = (blockedPartners: string) =>
			service.acceptMany({ rules: { blockedPartners }, limits: { maxPerDay: 1 } });
		service.sandbox.addFault({ kind: 'cut-before-commit', ...acceptEndpoint });
		expect((await run('two.example')).outcomes).toEqual(['unknown', 'blocked']);
		expect((await run('one.example')).outcomes).toEqual(['blocked', 'skipped']);
	});
});

describe('a run ends, with the reason in its message,', () => {
	const sixOffers = async (options: Parameters<typeof startTestService>[0] = {}) => {
		const service = await startTestService({ credits: 1000, ...options });
		const offers = Array.from({ length: 6 }, () => service.sandbox.requestOffer({ cost: 10 }));
		return { ...service, offers };
	};
	test('when three outcomes in a row are unknown', async () => {
		const service = await sixOffers();
		service.sandbox.addFault({ kind: 'cut-before-commit', ...acceptEndpoint, times: 6 });
		const { outcomes, hints, decisions } = await service.acceptMany({ maxAccepts: 10 });
		expect(outcomes).toEqual([
			...Array<string>(3).fill('unknown'),
			...Array<string>(3).fill('skipped'),
		]);
		expect(decisions[5]?.reason).toMatch(/^The outcome of the last 3 requests isn't known/);
		expect(hints.map(({ message }) => message).join()).toContain(
			'No further offer can be accepted',
		);
		expect(decisions[0]?.message).toMatch(
			/^Outcome unknown: the offer .*Credits may have been spent.*exc_/,
		);
	});
	test('when the service rejects three offers in a row for credits; these come last in the next run', async () => {
		const service = await startTestService({ credits: 5 });
		const ids = Array.from({ length: 4 }, () => service.sandbox.requestOffer({ cost: 10 }).id);
		const cheap = service.sandbox.requestOffer({ cost: 1 }).id;
		const first = await service.acceptMany({ maxAccepts: 99 });
		expect(first.outcomes).toEqual([
			...Array<string>(3).fill('failed'),
			...Array<string>(2).fill('skipped'),
		]);
		await time.wait(60 * minute);
		const second = await service.acceptMany({ maxAccepts: 99 });
		expect(second.decisions.find(({ exchangeId }) => exchangeId === cheap)?.outcome).toBe(
			'accepted',
		);
		expect(second.decisions.map(({ exchangeId }) => exchangeId)).toEqual([...ids, cheap]);
	});
	test('when the service rejects three offers in a row with the same response', async () => {
		const service = mockExchanges({
			list: () => Array.from({ length: 100 }, (_, index) => pending({ id: `exc_${index}` })),
			accept: () => [
				403,
				JSON.stringify({ error: { code: 'monthly_limit_reached', message: 'x' } }),
			],
		});
		const { outcomes, hints } = await service.acceptMany({ maxAccepts: 1000 });
		expect(service.postedIds.length).toBeLessThanOrEqual(10);
		expect(outcomes).toHaveLength(100);
		expect(hints.map(({ message }) => message).join()).toContain(
			'No further offer can be accepted now: The service declined 3 offers in a row with the same response (HTTP 403, monthly_limit_reached)',
		);
	});
	test('without markup and mentions in a code of the service', async () => {
		const code = '<!here> @here ](https://evil.example)';
		const service = mockExchanges({
			list: () => Array.from({ length: 5 }, (_, index) => pending({ id: `exc_${index}` })),
			accept: () => [400, { error: { code, message: 'x' } }],
		});
		const { items, hints } = await service.acceptMany({ options: { outputFormat: 'digest' } });
		const texts = JSON.stringify([items[0]?.json.message, hints.map(({ message }) => message)]);
		expect(texts).toContain('(HTTP 400, ‹!here› ＠here ] (https://evil.example))');
		expect(texts).not.toMatch(/[<>]|@here|\]\(/);
	});
	test('but not because of three offers that are gone', async () => {
		const offers = Array.from({ length: 6 }, () => pending());
		const good = offers.slice(3).map(({ id }) => id);
		const service = mockExchanges({
			list: () => offers,
			accept: (id) => (good.includes(id) ? { id, status: 'accepted' } : [409]),
		});
		const { outcomes } = await service.acceptMany({ maxAccepts: 10 });
		expect(outcomes).toEqual([
			...Array<string>(3).fill('failed'),
			...Array<string>(3).fill('accepted'),
		]);
	});
	test.each([
		['the balance is unreadable', balanceEndpoint, ['failed']],
		['the list becomes unreadable', { ...listEndpoint, after: 1 }, ['accepted', 'failed']],
	])('when %s under a minimum', async (_, fault, first) => {
		const service = await sixOffers();
		service.sandbox.addFault({ kind: 'malformed-json', times: 100, ...fault });
		service.sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 6000 });
		const { outcomes } = await service.acceptMany({ limits: { minimumBalance: 10 } });
		const rest = Array<string>(6 - first.length).fill('skipped');
		expect(outcomes).toEqual([...first, ...rest]);
		expect(acceptRequests(service).length).toBe(first.length - 1);
	});
	test("when the service accepts no request; one rejected offer doesn't end it", async () => {
		const service = await sixOffers({ readOnly: true });
		const { outcomes } = await service.acceptMany();
		expect(outcomes[0]).toBe('failed');
		expect(new Set(outcomes).has('accepted')).toBe(false);
		service.sandbox.change({ readOnly: false });
		service.sandbox.addFault({ kind: 'error-before-commit', status: 404, ...acceptEndpoint });
		const secondRun = await service.acceptMany();
		expect(secondRun.outcomes.filter((each) => each === 'accepted').length).toBe(5);
	});
});

describe('Your Sites', () => {
	const [mine, other] = ['https://mine.example', 'https://other.example'];

	test('offers for other sites are neither decided nor returned, and a hint counts them', async () => {
		const list = [
			pending({ to_site: mine }),
			pending({ to_site: other }),
			pending({ to_site: {} }),
		];
		const service = mockExchanges({
			list: () => list,
			sites: () => ({ sites: [mine, other].map((url) => ({ id: url, url })) }),
		});
		const { decisions, hints } = await service.acceptMany({ rules: { yourSites: [mine] } });
		expect(decisions).toMatchObject([
			{ outcome: 'accepted', site: mine },
			// Its site can't be read, so a person has to look at it.
			{ outcome: 'needsReview' },
		]);
		expect(hints.map(({ message }) => message)).toContain(
			"1 pending offer was left out, because no site in 'Your Sites' gets the link.",
		);
		list.splice(0, 3, pending({ to_site: other }));
		const onlyOther = await service.acceptMany({ rules: { yourSites: [mine] } });
		expect(onlyOther.hints.map(({ message }) => message)).toEqual([
			"1 pending offer was left out, because no site in 'Your Sites' gets the link.",
		]);
	});
});

test.each<readonly [string, object, string]>([
	[
		'blockedAnchorWords',
		{ blockedAnchorWords: '={{ [].join(", ") }}' },
		"'Blocked Anchor Words' is empty",
	],
	[
		'allowedPartners',
		{ acceptFrom: 'listed', allowedPartners: '={{ "" }}' },
		"'Allowed Partners' is empty",
	],
	...['spam.example/*', 'spam.example/{page}', 'spam.example/[a-z]+'].map(
		(entry) =>
			[entry, { rules: { blockedPartners: entry } }, "'Blocked Partners' must be"] as const,
	),
])('a rule that would silently have no effect is an error: %s', async (_, settings, message) => {
	const service = mockExchanges({ list: () => [pending({ anchor: 'best casino bonus' })] });
	const { error } = await service.acceptMany(settings);
	expect(error?.message).toContain(message);
	expect(service.postedIds).toEqual([]);
	// In the panel, they may be blank.
	const blank = { acceptFrom: 'anyone', allowedPartners: '', blockedAnchorWords: '' };
	expect((await service.acceptMany(blank)).outcomes).toEqual(['accepted']);
});

test('shows the balance after the last accept, whatever the order of the list', async () => {
	const offers = [pending({ id: 'declined' }), pending({ id: 'other' })];
	const service = mockExchanges({
		list: (reads) => (reads === 1 ? offers.slice(0, 1) : offers),
		accept: (id, requests) =>
			requests === 1
				? [402, { error: { code: 'insufficient_credits', message: 'Too expensive' } }]
				: { id, status: 'accepted' },
	});
	await service.acceptMany();
	const { hints } = await service.acceptMany();
	expect(service.postedIds).toEqual(['declined', 'other', 'declined']);
	expect(hints.map(({ message }) => message).join()).toContain('You have 970 credits left.');
});

test.each([
	{ sites: null, error: 'database timeout' },
	{ sites: [], error: 'database timeout' },
	{ sites: [], errors: ['database timeout'] },
])('an answer with an error is a failed list, and nothing is sent: %j', async (sites) => {
	const service = mockExchanges({
		list: () => [pending({ from_site: 'https://own.example', to_site: 'https://partner.example' })],
		sites: () => sites,
	});
	const { error } = await service.acceptMany();
	expect(error?.message).toContain('list the sites');
	expect(error?.description).toContain('database timeout');
	expect(service.postedIds).toEqual([]);
});

test.each([[[]], [{}]])('a list beside an error that is empty counts: %j', async (errors) => {
	const service = mockExchanges({ list: () => ({ error: '', errors, exchanges: [pending()] }) });
	expect((await service.acceptMany()).outcomes).toEqual(['accepted']);
});

test('a list of accepted exchanges that is null beside an error stops Max per Day', async () => {
	const service = mockExchanges({
		list: (reads) => (reads === 1 ? [pending()] : { exchanges: null, error: 'timeout' }),
	});
	const { error } = await service.acceptMany({ limits: { maxPerDay: 1 } });
	expect(error?.message).toBeDefined();
	expect(service.postedIds).toEqual([]);
});
