/** Accept Many: rules, bounds, and what is said of each offer. */
import { describe, expect, test } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, posts, serviceByHand } from './accepts.mts';

const time = useVirtualTime();
const post = { method: 'POST', path: '/api/exchanges' };
const gone = '{"error":{"code":"offer_expired","message":"It is gone."}}';

test('a new node accepts nothing: dry run, and nobody is allowed', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	const { items, error } = await service.run('exchange', 'acceptMany');
	expect(error?.message).toBeUndefined();
	expect(items[0]?.json).toMatchObject({
		outcome: 'undecided',
		reason: 'Allowed Partners is empty',
	});
	const { outcomes } = await service.acceptMany({ dryRun: true });
	expect(outcomes).toEqual(['wouldAccept']);
	expect(posts(service)).toEqual([]);
});

test('accepts what the rules allow, says why of the rest, and writes a sentence about each', async () => {
	const service = await testService({ credits: 100 });
	const from = (fromSite: string, anchor = 'green tea') =>
		service.sandbox.requestOffer({ fromSite, anchor, cost: 10 }).id;
	const allowed = from('https://www.Kettle-Review.example/blog');
	const below = from('https://shop.kettle-review.example');
	const unknown = from('https://other.example');
	const casino = from('https://kettle-review.example', 'Best CASINO tea');
	const refused = from('https://spam.kettle-review.example');
	const { decisions } = await service.acceptMany({
		acceptFrom: 'listed',
		allowedPartners: 'http://kettle-review.example:443/, tea.example',
		options: {
			refusedPartners: 'spam.kettle-review.example.',
			refusedAnchorWords: 'casino, betting',
			minimumBalance: 5,
		},
	});
	const decided = (id: string) => decisions.find((each) => each.id === id);
	expect(decided(allowed)).toMatchObject({ outcome: 'accepted', creditsSpent: 10, balance: 90 });
	expect(decided(allowed)?.message).toMatch(
		/^Accepted www.Kettle-Review.example\/blog → [a-z.-]+, anchor "green tea": 10 credits, 90 left$/,
	);
	expect(decided(below)).toMatchObject({ outcome: 'accepted' });
	expect(decided(unknown)).toMatchObject({
		outcome: 'undecided',
		reason: 'The partner is not in Allowed Partners',
	});
	expect(decided(casino)).toMatchObject({
		outcome: 'refused',
		reason: 'The anchor text contains "casino"',
	});
	expect(decided(refused)).toMatchObject({ outcome: 'refused' });
	expect(service.sandbox.books.balance()).toBe(80);
});

test('Only What Needs a Person leaves out what was accepted, refused and skipped', async () => {
	const service = await testService({ credits: 1000 });
	const [accepted, , casino] = [
		service.sandbox.requestOffer(),
		service.sandbox.requestOffer({ fromSite: 'site_1' }),
		service.sandbox.requestOffer({ anchor: 'casino' }),
		service.sandbox.requestOffer(),
	].map(({ id }) => id);
	const options = {
		...{ refusedAnchorWords: 'casino', refusedPartners: 'spam.example', maxAccepts: 1 },
		return: 'needsPerson',
	};
	const dry = await service.acceptMany({ dryRun: true, options }, { mode: 'trigger' });
	expect(dry.outcomes).toEqual(['wouldAccept', 'undecided']);
	const run = await service.acceptMany({ options }, { mode: 'trigger' });
	expect(run.outcomes).toEqual([]);
	expect(service.sandbox.books.acceptsOf(accepted ?? '')).toBe(1);
	const all = await service.acceptMany({ options: { ...options, return: 'all' } });
	expect(all.decisions.find(({ id }) => id === casino)?.outcome).toBe('refused');
});

test('Only What Needs a Person: also what is accepted, and nobody knows by whom', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
	const options = { return: 'needsPerson' };
	expect((await service.acceptMany({ options })).outcomes).toEqual(['alreadyAccepted']);
});

