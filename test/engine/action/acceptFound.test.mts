/** What the campaign has found: one test for each rule that was broken. */
import type { INodeType } from 'n8n-workflow';
import { afterEach, expect, test } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { credentialType, freshActionNode, processedData } from '../engine.mts';
import { serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, deniesPayment, minute, pending, posts, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

afterEach(() => {
	processedData.delay = 0;
});

test('between workers: what another worker has accepted since the list was read is not sent again', async () => {
	const service = await testService({ dialect: charging });
	const { sandbox } = service;
	const offers = [sandbox.requestOffer({ id: 'a' }), sandbox.requestOffer({ id: 'b' })];
	const inOrder = offers.map(({ id }) => ({ id }));
	// Two workers begin at the same moment, with the same offers in another order.
	await Promise.all(
		[inOrder, inOrder.toReversed()].map(async (items) => {
			await service.accept(items, {}, { actionNode: freshActionNode() });
		}),
	);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

test('claims of a node leave no gap: one that is in doubt is found, although an earlier one was taken back', async () => {
	const service = await testService({ dialect: charging, credits: 0 });
	const { sandbox } = service;
	const offer = sandbox.requestOffer({ cost: 10 });
	const acceptIn = async (actionNode: INodeType) => {
		return await service.accept(offer, {}, { actionNode });
	};
	const [first, second] = [freshActionNode(), freshActionNode()];
	// The second worker finds the claim of the first one, which is refused then and takes it back.
	sandbox.addFault({ kind: 'delay-before-commit', method: 'POST', milliseconds: 5000 });
	const refused = acceptIn(first);
	await time.wait(1000);
	await acceptIn(second);
	expect((await refused).error?.message).toBe('There are not enough credits');
	sandbox.setCredits(100);
	sandbox.setDialect({ settlement: 'later', settlementSeconds: 40 });
	await time.wait(minute);
	await acceptIn(second);
	expect(posts(service).length).toBe(2);
	// Both workers end here, and the request of the second one takes effect after half a minute.
	await acceptIn(freshActionNode());
	await time.wait(minute);
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('what is in doubt is not called "not accepted", although its state cannot be read', async () => {
	const service = await serviceWithOffer({
		dialect: { settlement: 'later', settlementSeconds: 2 },
	});
	service.sandbox.addFault({
		kind: 'answer-after-commit',
		method: 'GET',
		status: 200,
		body: JSON.stringify({ exchanges: [{ id: service.offer.id, status: 'archived' }] }),
		after: 1,
		times: 1000,
	});
	const { error } = await service.accept(service.offer, {}, { tries: 2 });
	expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
	expect(error?.context?.code).toBe('outcome_unknown');
	expect(`${error?.message} ${error?.description}`).not.toMatch(deniesPayment);
});

test('a worker whose claim was undone by a write about another offer does not remove the claim of another worker', async () => {
	processedData.delay = 20;
	const service = await testService({ dialect: charging, latencyMilliseconds: 20 });
	const { sandbox } = service;
	const [first, second] = [sandbox.requestOffer(), sandbox.requestOffer()];
	await Promise.all(
		[[second], [first, second]].map(async (offers) => {
			const items = offers.map(({ id }) => ({ id }));
			await service.accept(items, {}, { actionNode: freshActionNode() });
		}),
	);
	expect([first, second].map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
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

test.each([{ minimumBalance: 5 }, { maxPerDay: 1 }])(
	'with %j, a request of another execution that leaves while the claim is written is noticed',
	async (options) => {
		processedData.delay = 10;
		const service = await testService({ credits: 12 });
		const { sandbox } = service;
		const [first, second] = [1, 2].map(() => sandbox.requestOffer({ cost: 10 }).id);
		const other = service.accept(second ?? '');
		// The list and the balance are read before the other request leaves, and the claim is written while it does.
		await time.wait(20);
		const careful = service.acceptMany({ options });
		expect((await other).outcomes).toEqual(['accepted']);
		expect((await careful).decisions[0]).toMatchObject({ id: first, outcome: 'skipped' });
		expect(sandbox.books.balance()).toBe(2);
	},
);

test('where the whole list holds only what is pending, the lists of other states are no older', async () => {
	const service = await testService({
		dialect: { ...charging, exchangeList: 'pending-unless-filtered' },
	});
	const { sandbox } = service;
	const ids = Array.from({ length: 5 }, () => sandbox.requestOffer().id);
	const [, accepted = '', , , last = ''] = ids;
	// After two seconds all lists are read for the second offer, after more than five for the fourth one only the whole list.
	sandbox.accept(accepted);
	for (const milliseconds of [2000, 3500]) {
		sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds });
	}
	const run = service.accept(ids.map((id) => ({ id })));
	await time.wait(4000);
	sandbox.accept(last);
	const { items } = await run;
	expect(items.at(-1)?.json.outcome).toBe('alreadyAccepted');
	expect(sandbox.books.acceptsOf(last)).toBe(1);
});

test('what a list that was read for another offer shows as accepted is not asked for', async () => {
	const offer = pending();
	const service = await serviceByHand({
		// Somebody accepts it after the whole list was read, and before the lists per status are, for the unknown one.
		list: (reads) => [{ ...offer, status: reads === 1 ? 'pending' : 'accepted' }],
		accept: (_id, response) => void response.writeHead(404).end(),
	});
	const { items } = await service.accept(
		[{ id: 'exc_none' }, { id: offer.id }],
		{},
		{ continues: true },
	);
	expect(items[1]?.json.outcome).toBe('alreadyAccepted');
	expect(service.posted).toEqual(['exc_none']);
});
