/** What has not been seen is never "accepted", and never paid a second time. */
import { describe, expect, onTestFinished, test } from 'vitest';

import { freshActionNode, processedData } from '../engine.mts';
import { jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, deniesPayment, minute, posts } from './accepts.mts';

const time = useVirtualTime();

const path = '/api/exchanges';

describe('a 2xx is read before it is believed', () => {
	test.each([
		['an error object in a 200', { errorStatus: '200-error-object' }, 'with an error in it'],
		['success: false in a 200', { errorStatus: '200-success-false' }, 'with an error in it'],
	] as const)('%s', async (_, dialect, said) => {
		const service = await serviceWithOffer({ dialect, credits: 3 }, { cost: 10 });
		const { item, error, text } = await service.accept(service.offer.id);
		expect(item).toBeUndefined();
		expect(error?.message).toContain('still shows the offer');
		expect(text).toContain(said);
		expect(text).toContain('credits may be spent');
		expect(error?.context?.code).toBe('outcome_unknown');
		expect(text).not.toMatch(deniesPayment);
		expect(posts(service).length).toBe(1);
	});

	test.each([
		['the record of another exchange', { acceptRecord: 'foreign' }],
		['a record that is still pending', { acceptRecord: 'still-pending' }],
		['202 that is carried out later', { settlement: 'later', settlementSeconds: 4 }],
	] as const)('%s is looked up, and seen as accepted', async (_, dialect) => {
		const service = await serviceWithOffer({ dialect });
		const { item } = await service.accept(service.offer.id, { simplify: false });
		expect(item).toMatchObject({
			id: service.offer.id,
			outcome: 'accepted',
			confirmedBy: 'readBack',
			exchange: { id: service.offer.id, status: 'accepted' },
		});
		expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(1);
	});

	test('the pages behind the first are read again, too', async () => {
		const service = await testService({ dialect: { pagination: 'link', pageSize: 1 } });
		const items = [1, 2].map(() => ({ id: service.sandbox.requestOffer().id }));
		service.sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path, times: 2 });
		expect((await service.accept(items)).outcomes).toEqual(['accepted', 'accepted']);
	});

	test('once the offer is seen as accepted, nobody checks again', async () => {
		const service = await serviceWithOffer();
		service.sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path });
		await service.accept(service.offer.id);
		// Before the request, and after it.
		expect(service.sandbox.books.requests({ method: 'GET' }).length).toBe(2);
	});

	test.each([
		['', 0],
		[' although the clock is put forward', 5],
		[' although the clock is put back', -60],
	])(
		'202 and nothing after it is an error; a minute later it may be asked for again%s',
		async (_, minutes) => {
			const service = await serviceWithOffer({ dialect: { settlement: 'never', ...charging } });
			const first = await service.accept(service.offer.id);
			expect(first.error?.message).toContain('still shows the offer');
			expect(first.text).toMatch(/HTTP 202 .* so credits may be spent\. If you run this again/);
			time.ahead = minutes * minute;
			onTestFinished(() => {
				time.ahead = 0;
			});
			const second = await service.accept(service.offer.id);
			expect(second.text).toContain('An earlier request to accept it got no clear answer');
			expect(posts(service).length).toBe(1);
			await time.wait(minute);
			const bounded = await service.accept(service.offer.id, { minimumBalance: 1_000_000 });
			expect(bounded.text).toContain('was not sent again: The balance of');
			expect(bounded.error?.context?.code).toBe('outcome_unknown');
			await service.accept(service.offer.id);
			expect(posts(service).length).toBe(2);
		},
	);
});

describe('the headline says that credits may have been spent, since an AI agent sees nothing else', () => {
	const path = '/api/exchanges';

	test('when the service refused and the list cannot be read', async () => {
		const service = await serviceWithOffer({});
		service.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', path, status: 409 });
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 100 });
		const { error } = await service.accept(service.offer.id);
		expect(error?.message).toContain('nevertheless, credits may have been spent');
		expect(error?.context?.code).toBe('outcome_unknown');
	});

	test('when a later request for the same offer came to nothing', async () => {
		const service = await serviceWithOffer({ dialect: { settlement: 'never' } });
		await service.accept(service.offer.id);
		await time.wait(minute);
		service.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', path, status: 402 });
		const { error } = await service.accept(service.offer.id);
		expect(posts(service).length).toBe(2);
		expect(error?.message).toContain('credits may have been spent on an earlier request');
		expect(error?.context?.code).toBe('outcome_unknown');
		expect(error?.description).toMatch(/^The service says: .* An earlier request to accept/);
		// What keeps a request from being sent is about that one alone.
		processedData.delay = 2000;
		const unsent = await service.accept(service.offer.id);
		processedData.delay = 0;
		expect(unsent.error?.description).toMatch(/^An earlier request to accept/);
		// Also for a process that starts later.
		const restarted = await service.accept(service.offer.id, {}, { actionNode: freshActionNode() });
		expect(restarted.error?.context?.code).toBe('outcome_unknown');
		expect(posts(service).length).toBe(2);
	});
});

describe('second tries in the same execution', () => {
	/** Three offers; whether the second was accepted cannot be seen at first. */
	async function interruptedInTheMiddle(options = {}) {
		const service = await testService({ dialect: charging, credits: 1000 });
		const offers = [1, 2, 3].map(() => service.sandbox.requestOffer({ cost: 10 }));
		const [first, second] = offers.map(({ id }) => id);
		service.sandbox.addFault({
			kind: 'cut-after-commit',
			method: 'POST',
			path: `${path}/${second ?? ''}/`,
		});
		// The list cannot be read for as long as the first try looks.
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 6 });
		const result = await service.accept(offers, { ...options }, { tries: 3 });
		return { ...service, offers, first, second, result };
	}

	test('what the first try reached comes out as accepted, with what it cost', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ minimumBalance: 5 });
		expect(result.error?.message).toBeUndefined();
		expect(jsonOf(result)).toMatchObject([
			{ outcome: 'accepted', confirmedBy: 'response', creditsSpent: 10, balance: 990 },
			{ outcome: 'accepted', confirmedBy: 'readBack', balance: 980 },
			{ outcome: 'accepted', confirmedBy: 'response', balance: 970 },
		]);
		// Before the second accept no balance was read, so what shows after the third may be the price of either.
		expect(jsonOf(result).map(({ creditsSpent }) => creditsSpent)).toEqual([
			10,
			undefined,
			undefined,
		]);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 1]);
	});

	test('Max Accepts counts what an earlier try has sent', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ maxAccepts: 2 });
		expect(result.outcomes).toEqual(['accepted', 'accepted', 'skipped']);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 0]);
	});
});
