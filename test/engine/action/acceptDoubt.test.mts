/** What has not been seen is never "accepted", and never paid a second time. */
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Fault } from '../../../sandbox/faults.mts';
import { processedData } from '../engine.mts';
import { serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { charging, deniesPayment, list, minute, post, posts, restarted } from './accepts.mts';

const time = useVirtualTime();

/** Longer than the node waits for an answer. */
const delay = 1500;

test.each<[Fault['kind'], string]>([
	['cut-after-commit', 'accepted, readBack'],
	['error-after-commit', 'accepted, readBack'],
	['delay-after-commit', 'accepted, readBack'],
	['delay-before-commit', 'accepted, readBack'],
	['not-json', 'accepted, readBack'],
	['malformed-json', 'accepted, readBack'],
	['wrong-content-type', 'accepted, response'],
	['cut-before-commit', 'still shows the offer'],
	['error-before-commit', 'still shows the offer'],
])('%s', async (kind, expected) => {
	const service = await serviceWithOffer();
	service.sandbox.addFault({ kind, ...post, milliseconds: delay });
	const { item, error } = await service.accept(service.offer, { timeout: 1 });
	// A request whose answer is delayed is in the books when it has been answered.
	await time.wait(delay + 500);
	const claimed = `${item?.outcome as string}, ${item?.confirmedBy as string}`;
	expect(error?.message ?? claimed).toContain(expected);
	expect(posts(service).length).toBe(1);
	expect(service.sandbox.books.acceptsOf(service.offer.id)).toBe(error === undefined ? 1 : 0);
});

test('when the list cannot be read afterwards, the outcome is called unknown, and counts as spent', async () => {
	const { sandbox, accept } = await testService();
	const offers = [1, 2].map(() => sandbox.requestOffer());
	sandbox.addFault({ kind: 'cut-after-commit', ...post });
	sandbox.addFault({ kind: 'not-json', ...list, after: 1, times: 6 });
	const { run: execution } = await accept(
		offers,
		{ maxAccepts: 1 },
		{ continues: true, rounds: 2 },
	);
	const rounds = execution.data.resultData.runData['Backlink Exchange'] ?? [];
	expect(rounds.map(({ data }) => data?.main?.[0]?.map(({ json }) => json))).toMatchObject([
		[
			{
				error: {
					message: `It is not known whether the offer ${offers[0]?.id ?? ''} was accepted: credits may have been spent`,
				},
			},
			// The list is not read again for each item.
			{ error: { message: 'The answer of the service could not be understood' } },
		],
		[{ outcome: 'accepted', confirmedBy: 'readBack' }, { outcome: 'skipped' }],
	]);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 0]);
});

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
		service.sandbox.addFault({ kind: 'cut-after-commit', ...post, times: 2 });
		expect((await service.accept(items)).outcomes).toEqual(['accepted', 'accepted']);
	});

	test('once the offer is seen as accepted, nobody checks again', async () => {
		const service = await serviceWithOffer();
		service.sandbox.addFault({ kind: 'cut-after-commit', ...post });
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
			const begun = performance.now();
			const first = await service.accept(service.offer.id);
			expect(first.error?.message).toContain('still shows the offer');
			expect(first.text).toMatch(/HTTP 202 .* so credits may be spent\. If you run this again/);
			time.ahead = minutes * minute;
			onTestFinished(() => {
				time.ahead = 0;
			});
			for (const seconds of [0, 58]) {
				await time.wait(Math.max(0, begun + seconds * 1000 - performance.now()));
				const second = await service.accept(service.offer.id);
				expect(second.text).toContain('An earlier request to accept it got no clear answer');
				expect(posts(service).length).toBe(1);
			}
			await time.wait(5000);
			const bounded = await service.accept(service.offer.id, { minimumBalance: 1_000_000 });
			expect(bounded.text).toContain('was not sent again: The balance of');
			expect(bounded.error?.context?.code).toBe('outcome_unknown');
			await service.accept(service.offer.id);
			expect(posts(service).length).toBe(2);
		},
	);
});

describe('the headline says that credits may have been spent, since an AI agent sees nothing else', () => {
	test('when the service refused and the list cannot be read', async () => {
		const service = await serviceWithOffer({});
		service.sandbox.addFault({ kind: 'error-before-commit', ...post, status: 409 });
		service.sandbox.addFault({ kind: 'not-json', ...list, after: 1, times: 100 });
		const { error } = await service.accept(service.offer.id);
		expect(error?.message).toContain('nevertheless, credits may have been spent');
		expect(error?.context?.code).toBe('outcome_unknown');
	});

	test('when a later request for the same offer came to nothing', async () => {
		const service = await serviceWithOffer({ dialect: { settlement: 'never' } });
		await service.accept(service.offer.id);
		await time.wait(minute);
		service.sandbox.addFault({ kind: 'error-before-commit', ...post, status: 402 });
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
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path: '/api/credits' });
		const unread = await service.accept(service.offer.id, { minimumBalance: 5 });
		expect(unread.error?.message).toContain('credits may have been spent on an earlier request');
		// Also for a process that starts later.
		const elsewhere = await service.accept(service.offer.id, {}, restarted());
		expect(elsewhere.error?.context?.code).toBe('outcome_unknown');
		expect(posts(service).length).toBe(2);
	});
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

describe('what an interrupted request has done may show within a minute, and counts from when the list was asked for', () => {
	const interrupted = async (settlementSeconds: number) => {
		const dialect = { settlement: 'later', settlementSeconds, ...charging } as const;
		const service = await testService({ dialect, credits: 100 });
		const { id } = service.sandbox.requestOffer({ cost: 10 });
		const begun = Date.now();
		expect((await service.accept(id)).text).toContain('still shows the offer');
		const waitUntil = async (moment: number) => {
			await time.wait(begun + moment - Date.now());
		};
		return { ...service, id, waitUntil };
	};

	test.each([40, 50, 57])('however long the list takes: after %d seconds', async (seconds) => {
		const { sandbox, accept, id, waitUntil } = await interrupted(seconds);
		await waitUntil(36_000);
		sandbox.addFault({ kind: 'delay-after-commit', milliseconds: 25_000, ...list });
		await accept(id);
		await waitUntil(180_000);
		expect(sandbox.books.acceptsOf(id)).toBe(1);
	});

	test.each([56, 57, 59])(
		'also where another item has read it: after %d seconds',
		async (seconds) => {
			const { sandbox, accept, id, waitUntil } = await interrupted(seconds);
			const other = sandbox.requestOffer({ cost: 10 });
			sandbox.setDialect({ ...sandbox.dialect(), settlement: 'at-once' });
			await waitUntil(55_500);
			sandbox.addFault({ kind: 'delay-after-commit', milliseconds: 4800, ...post });
			await accept([other, id], {}, { continues: true });
			await waitUntil(180_000);
			expect(sandbox.books.acceptsOf(id)).toBe(1);
		},
	);
});