test('each input item reads the list anew', async () => {
	const offers = [pending(), pending()];
	const service = await serviceByHand({ list: (reads) => offers.slice(0, reads) });
	const { outcomes } = await service.acceptMany({}, { items: [{}, {}] });
	expect(outcomes).toEqual(['accepted', 'accepted']);
});

test('where no offer is pending, a hint says so, with the number of those that were read', async () => {
	const service = await testService();
	const hintsOf = async () => (await service.acceptMany()).hints.map(({ message }) => message);
	expect(await hintsOf()).toEqual(['No offer is pending. Exchanges that the service lists: 0.']);
	service.sandbox.accept(service.sandbox.requestOffer().id);
	expect(await hintsOf()).toEqual(['No offer is pending. Exchanges that the service lists: 1.']);
	service.sandbox.requestOffer();
	expect(await hintsOf()).toEqual([]);
});

describe('bounds', () => {
	test('Max Accepts is 5 unless it is set', async () => {
		const service = await testService({ credits: 1000 });
		for (let count = 0; count < 7; count++) service.sandbox.requestOffer();
		const { decisions, outcomes, hints } = await service.acceptMany();
		expect(outcomes).toEqual([...Array<string>(5).fill('accepted'), 'skipped', 'skipped']);
		expect(decisions[5]?.reason).toBe('Max Accepts (5) is reached');
		expect(decisions[5]?.message).toMatch(/: Max Accepts \(5\) is reached$/);
		expect(hints).toEqual([]);
		expect(service.sandbox.books.requests({ method: 'GET' }).length).toBe(1);
	});

	test('Max per Day counts what was accepted elsewhere, and what this process has accepted', async () => {
		const service = await testService({ credits: 1000, dialect: { exchangeList: 'pending-only' } });
		const options = { maxPerDay: 3 };
		const early = service.sandbox.requestOffer();
		service.sandbox.requestOffer();
		expect((await service.acceptMany({ options: { ...options, maxAccepts: 1 } })).outcomes).toEqual(
			['accepted', 'skipped'],
		);
		expect(service.sandbox.books.acceptsOf(early.id)).toBe(1);
		// The list shows it no more; the node remembers.
		service.sandbox.setDialect({ exchangeList: 'all' });
		const elsewhere = service.sandbox.requestOffer();
		service.sandbox.accept(elsewhere.id);
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
		const { decisions, outcomes } = await service.acceptMany({ options });
		expect(outcomes.filter((each) => each === 'accepted').length).toBe(1);
		expect(decisions.at(-1)).toMatchObject({
			outcome: 'skipped',
			reason: 'Max per Day (3) is reached',
		});
		await time.wait(25 * 3_600_000);
		const nextDay = await service.acceptMany({ options });
		expect(nextDay.outcomes).toEqual(['accepted', 'accepted', 'accepted']);
	});

	test.each([
		['is cut off', 'accepted', true],
		['leaves out a state', 'live', false],
	])('Max per Day counts what a list that %s shows only per status', async (_, shown, has_more) => {
		const accepted_at = new Date().toISOString();
		const accepted = [1, 2].map(() => pending({ status: 'accepted', accepted_at }));
		const whole = { exchanges: [pending(), { ...accepted[0], status: shown }], has_more };
		const service = await localService((request, response) => {
			const status = request.url?.split('?status=')[1];
			const part = status === 'accepted' ? accepted : [];
			json(status === undefined || status === 'pending' ? whole : part)(request, response);
		});
		const { outcomes, hints } = await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(outcomes).toEqual(['skipped']);
		const blocked = 'No further offer can be accepted now: Max per Day (2) is reached';
		expect(hints.length).toBe(Number(has_more) + 1);
		expect(hints.at(-1)?.message).toBe(blocked);
	});

	test('Max per Day counts a time of acceptance that cannot be read as today, and says so', async () => {
		const accepted = pending({ status: 'accepted', accepted_at: 'a while ago' });
		const offer = pending();
		const service = await serviceByHand({ list: () => [accepted, offer] });
		const { outcomes, hints } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect([outcomes, service.posted]).toEqual([['skipped'], []]);
		expect(hints[0]?.message).toContain('counts it as accepted today');
	});

	test.each([
		['basic ISO 8601', (time: Date) => time.toISOString().replaceAll(/[-:]|\.\d+/g, '')],
		['the form of mail', (time: Date) => time.toUTCString().replace('GMT', '+0000')],
		['the form of mail, without a weekday', (time: Date) => time.toUTCString().slice(5)],
	])('Max per Day counts a time of acceptance in %s by what it says', async (_, write) => {
		const accepted = (hoursAgo: number) => {
			const accepted_at = write(new Date(Date.now() - hoursAgo * 3_600_000));
			return pending({ status: 'accepted', accepted_at });
		};
		const list = [accepted(1), accepted(25), pending(), pending()];
		const service = await localService(json(list, { date: new Date().toUTCString() }));
		const options = { maxPerDay: 2 };
		const { outcomes, hints } = await service.acceptMany({ dryRun: true, options });
		expect([outcomes, hints]).toEqual([['wouldAccept', 'skipped'], []]);
	});

	test('Max per Day that cannot be counted, because every list is cut off, lets nothing through', async () => {
		const list = { exchanges: [pending()], has_more: true };
		const service = await serviceByHand({ list: () => list });
		const { error } = await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(error?.message).toBe('Max per Day cannot be counted');
		expect(service.posted).toEqual([]);
		const { outcomes, hints } = await service.acceptMany();
		expect([outcomes, hints.length]).toEqual([['accepted'], 1]);
	});

	test('Max per Day counts what is in doubt for 24 hours, although no list shows it any more', async () => {
		let offer = pending();
		const isFirst = (id: string) => id === first;
		const first = offer.id;
		const service = await serviceByHand({
			list: () => [offer],
			accept: (id, response) =>
				isFirst(id) ? void response.writeHead(500).end() : { id, status: 'accepted' },
		});
		const options = { maxPerDay: 1 };
		expect((await service.acceptMany({ options })).outcomes).toEqual(['unknown']);
		offer = pending();
		expect((await service.acceptMany({ options })).outcomes).toEqual(['skipped']);
		await time.wait(25 * 3_600_000);
		expect((await service.acceptMany({ options })).outcomes).toEqual(['accepted']);
	});

	test.each([0, -30, 30])(
		'Max per Day holds where the clock of the service differs by %i hours',
		async (hours) => {
			const now = new Date(Date.now() + hours * 3_600_000);
			const accepted = pending({ status: 'accepted', accepted_at: now.toISOString() });
			const list = json([accepted, pending()], { date: now.toUTCString() });
			const service = await localService(list);
			const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
			expect(outcomes).toEqual(['skipped']);
		},
	);

	test('what the list for Max per Day shows as accepted is not sent, although the list before showed it as pending', async () => {
		const service = await testService({ latencyMilliseconds: 400 });
		const { id } = service.sandbox.requestOffer();
		const run = service.acceptMany({ options: { maxPerDay: 5 } });
		await time.wait(402);
		service.sandbox.accept(id);
		expect((await run).decisions).toEqual([]);
		expect(posts(service)).toEqual([]);
	});

	test('Max per Day counts what a dry run would accept, and nothing that has failed', async () => {
		const service = await testService({ credits: 1000 });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
		const dry = await service.acceptMany({ dryRun: true, options: { maxPerDay: 2 } });
		expect(dry.outcomes).toEqual(['wouldAccept', 'wouldAccept', 'skipped']);
		service.sandbox.addFault({ kind: 'answer-before-commit', status: 410, body: gone, ...post });
		const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(outcomes).toEqual(['failed', 'accepted', 'skipped']);
	});

	test('what was accepted before is neither returned again nor "skipped" while the list still shows it as pending', async () => {
		const list = [pending(), pending()];
		const service = await serviceByHand({ list: () => list });
		await service.acceptMany();
		const later = { maxAccepts: 1, maxPerDay: 1, refusedAnchorWords: 'green' };
		const { outcomes } = await service.acceptMany({ options: later });
		expect(outcomes).toEqual([]);
		expect(service.posted.length).toBe(2);
	});
});

