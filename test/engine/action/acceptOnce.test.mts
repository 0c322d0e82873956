/**
 * An offer is paid only once for any number of accepts, and is never reported as accepted without
 * evidence.
 */
import { describe, expect, test } from 'vitest';

import { jsonOf, setUpWithOffer, startTestService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptEndpoint,
	acceptRequests,
	afterRestart,
	balanceEndpoint,
	listEndpoint,
	minute,
	mockExchanges,
	pending,
} from './acceptFixtures.mts';

const time = useVirtualTime();

test('sends one request for duplicate IDs and returns its outcome for both items', async () => {
	const service = await setUpWithOffer();
	const { items } = await service.accept([{ id: service.offer.id }, { id: service.offer.id }]);
	expect(
		items.map(({ json, pairedItem }) => [json.outcome, json.alreadyAccepted, pairedItem]),
	).toEqual([
		['accepted', false, { item: 0 }],
		['accepted', false, { item: 1 }],
	]);
	expect(acceptRequests(service).length).toBe(1);
});

test('sends one request for duplicate IDs that the service rejects, and continues with other offers', async () => {
	const service = await startTestService();
	const { id } = service.sandbox.requestOffer();
	const items = [{ id: 'exc_none' }, { id }, { id: 'exc_none' }];
	const { outcomes } = await service.accept(items, {}, { continueOnFail: true });
	expect(outcomes).toEqual([undefined, 'accepted', undefined]);
	expect(acceptRequests(service).length).toBe(2);
});

test('pays once when several executions accept the same offer concurrently', async () => {
	const service = await setUpWithOffer();
	const runs = await Promise.all([1, 2, 3].map(() => service.accept(service.offer)));
	expect(runs.flatMap(({ outcomes }) => outcomes)).toEqual(['accepted', 'accepted', 'accepted']);
	expect(runs.map(({ item }) => item?.alreadyAccepted).sort()).toEqual([false, true, true]);
	expect(acceptRequests(service).length).toBe(1);
});

test("re-reads a list that is older than another execution's accept", async () => {
	const service = await startTestService();
	const { sandbox, accept } = service;
	const [first, second] = [sandbox.requestOffer(), sandbox.requestOffer()];
	// The first execution has fetched the list and is busy with its first offer …
	sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 1000 });
	const slow = accept([{ id: first.id }, { id: second.id }]);
	await time.wait(500);
	// … while the other one accepts the second.
	await accept(second);
	expect((await slow).decisions).toMatchObject([
		{ alreadyAccepted: false },
		{ alreadyAccepted: true },
	]);
	expect(acceptRequests(service).length).toBe(2);
});

test('checks the list again if the balance took longer than five seconds', async () => {
	const service = await setUpWithOffer();
	service.sandbox.addFault({ kind: 'delay-after-commit', ...balanceEndpoint, milliseconds: 6000 });
	const run = service.accept(service.offer);
	await time.wait(3000);
	service.sandbox.accept(service.offer.id);
	expect((await run).item).toMatchObject({ outcome: 'accepted', alreadyAccepted: true });
	expect(acceptRequests(service)).toEqual([]);
});

test('Retry On Fail runs all items again, pays none twice, and returns accepts of the first try', async () => {
	const service = await startTestService({ credits: 100 });
	const offers = [1, 2].map(() => service.sandbox.requestOffer({ cost: 10 }));
	service.sandbox.addFault({ kind: 'malformed-json', ...listEndpoint, times: 1, after: 1 });
	await time.wait(0);
	// The list becomes stale during the first request, and is unreadable then.
	service.sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 6000 });
	const result = await service.accept(offers, {}, { maxTries: 2 });
	expect(result.error?.message).toBeUndefined();
	expect(jsonOf(result)).toMatchObject([
		{ outcome: 'accepted', alreadyAccepted: false, creditsSpent: 10, balance: 90 },
		{ outcome: 'accepted', alreadyAccepted: false, creditsSpent: 10, balance: 80 },
	]);
	expect(acceptRequests(service).length).toBe(2);
});

