/** Claims in n8n's database: what was about to be sent outlives a killed process. Between workers: acceptWorkers.test.mts. */
import type { INodeType } from 'n8n-workflow';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import { serviceWithOffer, type TestService, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	charging,
	killedAtRecord,
	minute,
	pending,
	post,
	posts,
	restarted,
	serviceByHand,
} from './accepts.mts';

const time = useVirtualTime();

afterEach(() => {
	vi.restoreAllMocks();
	processedData.delay = 0;
});

/** An accept in a process that ends while the request is on its way: nothing of it goes on, or is remembered. */
async function killedWhilePosting(service: TestService, id: string): Promise<void> {
	service.sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 5000 });
	await service.accept(id, {}, { ...restarted(), cancelAfter: 2000 });
}

test('after a kill between request and answer, the offer is paid once, and reported as its own when it shows', async () => {
	const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
	const service = await serviceWithOffer({ dialect, credits: 100 }, { cost: 10 });
	await killedWhilePosting(service, service.offer.id);
	expect(service.sandbox.books.balance()).toBe(100);

	const another = freshActionNode();
	const early = await service.accept(service.offer, {}, { actionNode: another });
	expect(early.item).toBeUndefined();
	expect(early.error?.context?.code).toBe('outcome_unknown');
	await time.wait(minute);
	const later = await service.accept(service.offer, {}, { actionNode: another });
	expect(later.item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
	const again = await service.accept(service.offer, {}, restarted());
	expect(again.item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
	expect(posts(service).length).toBe(1);
	expect(service.sandbox.books.balance()).toBe(90);
});

test('after a kill whose request came to nothing, a minute is waited, and then it is sent again, once', async () => {
	const service = await serviceWithOffer({ dialect: { settlement: 'never', ...charging } });
	await killedWhilePosting(service, service.offer.id);
	const another = freshActionNode();
	await service.accept(service.offer, {}, { actionNode: another });
	await time.wait(minute - 20_000);
	await service.accept(service.offer, {}, { actionNode: another });
	expect(posts(service).length).toBe(1);
	await time.wait(20_000);
	service.sandbox.setDialect({ settlement: 'at-once' });
	const { item } = await service.accept(service.offer, {}, { actionNode: another });
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
	expect(posts(service).length).toBe(2);
});

test('what an execution accepted before it failed is reported by every later one, in whichever process', async () => {
	const service = await testService();
	const [one = '', two = ''] = [1, 2].map(() => service.sandbox.requestOffer().id);
	const refuseTwo = () => {
		const accept = { ...post, path: `/api/exchanges/${two}/` };
		service.sandbox.addFault({ kind: 'error-before-commit', status: 403, ...accept });
	};
	const outcomesIn = async (actionNode: INodeType, tries?: number, other = two) => {
		const run = await service.accept([{ id: one }, { id: other }], {}, { actionNode, tries });
		return run.error === undefined ? run.outcomes : 'failed';
	};
	const actionNode = freshActionNode();
	refuseTwo();
	expect(await outcomesIn(actionNode)).toBe('failed');
	refuseTwo();
	expect(await outcomesIn(actionNode, 2)).toEqual(['accepted', 'accepted']);
	expect(await outcomesIn(freshActionNode(), undefined, 'exc_none')).toBe('failed');
	for (const each of [actionNode, freshActionNode()]) {
		expect(await outcomesIn(each)).toEqual(['accepted', 'accepted']);
	}
});

test.each([403, 409])('a request that was refused with %i leaves no claim', async (status) => {
	const service = await testService();
	const before = processedData.size;
	const offer = service.sandbox.requestOffer();
	service.sandbox.addFault({ kind: 'error-before-commit', status, ...post });
	expect((await service.accept(offer, {}, restarted())).error).toBeDefined();
	expect(processedData.size).toBe(before);
	const { item } = await service.accept(offer, {}, restarted());
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
});

test('where n8n has lost the claim of a request, the next request for the offer writes it again', async () => {
	const service = await serviceWithOffer();
	const actionNode = freshActionNode();
	service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
	await service.accept(service.offer, {}, { actionNode });
	await processedData.clearAllProcessedItems();
	await time.wait(minute);
	expect((await service.accept(service.offer, {}, { actionNode })).item?.outcome).toBe('accepted');
	const { item } = await service.accept(service.offer, {}, restarted());
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
});

test('an offer that somebody else has accepted is told although n8n’s database cannot be read', async () => {
	const service = await serviceWithOffer();
	service.sandbox.accept(service.offer.id);
	processedData.beforeEach = async () => {
		await Promise.reject(new Error('The database is locked'));
	};
	onTestFinished(() => {
		processedData.beforeEach = undefined;
	});
	const { item } = await service.accept(service.offer, {}, restarted());
	expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'check' });
});