test('Max per Day holds over executions at the same time, and over lists that show only what they are asked for', async () => {
	const dialect = { exchangeList: 'pending-unless-filtered' } as const;
	const service = await testService({ credits: 1000, dialect });
	const request = (toSite: string) => service.sandbox.requestOffer({ toSite }).id;
	for (const site of ['a', 'a', 'b', 'b']) request(`https://${site}.example`);
	service.sandbox.accept(request('https://a.example'));
	service.sandbox.publish(service.sandbox.accept(request('https://a.example')).id);
	const broken = service.sandbox.publish(service.sandbox.accept(request('https://a.example')).id);
	service.sandbox.breakLink(broken.id);
	const runs = ['a', 'b'].map(async (site) => {
		const options = { maxPerDay: 5, ownSites: `${site}.example` };
		return (await service.acceptMany({ options })).outcomes;
	});
	const outcomes = (await Promise.all(runs)).flat();
	expect(outcomes.filter((each) => each === 'accepted').length).toBe(2);
	expect(outcomes.filter((each) => each === 'skipped').length).toBe(2);
});

describe('one offer that fails leaves the others going', () => {
	test('refused by the service: failed, nothing was spent; in doubt: unknown', async () => {
		const service = await testService({ credits: 1000 });
		const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
		service.sandbox.addFault({ kind: 'answer-before-commit', status: 410, body: gone, ...post });
		service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
		const { decisions, error, outcomes } = await service.acceptMany();
		expect(error?.message).toBeUndefined();
		expect(outcomes).toEqual(['failed', 'unknown', 'accepted']);
		expect(decisions[1]?.reason).toContain('credits may still be spent');
		expect(offers.map(({ id }) => service.sandbox.books.acceptsOf(id))).toEqual([0, 0, 1]);
	});

	test.each([
		[404, ''],
		[403, '{"error":{"code":"not_yours","message":"This offer is your own."}}'],
	])(
		'HTTP %i may be about this offer, since the list was read with the same key',
		async (status, body) => {
			const service = await testService({ credits: 1000 });
			for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
			service.sandbox.addFault({ kind: 'answer-before-commit', status, body, ...post });
			const { outcomes } = await service.acceptMany();
			expect(outcomes).toEqual(['failed', 'accepted', 'accepted']);
			// It is asked for again, as if for the first time.
			expect((await service.acceptMany()).outcomes).toEqual(['accepted']);
		},
	);

	test.each(['402', '403'] as const)(
		'out of credits (HTTP %s) for one: the others go on, and three in a row end the run',
		async (status) => {
			const service = await testService({ credits: 15, dialect: { insufficientCredits: status } });
			for (const cost of [400, 400, 10, 10, 10, 10, 10]) service.sandbox.requestOffer({ cost });
			const { decisions, outcomes } = await service.acceptMany();
			const failed = ['failed', 'failed', 'failed'];
			expect(outcomes).toEqual(['failed', 'failed', 'accepted', ...failed, 'skipped']);
			expect(decisions.at(-1)?.reason).toBe('There are not enough credits');
			expect(posts(service).length).toBe(6);
		},
	);

	test.each([
		['a balance that cannot be read', 'not-json'],
		['HTTP 500 each time', 'error-before-commit'],
	] as const)('under a floor, %s fails the run before anything is spent', async (_, kind) => {
		const service = await testService();
		for (let count = 0; count < 20; count++) service.sandbox.requestOffer();
		service.sandbox.addFault({
			kind,
			status: 500,
			method: 'GET',
			path: '/api/credits',
			times: 100,
		});
		const { error } = await service.acceptMany({ options: { minimumBalance: 5, maxAccepts: 20 } });
		expect(error).toBeDefined();
		expect(posts(service)).toEqual([]);
		expect(service.sandbox.books.requests().length).toBeLessThan(8);
	});

	test('a list that cannot be read, a wrong key, or a setting that is none fails before anything is spent', async () => {
		const service = await testService();
		service.sandbox.requestOffer();
		for (const after of [0, 1]) {
			service.sandbox.addFault({ kind: 'not-json', method: 'GET', path: '/api/exchanges', after });
			const { error } = await service.acceptMany({ options: { maxPerDay: 1 } });
			expect(error?.message).toContain('could not be understood');
		}
		const credential = { baseUrl: service.sandbox.baseUrl, apiKey: 'wrong' };
		expect((await service.acceptMany({}, { credential })).error?.message).toContain('API key');
		const options = { refusedPartners: 'spam example' };
		expect((await service.acceptMany({ options })).error?.message).toContain('"Refused Partners"');
		expect(
			(await service.acceptMany({ acceptFrom: 'listed', allowedPartners: 'tea-blog,example' }))
				.error?.message,
		).toContain('"Allowed Partners"');
		expect(posts(service)).toEqual([]);
	});
});

