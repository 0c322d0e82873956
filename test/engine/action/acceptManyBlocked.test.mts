/** What keeps Accept Many from accepting: one offer holds up no other, a reason that applies to all ends the run and is said. */
import { describe, expect, test, vi } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { type TestService, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptEndpoint, post, posts, published } from './accepts.mts';

const time = useVirtualTime();
const balance = { method: 'GET', path: '/api/credits' };

/** Offers at these prices, in the order of the list. */
const request = ({ sandbox }: TestService, costs: number[]) =>
	costs.map((cost) => sandbox.requestOffer({ cost }).id);

describe('offers that are too expensive', () => {
	const all = { options: { return: 'all', maxAccepts: 20 } };
	const failed = ['failed', 'failed', 'failed'];
	const skipped = ['skipped', 'skipped', 'skipped'];

	test('are tried last in later runs, and again only when the balance has changed', async () => {
		const service = await testService({ credits: 100 });
		request(service, [400, 400, 400, 10, 10, 10]);
		const run = async () => {
			const before = posts(service).length;
			const { outcomes } = await service.acceptMany(all, published);
			return { outcomes, sent: posts(service).length - before };
		};
		expect(await run()).toEqual({ outcomes: [...failed, ...skipped], sent: 3 });
		const accepted = ['accepted', 'accepted', 'accepted'];
		expect(await run()).toEqual({ outcomes: [...failed, ...accepted], sent: 6 });
		expect(service.sandbox.books.balance()).toBe(70);
		// What was accepted is told once.
		for (let count = 0; count < 2; count++) {
			expect(await run()).toEqual({ outcomes: skipped, sent: 0 });
		}
		service.sandbox.setCredits(900);
		expect(await run()).toEqual({ outcomes: ['accepted', 'accepted', 'failed'], sent: 3 });
	});

	test('are compared with the balance after their own refusal', async () => {
		const service = await testService({ credits: 15 });
		request(service, [400, 400, 10, 400, 400]);
		const balances = () => service.sandbox.books.requests({ endpoint: 'GET /api/credits/balance' });
		const { outcomes } = await service.acceptMany(all, published);
		expect(outcomes).toEqual(['failed', 'failed', 'accepted', 'failed', 'failed']);
		expect(balances().length).toBe(4);
		// The first two were refused with 15 credits, and now there are 5.
		const { outcomes: later } = await service.acceptMany(all, published);
		expect(later).toEqual(['failed', 'failed', 'skipped', 'skipped']);
	});

	test('are tried again in another process, once', async () => {
		const service = await testService({ credits: 100 });
		request(service, [400]);
		for (const actionNode of [freshActionNode(), freshActionNode()]) {
			for (const outcome of ['failed', 'skipped']) {
				const { outcomes } = await service.acceptMany(all, { ...published, actionNode });
				expect(outcomes).toEqual([outcome]);
			}
		}
		expect(posts(service).length).toBe(2);
	});

	test('are tried again where the balance cannot be read, and a rule that refuses one is said', async () => {
		const service = await testService({ credits: 100 });
		const [id = ''] = request(service, [400]);
		service.sandbox.addFault({ kind: 'not-json', times: 100, ...balance });
		for (let count = 1; count <= 2; count++) {
			expect((await service.acceptMany(all, published)).outcomes).toEqual(['failed']);
		}
		expect(posts(service).length).toBe(2);
		expect(service.sandbox.books.acceptsOf(id)).toBe(0);
		service.sandbox.clearFaults();
		await service.acceptMany(all, published);
		const options = { ...all.options, refusedAnchorWords: 'a, e, i, o, u' };
		const { outcomes } = await service.acceptMany({ options }, published);
		expect(outcomes).toEqual(['refused']);
	});
});