test('pays once across a canceled execution, a restart and a second execution', async () => {
	const service = await setUpWithOffer();
	service.sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 5000 });
	const canceled = await service.accept(
		service.offer,
		{},
		{ ...afterRestart(), cancelAfter: 2000 },
	);
	expect(canceled.run.status).toBe('canceled');
	await time.wait(5000);
	const { item } = await service.accept(service.offer, {}, afterRestart());
	expect(item).toMatchObject({ outcome: 'accepted', alreadyAccepted: true });
	expect(acceptRequests(service).length).toBe(1);
});

test("cancels an execution that waits for another one's accept of the same offer", async () => {
	const service = await setUpWithOffer();
	service.sandbox.addFault({ kind: 'delay-after-commit', ...acceptEndpoint, milliseconds: 20_000 });
	const first = service.accept(service.offer);
	await time.wait(1000);
	const startedAt = Date.now();
	const second = await service.accept(service.offer, {}, { cancelAfter: 1000 });
	expect(second.run.status).toBe('canceled');
	expect(Date.now() - startedAt).toBe(1000);
	expect((await first).outcomes).toEqual(['accepted']);
});

test('waits for an accept although an execution that waited for it was canceled', async () => {
	const service = await setUpWithOffer();
	const delay = { kind: 'delay-before-commit', milliseconds: 20_000 } as const;
	service.sandbox.addFault({ ...delay, ...acceptEndpoint });
	const first = service.accept(service.offer);
	await time.wait(1000);
	await service.accept(service.offer, {}, { cancelAfter: 1000 });
	const third = await service.accept(service.offer);
	expect(third.item).toMatchObject({ outcome: 'accepted', alreadyAccepted: true });
	expect((await first).item).toMatchObject({ outcome: 'accepted', alreadyAccepted: false });
	expect(acceptRequests(service).length).toBe(1);
});

describe('verifies ambiguous responses in the list', () => {
	test.each([
		['a connection that is cut after the request was carried out', 'cut-after-commit'],
		['HTTP 503 after it was carried out', 'error-after-commit'],
		['a time-out', 'delay-after-commit'],
		['a body that is not JSON', 'malformed-json'],
	] as const)('returns `accepted` by the list: %s', async (_, kind) => {
		const service = await setUpWithOffer({ credits: 100 }, { cost: 10 });
		service.sandbox.addFault({ kind, ...acceptEndpoint, milliseconds: 31_000 });
		const { item } = await service.accept(service.offer);
		expect(item).toMatchObject({ outcome: 'accepted', alreadyAccepted: false, creditsSpent: 10 });
		// The sandbox records a delayed request only after it has responded.
		await time.wait(2000);
		expect(acceptRequests(service).length).toBe(1);
	});

	test.each([
		['the record of another exchange', { id: 'other', status: 'accepted' }],
		['a pending record', { status: 'pending' }],
		['an error object', { status: 'accepted', error: { code: 'late', message: 'Too late' } }],
	])('returns `accepted` by the list after a 200 with %s', async (_, fields) => {
		const offer = pending();
		const service = mockExchanges({
			list: (reads) => [{ ...offer, status: reads > 2 ? 'accepted' : 'pending' }],
			accept: (id) => ({ id, ...fields }),
		});
		const { item } = await service.accept(offer, { includeRecord: true });
		expect(item).toMatchObject({
			outcome: 'accepted',
			alreadyAccepted: false,
			record: { id: offer.id, status: 'accepted' },
		});
	});

	test.each([
		['cut-before-commit', "doesn't show it as accepted"],
		['error-before-commit', "doesn't show it as accepted"],
	] as const)("returns an error that doesn't deny a payment: %s", async (kind, outputs) => {
		const service = await setUpWithOffer();
		service.sandbox.addFault({ kind, ...acceptEndpoint });
		const { error, text, items } = await service.accept(service.offer);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^Couldn't see whether /);
		expect(error?.context?.code).toBe('outcome_unknown');
		expect(text).toContain(outputs);
		expect(acceptRequests(service).length).toBe(1);
	});

	test.each([
		['a 202 without a body', [202]],
		['a 200 with the record of another exchange', { id: 'other', status: 'accepted' }],
	] as const)(
		'returns an unknown outcome after %s, while the list shows no accept',
		async (_, reply) => {
			const offer = pending();
			const service = mockExchanges({ list: () => [offer], accept: () => reply });
			expect((await service.accept(offer.id)).error?.context?.code).toBe('outcome_unknown');
			expect(service.postedIds).toEqual([offer.id]);
		},
	);

	test('returns `unknown` while the list is unreadable; the second try finds the outcome', async () => {
		const service = await setUpWithOffer();
		service.sandbox.addFault({ kind: 'cut-after-commit', ...acceptEndpoint });
		service.sandbox.addFault({ kind: 'malformed-json', ...listEndpoint, after: 1, times: 6 });
		const first = await service.accept(
			service.offer,
			{},
			{ loopIterations: 2, continueOnFail: true },
		);
		const nodeRuns = first.run.data.resultData.runData['Backlink Exchange'] ?? [];
		const outputs = nodeRuns.map(({ data }) => data?.main?.[0]?.[0]?.json);
		expect(outputs).toMatchObject([
			{ error: { code: 'outcome_unknown' } },
			{ outcome: 'accepted', alreadyAccepted: false },
		]);
		expect(acceptRequests(service).length).toBe(1);
	});
});