describe('what is not accepted is said once for each reason', () => {
	/** As a published workflow runs it: what an execution by hand shows changes nothing. */
	const published = { mode: 'trigger' } as const;

	test('over executions, processes and a restart, until the reason is another one', async () => {
		const service = await testService({ credits: 1000 });
		const { id } = service.sandbox.requestOffer({ anchor: 'casino' });
		const run = async (options = {}) =>
			(
				await service.acceptMany(
					{ options: { refusedAnchorWords: 'casino', ...options } },
					{ ...published, actionNode: freshActionNode() },
				)
			).decisions;
		expect(await run()).toMatchObject([{ id, outcome: 'refused' }]);
		expect(await run()).toEqual([]);
		expect(await run({ return: 'all' })).toMatchObject([{ id, outcome: 'refused' }]);
		expect(await run({ refusedAnchorWords: 'asino' })).toMatchObject([{ id, outcome: 'refused' }]);
		service.sandbox.requestOffer({ anchor: 'casino' });
		expect(await run()).toMatchObject([{ outcome: 'refused' }]);
	});

	test('an execution by hand shows everything, and takes nothing from the next one', async () => {
		const service = await testService();
		service.sandbox.requestOffer();
		const listed = { acceptFrom: 'listed' };
		const before = processedData.size;
		for (let count = 0; count < 2; count++) {
			expect((await service.acceptMany(listed)).outcomes).toEqual(['undecided']);
		}
		expect(processedData.size).toBe(before);
		expect((await service.acceptMany(listed, published)).outcomes).toEqual(['undecided']);
		expect((await service.acceptMany(listed, published)).decisions).toEqual([]);
	});

	test('a dry run says once what it would accept, and once it is off, that is accepted', async () => {
		const service = await testService();
		service.sandbox.requestOffer();
		const run = async (dryRun: boolean) =>
			(await service.acceptMany({ dryRun }, published)).outcomes;
		expect(await run(true)).toEqual(['wouldAccept']);
		expect(await run(true)).toEqual([]);
		expect(await run(false)).toEqual(['accepted']);
	});

	test('one without an ID is another one where anything else differs', async () => {
		const list: object[] = [];
		const service = await serviceByHand({ list: () => list });
		for (const anchor of ['green tea', 'black tea']) {
			list.push(pending({ id: null, anchor }));
			expect((await service.acceptMany({}, published)).outcomes).toEqual(['undecided']);
		}
	});

	test('figures in a reason make it no other one', async () => {
		const service = await testService({ credits: 20 });
		service.sandbox.requestOffer({ cost: 10 });
		const run = async () =>
			(await service.acceptMany({ options: { minimumBalance: 50 } }, published)).outcomes;
		expect(await run()).toEqual(['skipped']);
		service.sandbox.setCredits(5);
		expect(await run()).toEqual([]);
	});
});
