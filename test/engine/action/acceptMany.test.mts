/** Accept Many: rules, bounds, and what is told of each offer. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import { testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptMany, outcomesOf as outcomes, posts } from './acceptsInDoubt.mts';

const time = useVirtualTime();
const post = { method: 'POST', path: '/api/exchanges' };

test('a new node accepts nothing: dry run, and nobody is allowed', async () => {
	const service = await testService();
	service.sandbox.requestOffer();
	const { items, error } = await service.run('exchange', 'acceptMany');
	expect(error?.message).toBeUndefined();
	expect(items[0]?.json).toMatchObject({
		outcome: 'undecided',
		reason: 'Allowed Partners is empty, so nobody is allowed',
	});
	const { decisions } = await acceptMany(service, { dryRun: true });
	expect(outcomes(decisions)).toEqual(['wouldAccept']);
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
	const { decisions } = await acceptMany(service, {
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
		/^Accepted "www.Kettle-Review.example\/blog" → ".*", anchor "green tea": 10 credits, 90 left$/,
	);
	expect(decided(below)).toMatchObject({ outcome: 'accepted' });
	expect(decided(unknown)).toMatchObject({
		outcome: 'undecided',
		reason: 'The partner is not one of Allowed Partners',
	});
	expect(decided(casino)).toMatchObject({
		outcome: 'refused',
		reason: 'The anchor text contains "casino"',
	});
	expect(decided(refused)).toMatchObject({ outcome: 'refused' });
	expect(service.sandbox.books.balance()).toBe(80);
});

test.each([
	['a partner that cannot be read', { from_site: { name: 7 } }, 'The partner cannot be read'],
	[
		'a partner with a control character',
		{ from_site: 'tea.\u0000example' },
		'The partner cannot be read',
	],
	['no anchor', { anchor: null }, 'The anchor text cannot be read'],
	[
		'a state that nobody knows',
		{ status: 'archived' },
		'Its state cannot be read: the list shows "status": "archived"',
	],
	['an ID with a control character', { id: 'exc_\u0007' }, 'Its ID cannot be read'],
	['no ID', { id: null }, 'Its ID cannot be read'],
])('%s is left to a person', async (_, fields, reason) => {
	const offer = { id: 'exc_1', from_site: 'tea.example', anchor: 'tea', status: 'pending' };
	const service = await localService(json([{ ...offer, ...fields }]));
	const { decisions } = await acceptMany(service, {
		acceptFrom: 'listed',
		allowedPartners: 'tea.example',
		options: { refusedAnchorWords: 'casino' },
	});
	expect(decisions).toMatchObject([{ outcome: 'undecided', reason }]);
	expect(service.asked.filter(({ method }) => method === 'POST')).toEqual([]);
});

describe('bounds', () => {
	test('Max Accepts is 5 unless it is set', async () => {
		const service = await testService({ credits: 1000 });
		for (let count = 0; count < 7; count++) service.sandbox.requestOffer();
		const { decisions } = await acceptMany(service);
		expect(outcomes(decisions)).toEqual([
			...Array<string>(5).fill('accepted'),
			'skipped',
			'skipped',
		]);
		expect(decisions[5]?.reason).toBe('Max Accepts (5) is reached');
	});

	test('Max per Day counts what was accepted elsewhere, and what this process has accepted', async () => {
		const service = await testService({ credits: 1000, dialect: { exchangeList: 'pending-only' } });
		const options = { maxPerDay: 3 };
		const early = service.sandbox.requestOffer();
		service.sandbox.requestOffer();
		expect(
			outcomes((await acceptMany(service, { options: { ...options, maxAccepts: 1 } })).decisions),
		).toEqual(['accepted', 'skipped']);
		expect(service.sandbox.books.acceptsOf(early.id)).toBe(1);
		// The list shows it no more; the node remembers.
		service.sandbox.setDialect({ exchangeList: 'all' });
		const elsewhere = service.sandbox.requestOffer();
		service.sandbox.accept(elsewhere.id);
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer();
		const { decisions } = await acceptMany(service, { options });
		expect(outcomes(decisions).filter((each) => each === 'accepted').length).toBe(1);
		expect(decisions.at(-1)).toMatchObject({
			outcome: 'skipped',
			reason: 'Max per Day (3) is reached',
		});
		await time.wait(25 * 3_600_000);
		const nextDay = await acceptMany(service, { options });
		expect(outcomes(nextDay.decisions)).toEqual(['accepted', 'accepted', 'accepted']);
	});

	test('Minimum Balance holds', async () => {
		const service = await testService({ credits: 25 });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const { decisions } = await acceptMany(service, { options: { minimumBalance: 10 } });
		expect(outcomes(decisions)).toEqual(['accepted', 'skipped', 'skipped']);
		expect(service.sandbox.books.balance()).toBe(15);
	});
});

describe('one offer that fails leaves the others going', () => {
	test('refused by the service: failed, nothing was spent; in doubt: unknown', async () => {
		const service = await testService({ credits: 1000 });
		const offers = [1, 2, 3].map(() => service.sandbox.requestOffer());
		service.sandbox.addFault({ kind: 'error-before-commit', status: 409, ...post });
		service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
		const { decisions, error } = await acceptMany(service);
		expect(error?.message).toBeUndefined();
		expect(outcomes(decisions)).toEqual(['failed', 'unknown', 'accepted']);
		expect(decisions[1]?.reason).toContain('credits may yet be spent');
		expect(offers.map(({ id }) => service.sandbox.books.acceptsOf(id))).toEqual([0, 0, 1]);
	});

	test('out of credits: the rest is skipped without asking for each', async () => {
		const service = await testService({ credits: 15 });
		for (let count = 0; count < 4; count++) service.sandbox.requestOffer({ cost: 10 });
		const { decisions } = await acceptMany(service);
		expect(outcomes(decisions)).toEqual(['accepted', 'failed', 'skipped', 'skipped']);
		expect(decisions[3]?.reason).toBe('There are not enough credits');
		expect(posts(service).length).toBe(2);
	});

	test('a list that cannot be read, a wrong key, or a setting that is none fails before anything is spent', async () => {
		const service = await testService();
		service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path: '/api/exchanges' });
		expect((await acceptMany(service)).error?.message).toContain('could not be understood');
		const credential = { baseUrl: service.sandbox.baseUrl, apiKey: 'wrong' };
		expect((await acceptMany(service, {}, { credential })).error?.message).toContain('API key');
		const options = { refusedPartners: 'spam example' };
		expect((await acceptMany(service, { options })).error?.message).toContain('"Refused Partners"');
		expect(
			(await acceptMany(service, { acceptFrom: 'listed', allowedPartners: 'tea.example, ://' }))
				.error?.message,
		).toContain('"Allowed Partners"');
		expect(posts(service)).toEqual([]);
	});
});

describe('what is not accepted is told once for each reason', () => {
	/** As a published workflow runs it: what an execution by hand shows changes nothing. */
	const published = { mode: 'trigger' } as const;

	test('over executions, processes and a restart, until the reason is another one', async () => {
		const service = await testService({ credits: 1000 });
		const { id } = service.sandbox.requestOffer({ anchor: 'casino' });
		const run = async (options = {}) =>
			(
				await acceptMany(
					service,
					{ options: { refusedAnchorWords: 'casino', ...options } },
					{ ...published, actionNode: freshActionNode() },
				)
			).decisions;
		expect(await run()).toMatchObject([{ id, outcome: 'refused' }]);
		expect(await run()).toEqual([]);
		expect(await run({ return: 'all' })).toMatchObject([{ id, outcome: 'refused' }]);
		expect(await run({ refusedAnchorWords: 'asino' })).toMatchObject([{ id, outcome: 'refused' }]);
		service.sandbox.requestOffer({ anchor: 'casino' });
		expect(outcomes(await run())).toEqual(['refused']);
	});

	test('an execution by hand shows everything, and takes nothing from the next one', async () => {
		const service = await testService();
		service.sandbox.requestOffer();
		const listed = { acceptFrom: 'listed' };
		const before = processedData.size;
		for (let count = 0; count < 2; count++) {
			expect(outcomes((await acceptMany(service, listed)).decisions)).toEqual(['undecided']);
		}
		expect(processedData.size).toBe(before);
		expect(outcomes((await acceptMany(service, listed, published)).decisions)).toEqual([
			'undecided',
		]);
		expect((await acceptMany(service, listed, published)).decisions).toEqual([]);
	});

	test('figures in a reason make it no other one', async () => {
		const service = await testService({ credits: 20 });
		service.sandbox.requestOffer({ cost: 10 });
		const run = async () =>
			outcomes(
				(await acceptMany(service, { options: { minimumBalance: 50 } }, published)).decisions,
			);
		expect(await run()).toEqual(['skipped']);
		service.sandbox.setCredits(30);
		expect(await run()).toEqual([]);
	});
});

