/** What Accept Many returns of an offer in doubt, and of one that an earlier execution or try has accepted: everything once. */
import { describe, expect, test, vi } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, minute, pending, posts, serviceByHand } from './accepts.mts';

const time = useVirtualTime();
const path = '/api/exchanges';
const post = { method: 'POST', path };

describe('Max per Day, and what is in doubt', () => {
	test('refused but accepted counts', async () => {
		const service = await testService({ credits: 1000, dialect: charging });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
		const { outcomes } = await service.acceptMany({ options: { maxPerDay: 1 } });
		expect(outcomes).toEqual(['alreadyAccepted', 'skipped', 'skipped']);
		expect(service.sandbox.books.balance()).toBe(990);
	});
	test('an offer in doubt is not "skipped", and not sent again beyond the limit', async () => {
		const service = await testService({ credits: 1000, dialect: { settlement: 'never' } });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const one = await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(one.outcomes).toEqual(['unknown', 'unknown', 'skipped']);
		for (const waited of [0, 2 * minute]) {
			await time.wait(waited);
			const two = await service.acceptMany({ options: { maxPerDay: 1 } });
			expect(two.outcomes).toEqual(['unknown', 'unknown', 'skipped']);
		}
		expect(posts(service).length).toBe(2);
		await service.acceptMany({ options: { maxPerDay: 2 } });
		expect(posts(service).length).toBe(4);
	});
	test.each([
		['its state cannot be read', { status: 'archived' }],
		['a rule refuses it', { anchor: 'casino' }],
	])('an offer in doubt is "unknown", although %s now', async (_, changed) => {
		const [first, second] = [pending(), pending()];
		let change = {};
		const service = await serviceByHand({
			list: () => [first, { ...second, ...change }],
			accept: (_id, response) => void response.writeHead(500).end(),
		});
		const options = { refusedAnchorWords: 'casino' };
		expect((await service.acceptMany({ options })).outcomes).toEqual(['unknown', 'unknown']);
		change = changed;
		const { outcomes } = await service.acceptMany({ options });
		expect(outcomes).toEqual(['unknown', 'unknown']);
		expect(service.posted).toEqual([first.id, second.id]);
	});
});

describe('what was unknown and then shows as accepted', () => {
	test('in the same process', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await serviceWithOffer({ dialect, credits: 100 }, { cost: 10 });
		const before = processedData.size;
		expect((await service.acceptMany()).outcomes).toEqual(['unknown']);
		await time.wait(minute);
		expect((await service.acceptMany()).decisions).toMatchObject([
			{ id: service.offer.id, outcome: 'accepted', confirmedBy: 'readBack' },
		]);
		// The claim, and that it is settled.
		expect(processedData.size).toBe(before + 2);
		expect((await service.acceptMany()).decisions).toEqual([]);
	});
	test('although another node saw it first', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await serviceWithOffer({ dialect });
		expect((await service.acceptMany()).outcomes).toEqual(['unknown']);
		await time.wait(minute);
		const elsewhere = await service.accept(service.offer, {}, { nodeId: 'other' });
		expect(elsewhere.outcomes).toEqual(['alreadyAccepted']);
		expect((await service.acceptMany()).outcomes).toEqual(['accepted']);
		expect((await service.acceptMany()).outcomes).toEqual([]);
	});
	test('after a restart', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await serviceWithOffer({ dialect, credits: 100 }, { cost: 10 });
		service.sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 5000 });
		await service.acceptMany({}, { actionNode: freshActionNode(), cancelAfter: 2000 });
		await time.wait(minute);
		const again = await service.acceptMany({}, { actionNode: freshActionNode() });
		expect(again.decisions).toMatchObject([{ id: service.offer.id, outcome: 'accepted' }]);
	});
	test('a floor is not held back by what has shown as accepted', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40 } as const;
		const service = await testService({ dialect, credits: 100 });
		service.sandbox.requestOffer({ cost: 10 });
		const options = { minimumBalance: 10 };
		await service.acceptMany({ options });
		await time.wait(2 * minute);
		service.sandbox.setDialect({ settlement: 'at-once' });
		service.sandbox.requestOffer({ cost: 10 });
		await service.acceptMany({ options });
		await time.wait(2 * minute);
		const later = await service.acceptMany({ options });
		service.sandbox.requestOffer({ cost: 10 });
		const last = await service.acceptMany({ options });
		expect([...later.decisions, ...last.decisions].map(({ outcome }) => outcome)).toContain(
			'accepted',
		);
	});
	test('a second unknown outcome is reported as well', async () => {
		const service = await testService({ credits: 100, dialect: { settlement: 'never' } });
		service.sandbox.requestOffer();
		const run = async () => (await service.acceptMany({}, { mode: 'trigger' })).outcomes;
		expect(await run()).toEqual(['unknown']);
		expect(await run()).toEqual([]);
		await time.wait(2 * minute);
		expect(await run()).toEqual(['unknown']);
		expect(posts(service).length).toBe(2);
	});
});

describe('an execution that fails as a whole: nothing of it has come out', () => {
	test('Retry On Fail gives what the first try accepted, and what it has told', async () => {
		const service = await testService({ credits: 1000 });
		const { id } = service.sandbox.requestOffer();
		const refused = service.sandbox.requestOffer({ anchor: 'casino' });
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 1 });
		const { decisions } = await service.acceptMany(
			{ options: { refusedAnchorWords: 'casino', maxAccepts: '={{ $json.most }}' } },
			{ items: [{ most: 1 }, { most: 1 }], tries: 2, mode: 'trigger' },
		);
		expect(decisions).toMatchObject([
			{ id, outcome: 'accepted' },
			{ id: refused.id, outcome: 'refused' },
		]);
	});
	test('what it has accepted is reported by the next one: Accept', async () => {
		const service = await testService({ credits: 1000 });
		const offers = [1, 2].map(() => service.sandbox.requestOffer());
		service.sandbox.addFault({ kind: 'error-before-commit', ...post, after: 1 });
		expect((await service.accept(offers)).error).toBeDefined();
		for (const outcome of ['accepted', 'alreadyAccepted']) {
			expect((await service.accept(offers.slice(0, 1))).outcomes).toEqual([outcome]);
		}
	});
	test('what it has accepted is reported by the next one: Accept Many that is cancelled', async () => {
		const service = await testService({ credits: 1000 });
		const offers = [1, 2].map(() => service.sandbox.requestOffer());
		const delay = { kind: 'delay-before-commit', milliseconds: 9000, after: 1 } as const;
		service.sandbox.addFault({ ...delay, ...post });
		const first = await service.acceptMany({}, { mode: 'trigger', cancelAfter: 2000 });
		expect(first.items).toEqual([]);
		await time.wait(minute);
		const { decisions } = await service.acceptMany({}, { mode: 'trigger' });
		expect(decisions.map(({ id, outcome }) => [id, outcome])).toEqual(
			offers.map(({ id }) => [id, 'accepted']),
		);
	});
	test('what n8n cannot record is returned every time', async () => {
		const service = await testService();
		service.sandbox.requestOffer({ anchor: 'casino' });
		const full = new Error('SQLITE_FULL: database or disk is full');
		const record = vi.spyOn(processedData, 'checkProcessedAndRecord').mockRejectedValue(full);
		const options = { refusedAnchorWords: 'casino' };
		for (let run = 0; run < 2; run++) {
			const { outcomes } = await service.acceptMany({ options }, { mode: 'trigger' });
			expect(outcomes).toEqual(['refused']);
		}
		record.mockRestore();
	});
});