test('a node whose request was refused has not asked for the offer, also after a doubt of another node', async () => {
	const service = await serviceWithOffer();
	const actionNode = freshActionNode();
	const accept = async (nodeId: string) =>
		await service.accept(service.offer, {}, { actionNode, nodeId });
	service.sandbox.addFault({ kind: 'cut-before-commit', ...post });
	await accept('one');
	await time.wait(minute);
	service.sandbox.addFault({ kind: 'error-before-commit', status: 403, ...post });
	expect((await accept('another')).error).toBeDefined();
	service.sandbox.accept(service.offer.id);
	expect((await accept('one')).item?.outcome).toBe('accepted');
	expect((await accept('another')).item?.outcome).toBe('alreadyAccepted');
});

test('what a process accepted before it was killed, in the same run, is reported by the next one', async () => {
	const service = await testService();
	const offers = [1, 2].map(() => ({ id: service.sandbox.requestOffer().id }));
	await killedAtRecord(
		() => service.accept(offers, {}, restarted()),
		// After the first accept, it would claim the second.
		() => posts(service).length === 0,
	);
	for (let run = 0; run < 2; run++) {
		const { outcomes } = await service.accept(offers, {}, restarted());
		expect(outcomes).toEqual(['accepted', 'accepted']);
	}
	expect(posts(service).length).toBe(2);
});

test('a limit that lasts too long, and an execution canceled while it waits for one, leave no doubt behind', async () => {
	const limits = { perMinute: 2, perDay: 1000, windowMilliseconds: 50_000 };
	const service = await testService({ limits });
	const before = processedData.size;
	const offer = service.sandbox.requestOffer();
	for (const [options, execution] of [
		[{ maxRateLimitWait: 1 }, {}],
		[{}, { cancelAfter: 20_000 }],
	] as const) {
		await time.wait(60_000);
		await service.run('credit', 'getBalance');
		const { run } = await service.accept(offer, options, {
			actionNode: freshActionNode(),
			...execution,
		});
		expect(run.status).not.toBe('success');
		expect(processedData.size).toBe(before);
	}
	expect(posts(service).filter(({ status }) => status !== 429)).toEqual([]);
	await time.wait(60_000);
	const { item } = await service.accept(offer, {}, restarted());
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
});

test('where the list is outdated whenever the limit lets the request go, it is not sent in the end, and said', async () => {
	const limits = { perMinute: 1, perDay: 1000, windowMilliseconds: 20_000 };
	const service = await serviceWithOffer({ limits });
	const before = processedData.size;
	const { error } = await service.accept(service.offer);
	expect(error?.message).toContain('it had to wait too long');
	expect(posts(service).filter(({ status }) => status !== 429)).toEqual([]);
	expect(processedData.size).toBe(before);
});

test('a limit that is waited out is no second request, and leaves no claim', async () => {
	const before = processedData.size;
	const id = `exc_${Math.random()}`;
	let refusals = 0;
	const claimsWhileWaiting: number[] = [];
	const { accept, asked } = await localService((request, response) => {
		if (request.method === 'GET') json([{ id, status: 'pending' }])(request, response);
		else if (++refusals > 2) json({ id, status: 'accepted' })(request, response);
		else response.writeHead(429, { 'retry-after': '2' }).end();
		if (refusals === 1) setTimeout(() => claimsWhileWaiting.push(processedData.size), 1000);
	});
	const { item } = await accept(id);
	expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
	expect(asked.filter(({ method }) => method === 'POST').length).toBe(3);
	// A process that is killed while it waits leaves no doubt behind either.
	expect(claimsWhileWaiting).toEqual([before]);
});

test('what n8n cannot record is not sent, and said', async () => {
	const service = await serviceWithOffer();
	const full = new Error('SQLITE_FULL: database or disk is full');
	const record = vi.spyOn(processedData, 'checkProcessedAndRecord').mockRejectedValue(full);
	const { error } = await service.accept(service.offer, {}, restarted());
	expect(error?.message).toBe(
		'No request to accept was sent: n8n could not record it in its database',
	);
	expect(posts(service)).toEqual([]);
	record.mockRestore();
	expect((await service.accept(service.offer, {}, restarted())).item?.outcome).toBe('accepted');
});