describe('after an accept with an unknown outcome', () => {
	test('sends nothing for a minute; then the list decides', async () => {
		const service = await setUpWithOffer();
		service.sandbox.addFault({ kind: 'cut-before-commit', ...acceptEndpoint });
		await service.accept(service.offer);
		const soon = await service.accept(service.offer);
		expect(soon.error?.context?.code).toBe('outcome_unknown');
		expect(soon.text).toContain(
			'An earlier request to accept it got no response that shows the outcome',
		);
		expect(acceptRequests(service).length).toBe(1);
		await time.wait(minute);
		expect((await service.accept(service.offer)).item).toMatchObject({
			outcome: 'accepted',
			alreadyAccepted: false,
		});
		expect(acceptRequests(service).length).toBe(2);
	});

	test('never sends a second request in the same execution, after any time', async () => {
		const offer = pending();
		const service = mockExchanges({
			list: () => [offer],
			accept: () => [500],
		});
		const items = [{ id: offer.id }, { id: offer.id }];
		await service.accept(items, {}, { loopIterations: 3, continueOnFail: true });
		expect(service.postedIds.length).toBe(1);
	});

	test('ignores a list that was requested within the minute, however late its response is', async () => {
		const offer = pending();
		const service = mockExchanges({
			list: () => [offer],
			accept: () => [500],
		});
		const startedAt = Date.now();
		await service.accept(offer.id);
		await time.wait(startedAt + 55_000 - Date.now());
		expect((await service.accept(offer.id)).error?.context?.code).toBe('outcome_unknown');
		expect(service.postedIds.length).toBe(1);
	});
});

test('retries an accept after 429 without counting it', async () => {
	const offers = [pending(), pending()];
	const service = mockExchanges({
		list: () => offers,
		accept: (id, requests) =>
			requests > 1 ? { id, status: 'accepted' } : [429, '', { 'retry-after': '1' }],
	});
	const options = { maxAccepts: 1, maxRateLimitWait: 0 };
	const { outcomes } = await service.accept(offers, options, { maxTries: 2 });
	expect(outcomes).toEqual(['accepted', 'skipped']);
	expect(service.postedIds).toEqual([offers[0]?.id, offers[0]?.id]);
});