describe('what blocks all offers is said in each run that it blocks', () => {
	const said = async (service: TestService, options: object) => {
		const { hints, outcomes } = await service.acceptMany({ options }, published);
		return { hints: hints.map(({ message }) => message), outcomes };
	};

	test('a floor that is reached, once for all offers', async () => {
		const service = await testService({ credits: 20 });
		request(service, [10, 10]);
		const options = { minimumBalance: 50 };
		const reason = 'The balance of 20 credits is not above the minimum of 50';
		const hints = [`No further offer can be accepted now: ${reason}`];
		expect(await said(service, options)).toEqual({ hints, outcomes: ['skipped', 'skipped'] });
		for (let count = 0; count < 2; count++) {
			expect(await said(service, options)).toEqual({ hints, outcomes: [] });
		}
		service.sandbox.setCredits(100);
		expect(await said(service, options)).toEqual({ hints: [], outcomes: ['accepted', 'accepted'] });
	});

	test('one in doubt under a floor', async () => {
		const service = await testService({ credits: 1000, dialect: { settlement: 'never' } });
		request(service, [10, 10]);
		const options = { minimumBalance: 50 };
		await said(service, options);
		for (let count = 0; count < 2; count++) {
			const { hints, outcomes } = await said(service, options);
			expect(outcomes).toEqual([]);
			expect(hints.length).toBe(1);
			expect(hints[0]).toContain('the cost of earlier accepts (1) is not known');
		}
	});

	test('Max per Day, and offers that are too expensive', async () => {
		const service = await testService({ credits: 15 });
		request(service, [10, 400]);
		await said(service, { maxPerDay: 1 });
		for (let count = 0; count < 2; count++) {
			expect(await said(service, { maxPerDay: 1 })).toEqual({
				hints: ['No further offer can be accepted now: Max per Day (1) is reached'],
				outcomes: [],
			});
		}
		await said(service, {});
		for (const outcomes of [['skipped'], []]) {
			const hint = expect.stringContaining('refused it for lack of credits') as string;
			expect(await said(service, {})).toEqual({ hints: [hint], outcomes });
		}
	});

	test('offers that the rules leave to a person are not blocked', async () => {
		const service = await testService();
		request(service, [10]);
		expect((await said(service, { refusedPartners: 'site_1' })).hints).toEqual([]);
	});
});