test('a database that is so slow that the list is outdated each time: nothing is sent, and both reasons are named', async () => {
	processedData.delay = 2000;
	const service = await serviceWithOffer();
	const { error } = await service.accept(service.offer, {}, restarted());
	expect(error?.message).toContain('it had to wait too long');
	expect(error?.description).toContain('for the request limit or the database of n8n');
	// Five times, each with a list of its own.
	expect(service.sandbox.books.requests().map(({ method }) => method)).toEqual(
		Array(5).fill('GET'),
	);
});

test.each([0, 20, 30, 50, 79])(
	'two workers, the second %i ms later, and a database that takes 80 ms: one request, and both have accepted it',
	async (later) => {
		processedData.delay = 80;
		const service = await serviceWithOffer();
		const worker = async (startsAfter: number) => {
			await time.wait(startsAfter);
			return (await service.accept(service.offer, {}, restarted())).item?.outcome;
		};
		expect(await Promise.all([worker(0), worker(later)])).toEqual(['accepted', 'accepted']);
		expect(posts(service).length).toBe(1);
	},
);

test('what is settled does not look like what is open, and pushes it out only after thousands', async () => {
	const service = await testService({ dialect: { settlement: 'never' }, credits: 10_000 });
	const before = processedData.size;
	const doubtful = service.sandbox.requestOffer();
	await killedWhilePosting(service, doubtful.id);
	service.sandbox.setDialect({ settlement: 'at-once' });
	const offers = Array.from({ length: 60 }, () => service.sandbox.requestOffer());
	const accepted = await service.accept(offers, {}, restarted());
	expect(accepted.error?.message).toBeUndefined();
	expect(new Set(accepted.outcomes)).toEqual(new Set(['accepted']));
	// Of each offer its claim, which is two entries.
	expect(processedData.size).toBe(before + 61 * 2);
	const { error } = await service.accept(doubtful, {}, restarted());
	expect(error?.context?.code).toBe('outcome_unknown');
});

describe("n8n's record of processed data", () => {
	test('that fails once the request has left: what was accepted comes out', async () => {
		const service = await serviceWithOffer();
		const record = processedData.checkProcessedAndRecord.bind(processedData);
		vi.spyOn(processedData, 'checkProcessedAndRecord').mockImplementation(async (...names) => {
			if (posts(service).length > 0) throw new Error('SQLITE_BUSY');
			return await record(...names);
		});
		expect((await service.accept(service.offer)).item?.outcome).toBe('accepted');
	});
	test('what cannot be removed from it is not reported as its own later', async () => {
		const offer = pending({ status: 'accepted' });
		const service = await serviceByHand({ list: () => [offer] });
		vi.spyOn(processedData, 'removeProcessed').mockRejectedValueOnce(new Error('SQLITE_BUSY'));
		for (let run = 0; run < 2; run++) {
			const { item } = await service.accept(offer, {}, restarted());
			expect(item?.outcome).toBe('alreadyAccepted');
		}
	});
	test.each([
		// Writes that are lost.
		(names: string[]) => ({ new: names, processed: [] }),
		...[undefined, null, {}, { processed: 'x' }, { processed: null }].map((answer) => () => answer),
	])('that answers anything else: nothing is sent (%#)', async (answer) => {
		const offer = pending();
		const service = await serviceByHand({ list: () => [offer] });
		vi.spyOn(processedData, 'checkProcessedAndRecord').mockImplementation((names) =>
			Promise.resolve(answer(names as string[]) as never),
		);
		const { error } = await service.accept(offer, {}, restarted());
		expect(error?.message).toContain('No request to accept was sent');
		expect(service.posted).toEqual([]);
	});
});

test.each([0, 1, 5, 10, 20, 24, 26, 30, 50, 100, 125, 150, 1000, 2999, 3001, 5000])(
	'canceled after %i ms: nothing paid twice, a doubt only if it was sent',
	async (cancelAfter) => {
		const service = await testService({ dialect: charging, latencyMilliseconds: 13 });
		processedData.delay = 7;
		const before = processedData.size;
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 3000 });
		await service.accept(offer, { minimumBalance: 0 }, { ...restarted(), cancelAfter });
		await time.wait(200);
		const sent = service.sandbox.books.acceptsOf(offer.id);
		if (sent === 0) expect(processedData.size).toBe(before);
		service.sandbox.clearFaults();
		const { item } = await service.accept(offer, { minimumBalance: 0 }, restarted());
		expect(item?.outcome).toMatch(/accepted/i);
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
		// Its claim, which is two entries.
		expect(processedData.size).toBe(before + 2);
	},
);