test('whatever the offers and the rules: nothing is accepted that a rule refuses, cannot read, or does not allow', async () => {
	const site = fc.constantFrom(
		'https://tea.example',
		'http://WWW.tea.example:8080/x',
		'blog.tea.example',
		'evil-tea.example',
		'tea.example.evil.example',
		'https://tea.example@evil.example',
		'spam.example',
		'site_17',
		'',
		null,
		7,
		{ url: 'https://tea.example/' },
		{ id: 'site_17' },
	);
	const anchor = fc.constantFrom(
		'green tea',
		'Casino',
		'c\u200basino',
		'ｃａｓｉｎｏ',
		'',
		null,
		5,
	);
	const status = fc.constantFrom('pending', 'Pending', 'accepted', 'live', 'archived', null);
	const offers = fc.array(fc.record({ from_site: site, to_site: site, anchor, status }), {
		maxLength: 6,
	});
	const rules = fc.record({
		acceptFrom: fc.constantFrom('anyone', 'listed'),
		allowedPartners: fc.constantFrom('', 'tea.example', 'tea.example, site_17'),
		refusedPartners: fc.constantFrom(undefined, 'spam.example', 'blog.tea.example'),
		refusedAnchorWords: fc.constantFrom(undefined, 'casino'),
		ownSites: fc.constantFrom(undefined, 'tea.example'),
		includeSubdomains: fc.boolean(),
		maxAccepts: fc.integer({ min: 1, max: 4 }),
	});
	/** By hand, for these sites alone. */
	const hosts: Record<string, string> = {
		'https://tea.example': 'tea.example',
		'http://WWW.tea.example:8080/x': 'tea.example',
		'blog.tea.example': 'blog.tea.example',
		'evil-tea.example': 'evil-tea.example',
		'tea.example.evil.example': 'tea.example.evil.example',
		'https://tea.example@evil.example': 'evil.example',
		'spam.example': 'spam.example',
		site_17: 'site_17',
		'{"url":"https://tea.example/"}': 'tea.example',
		'{"id":"site_17"}': 'site_17',
	};
	const hostOf = (value: unknown) =>
		hosts[typeof value === 'string' ? value : JSON.stringify(value)];
	let accepts = 0;
	await fc.assert(
		fc.asyncProperty(
			offers,
			rules,
			async (drawn, { acceptFrom, allowedPartners, includeSubdomains, maxAccepts, ...some }) => {
				const listed: Array<IDataObject & { id: string }> = drawn.map((offer) => ({
					id: `exc_${Math.random()}`,
					...offer,
				}));
				const posted: string[] = [];
				const service = await localService((request, response) => {
					const id = request.url?.split('/').at(-2) ?? '';
					if (request.method === 'POST') posted.push(id);
					json(request.method === 'POST' ? { id, status: 'accepted' } : listed)(request, response);
				});
				const set = Object.fromEntries(
					Object.entries(some).filter(([, value]) => value !== undefined),
				);
				const { decisions, error } = await acceptMany(service, {
					acceptFrom,
					allowedPartners,
					options: { includeSubdomains, maxAccepts, ...set },
				});
				expect(error?.message).toBeUndefined();
				const on = (host: string | undefined, list = '') =>
					host !== undefined &&
					list
						.split(', ')
						.some(
							(each) =>
								each !== '' && (host === each || (includeSubdomains && host.endsWith(`.${each}`))),
						);
				for (const id of posted) {
					const offer = listed.find((each) => each.id === id);
					const partner = hostOf(offer?.from_site);
					expect(['pending', 'Pending']).toContain(offer?.status);
					if (acceptFrom === 'listed') expect(on(partner, allowedPartners)).toBe(true);
					if (some.refusedPartners) {
						expect([partner === undefined, on(partner, some.refusedPartners)]).toEqual([
							false,
							false,
						]);
					}
					if (some.ownSites) expect(on(hostOf(offer?.to_site), some.ownSites)).toBe(true);
					if (some.refusedAnchorWords) expect(offer?.anchor).toBe('green tea');
				}
				expect(posted.length).toBeLessThanOrEqual(maxAccepts);
				expect(
					decisions.filter(({ outcome }) => outcome === 'accepted').map(({ id }) => id),
				).toEqual(posted);
				accepts += posted.length;
			},
		),
		{ numRuns: 150, seed: 20261122 },
	);
	expect(accepts).toBeGreaterThan(20);
});