describe('a reason that applies to all of 300 offers ends the run', () => {
	async function of300(credits = 10_000) {
		const service = await testService({ credits });
		request(service, Array<number>(300).fill(1));
		const run = async (options: object = {}, more: object = {}) => {
			const settings = { options: { maxAccepts: 300, ...options } };
			return await service.acceptMany(settings, { ...published, ...more });
		};
		const requests = () => service.sandbox.books.requests().length;
		return { ...service, run, requests };
	}

	test('a wrong key, also one that may only read', async () => {
		const { run, requests, sandbox } = await of300();
		const credential = { baseUrl: sandbox.baseUrl, apiKey: 'wrong' };
		expect((await run({}, { credential })).error?.message).toContain('API key');
		expect(requests()).toBe(1);
		const body = '{"error":{"code":"unauthorized","message":"No."}}';
		sandbox.addFault({ kind: 'answer-before-commit', status: 401, body, times: 1000, ...post });
		const { outcomes, hints } = await run();
		expect(outcomes).toEqual(['failed', ...Array<string>(299).fill('skipped')]);
		expect(hints.length).toBe(1);
		// The and one accept.
		expect(requests()).toBe(3);
	});

	test('a balance that cannot be had under a floor, after an accept', async () => {
		const { run, sandbox } = await of300();
		sandbox.addFault({ kind: 'error-before-commit', times: 1000, after: 1, ...balance });
		const { outcomes } = await run({ minimumBalance: 5 });
		expect(outcomes).toEqual(['accepted', 'failed', ...Array<string>(298).fill('skipped')]);
	});

	test('a balance that cannot be read under a floor: from the start, and after an accept', async () => {
		const { run, requests, sandbox } = await of300();
		const unreadable = { kind: 'not-json', times: 1000, ...balance } as const;
		sandbox.addFault(unreadable);
		expect((await run({ minimumBalance: 5 })).error?.message).toContain('could not be understood');
		// The and the balance.
		expect(requests()).toBe(2);
		sandbox.clearFaults();
		sandbox.addFault({ ...unreadable, after: 1 });
		const { outcomes } = await run({ minimumBalance: 5 });
		expect(outcomes).toEqual(['accepted', 'failed', ...Array<string>(298).fill('skipped')]);
		// The the balance, an accept, the balance after it, and for the second offer.
		expect(requests()).toBe(2 + 5);
	});

	test('five accepts in a row whose outcome is not known', async () => {
		const { run, requests, sandbox } = await of300();
		sandbox.addFault({ kind: 'error-before-commit', times: 1000, ...post });
		const { outcomes, decisions, hints } = await run();
		const unknown = Array<string>(5).fill('unknown');
		expect(outcomes).toEqual([...unknown, ...Array<string>(295).fill('skipped')]);
		expect(decisions.at(-1)?.reason).toBe('The outcome of the last 5 accepts is not known');
		expect(hints.length).toBe(1);
		expect(sandbox.books.requests({ endpoint: acceptEndpoint }).length).toBe(5);
		// Each is looked for in the list for about ten seconds.
		expect(requests()).toBeLessThanOrEqual(1 + 5 * 7);
	});

	test('five that were in doubt before, and are not sent again, do not', async () => {
		const service = await testService({ dialect: { settlement: 'never' } });
		await service.accept(request(service, Array<number>(5).fill(10)), {}, { continues: true });
		service.sandbox.setDialect({ settlement: 'at-once' });
		request(service, [10]);
		expect((await service.acceptMany()).outcomes.at(-1)).toBe('accepted');
	});

	test('three that fail in different ways do not', async () => {
		const service = await testService({ credits: 15 });
		request(service, [10, 10, 400, 10]);
		service.sandbox.addFault({ kind: 'cut-before-commit', times: 2, ...post });
		const { outcomes } = await service.acceptMany();
		expect(outcomes).toEqual(['unknown', 'unknown', 'failed', 'accepted']);
	});

	test('three about which nothing could be sent', async () => {
		const { run, sandbox } = await of300();
		const full = new Error('SQLITE_FULL: database or disk is full');
		vi.spyOn(processedData, 'checkProcessedAndRecord').mockRejectedValue(full);
		const { outcomes, decisions } = await run();
		vi.restoreAllMocks();
		// In the words of every run, whichever offers it was: the same decisions are returned once.
		expect(decisions.at(-1)?.reason).toBe(
			'No request to accept was sent: n8n could not record it in its database',
		);
		const failed = ['failed', 'failed', 'failed'];
		expect(outcomes).toEqual([...failed, ...Array<string>(297).fill('skipped')]);
		expect(sandbox.books.requests({ endpoint: acceptEndpoint })).toEqual([]);
	});

	test('four that are not known, and one that is, do not', async () => {
		const { run, sandbox } = await of300();
		sandbox.addFault({ kind: 'error-before-commit', times: 4, ...post });
		const { outcomes } = await run({ maxAccepts: 20 });
		expect(outcomes.slice(0, 6)).toEqual([
			...Array<string>(4).fill('unknown'),
			'accepted',
			'accepted',
		]);
	});
});

test('the balance that is remembered with a refusal is the one after it', async () => {
	const { sandbox, acceptMany } = await testService({ credits: 50 });
	for (const cost of [60, 40]) sandbox.requestOffer({ cost });
	sandbox.addFault({ kind: 'delay-before-commit', milliseconds: 20_000, after: 1, ...post });
	const running = acceptMany({}, published);
	await time.wait(10_000);
	sandbox.setCredits(5);
	expect((await running).outcomes).toEqual(['failed', 'failed']);
	sandbox.setCredits(50);
	const again = await acceptMany({ options: { return: 'all' } }, published);
	expect(again.outcomes.sort()).toEqual(['accepted', 'skipped']);
});
