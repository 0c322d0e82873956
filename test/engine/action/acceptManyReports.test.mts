/** What Accept Many returns of an offer in doubt, and of one that an earlier execution or try has accepted: everything once. */
import { describe, expect, test, vi } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { credentialType, processedData } from '../engine.mts';
import { serviceWithOffer, type TestService, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	charging,
	killedAtRecord,
	list,
	minute,
	pending,
	post,
	posts,
	published,
	restarted,
	serviceByHand,
} from './accepts.mts';

const time = useVirtualTime();

describe('what was unknown and then shows as accepted', () => {
	test('in the same process', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await serviceWithOffer({ dialect, credits: 100 }, { cost: 10 });
		await processedData.clearAllProcessedItems();
		expect((await service.acceptMany()).outcomes).toEqual(['unknown']);
		await time.wait(minute);
		expect((await service.acceptMany()).decisions).toMatchObject([
			{ id: service.offer.id, outcome: 'accepted', confirmedBy: 'readBack' },
		]);
		// The claim, and that it was told; each is two entries.
		expect(processedData.size).toBe(4);
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
		await service.acceptMany({}, { ...restarted(), cancelAfter: 2000 });
		await time.wait(minute);
		const again = await service.acceptMany({}, restarted());
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
		service.sandbox.addFault({ kind: 'not-json', ...list, after: 1, times: 1 });
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
		for (let run = 0; run < 2; run++) {
			expect((await service.accept(offers.slice(0, 1))).outcomes).toEqual(['accepted']);
		}
	});
	test('what it has accepted is reported by the next one: Accept Many that is canceled', async () => {
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

describe('told once: what this node asked for and the list shows as accepted, whatever lies between', () => {
	/** An execution whose process ends with this reading or writing of its record, after so many accepts. */
	async function killedAfter(
		service: TestService,
		accepts: number,
		steps: number,
		settings: object = {},
		more: object = {},
	): Promise<void> {
		let left = steps;
		await killedAtRecord(
			() => service.acceptMany(settings, { ...published, ...restarted(), ...more }),
			() => posts(service).length < accepts || --left >= 0,
		);
	}

	test.each([
		[1, 0, minute],
		[3, 0, 2 * minute],
		[3, 0, 49 * 60 * minute],
		[4, 0, 49 * 60 * minute],
		[4, 1, 49 * 60 * minute],
	])(
		'an execution that is killed after %i accepts and %i steps, %i ms before the next one',
		async (accepts, steps, wait) => {
			const service = await testService({ credits: 1000 });
			const ids = [1, 2, 3, 4].map(() => service.sandbox.requestOffer().id);
			await killedAfter(service, accepts, steps);
			await time.wait(wait);
			const told: unknown[] = [];
			for (let run = 0; run < 3; run++) {
				const { decisions } = await service.acceptMany({}, { ...published, ...restarted() });
				told.push(...decisions.map(({ id, outcome }) => ({ id, outcome })));
			}
			const expected = ids.map((id) => ({ id, outcome: 'accepted' }));
			expect(told).toHaveLength(ids.length);
			expect(told).toEqual(expect.arrayContaining(expected));
			expect(ids.map((id) => service.sandbox.books.acceptsOf(id))).toEqual([1, 1, 1, 1]);
		},
	);

	test.each([0, 1, 2, 3, 4, 5, 6, 7])(
		'an execution that n8n would run again, and that is killed %i steps into its question about earlier ones',
		async (steps) => {
			const service = await testService({ credits: 1000 });
			const { id } = service.sandbox.requestOffer();
			// The first item fails, so n8n would run the node again.
			const items = [{ most: -1 }, { most: 5 }];
			const options = { maxAccepts: '={{ $json.most }}' };
			const repeated = { items, continues: true, tries: 2 };
			await killedAfter(service, 1, steps, { options }, repeated);
			await time.wait(minute);
			const { decisions } = await service.acceptMany({}, { ...published, ...restarted() });
			expect(decisions).toMatchObject([{ id, outcome: 'accepted' }]);
		},
	);

	test('once, although its outcome has another name after a restart', async () => {
		const service = await serviceWithOffer();
		service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
		const run = async () =>
			(await service.acceptMany({}, { ...published, ...restarted() })).outcomes;
		expect(await run()).toEqual(['alreadyAccepted']);
		expect(await run()).toEqual([]);
		expect((await service.accept(service.offer)).outcomes).toEqual(['accepted']);
	});

	test('records without a time', async () => {
		const offers = [pending(), pending()];
		const service = await serviceByHand({
			list: () => offers.map((offer) => ({ ...offer, status: stateOf(offer.id) })),
		});
		const stateOf = (id: string) => (service.posted.includes(id) ? 'accepted' : 'pending');
		let steps = 0;
		await killedAtRecord(
			() => service.acceptMany({}, { ...published, ...restarted() }),
			() => service.posted.length < 2 || ++steps < 2,
		);
		for (const outcomes of [['accepted', 'accepted'], []]) {
			await time.wait(49 * 60 * minute);
			expect((await service.acceptMany({}, { ...published, ...restarted() })).outcomes).toEqual(
				outcomes,
			);
		}
		expect(service.posted.length).toBe(2);
	});

	test('what somebody else has accepted is not told, also after a question to the record that was cut off', async () => {
		const service = await testService({ credits: 1000 });
		for (let count = 0; count < 3; count++) {
			service.sandbox.accept(service.sandbox.requestOffer().id);
		}
		for (let steps = 0; steps < 4; steps++) {
			await killedAfter(service, 0, steps);
			expect((await service.acceptMany({}, { ...published, ...restarted() })).decisions).toEqual(
				[],
			);
		}
	});

	test('the decisions about the first of two items are told by the next execution where the process was killed during the second', async () => {
		const service = await testService({ credits: 1000 });
		const offers = ['a', 'b'].map((site) =>
			service.sandbox.requestOffer({ toSite: `https://${site}.example`, anchor: 'casino' }),
		);
		service.sandbox.requestOffer({ toSite: 'https://b.example' });
		const settings = {
			options: { ownSites: '={{ $json.site }}', refusedAnchorWords: 'casino' },
		};
		const more = { ...published, items: [{ site: 'a.example' }, { site: 'b.example' }] };
		await killedAtRecord(() => service.acceptMany(settings, { ...more, ...restarted() }));
		await time.wait(2 * minute);
		const { decisions } = await service.acceptMany(settings, more);
		for (const { id } of offers) expect(decisions.map((each) => each.id)).toContain(id);
	});

	test('a workflow that failed behind Accept gets the same item when it is run again, with its price', async () => {
		const service = await serviceWithOffer({ credits: 100 }, { cost: 10 });
		const run = async () =>
			(await service.accept(service.offer, { minimumBalance: 0, simplify: false })).item;
		const first = await run();
		expect(first).toMatchObject({ outcome: 'accepted', creditsSpent: 10, balance: 90 });
		const { confirmedBy, balance, message, ...same } = first ?? {};
		for (const wait of [0, 25 * 60 * minute, 25 * 60 * minute]) {
			await time.wait(wait);
			const again = await run();
			expect(again).toMatchObject(same);
			// From memory, nothing is asked; later the balance is that of this moment.
			expect(again?.balance).toBe(wait === 0 ? undefined : 90);
		}
		expect([confirmedBy, balance, message].includes(undefined)).toBe(false);
	});
});

test('n8n runs a node again whose first item carries an error: the last try returns what the first one accepted and decided', async () => {
	const service = await testService({ credits: 100 });
	const { id } = service.sandbox.requestOffer({ cost: 10 });
	const refused = service.sandbox.requestOffer({ anchor: 'casino' });
	const { baseUrl, apiKey } = service.sandbox;
	const credentials = new TestCredentials(credentialType, {});
	credentials.ofItem = (index) => ({ baseUrl, apiKey: index === 0 ? 'revoked' : apiKey });
	const settings = { options: { minimumBalance: 5, refusedAnchorWords: 'casino' } };
	const mode = 'trigger' as const;
	const more = { items: [{}, {}], credentials, mode, continues: true, tries: 3 };
	const { decisions } = await service.acceptMany(settings, more);
	expect(decisions).toMatchObject([
		{ error: { httpCode: '401' } },
		{ id, outcome: 'accepted', creditsSpent: 10, balance: 90 },
		{ id: refused.id, outcome: 'refused' },
	]);
	expect(service.sandbox.books.acceptsOf(id)).toBe(1);
	// Nobody knows which try is the last one: twice is better than not at all.
	expect((await service.acceptMany(settings, more)).outcomes.slice(1)).toEqual([
		'accepted',
		'refused',
	]);
	const final = { ...more, tries: undefined };
	expect((await service.acceptMany(settings, final)).outcomes.slice(1)).toEqual([
		'accepted',
		'refused',
	]);
	expect((await service.acceptMany(settings, final)).outcomes.slice(1)).toEqual([]);
	expect((await service.acceptMany(settings, more)).outcomes.slice(1)).toEqual([]);
});
