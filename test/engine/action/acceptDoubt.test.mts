/** What has not been seen is never "accepted", and never paid a second time. */
import { describe, expect, test } from 'vitest';

import { freshActionNode, type NodeRunOptions } from '../engine.mts';
import { acceptParameters, jsonOf, type TestService, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const acceptEndpoint = 'POST /api/exchanges/:id/accept';
const path = '/api/exchanges';
const minute = 60_000;
/** The worst that a service can do: charge a second accept as well. */
const charging = { acceptAgain: '200-charged-again' } as const;
const deniesPayment = /nothing (was|has been|is) (sent|spent|changed)|not accepted|safe to run/i;

const posts = ({ sandbox }: TestService) => sandbox.books.requests({ endpoint: acceptEndpoint });

async function acceptOf(service: TestService, id: string, options = {}) {
	const { items, error } = await service.run('exchange', 'accept', {
		parameters: acceptParameters(id, options),
	});
	const text = `${error?.message ?? ''} ${error?.description ?? ''}`;
	return { item: items[0]?.json, error, text };
}

describe('a 2xx is read before it is believed', () => {
	test.each([
		['an error object in a 200', { errorStatus: '200-error-object' }, 'with an error in it'],
		['success: false in a 200', { errorStatus: '200-success-false' }, 'with an error in it'],
	] as const)('%s', async (_, dialect, said) => {
		const service = await testService({ dialect, credits: 3 });
		const offer = service.sandbox.requestOffer({ cost: 10 });
		const { item, error, text } = await acceptOf(service, offer.id);
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
		const service = await testService({ dialect });
		const offer = service.sandbox.requestOffer();
		const { item } = await acceptOf(service, offer.id);
		expect(item).toMatchObject({
			id: offer.id,
			outcome: 'accepted',
			confirmedBy: 'readBack',
			exchange: { id: offer.id, status: 'accepted' },
		});
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	test('once the offer is seen as accepted, nobody looks again', async () => {
		const service = await testService({ dialect: { accept: '202-record' } });
		const offer = service.sandbox.requestOffer();
		await acceptOf(service, offer.id, { checkFirst: false });
		expect(service.sandbox.books.requests({ method: 'GET' }).length).toBe(1);
	});

	test('202 and nothing after it is an error; a minute later it may be asked for again', async () => {
		const service = await testService({ dialect: { settlement: 'never', ...charging } });
		const offer = service.sandbox.requestOffer();
		const first = await acceptOf(service, offer.id);
		expect(first.error?.message).toContain('still shows the offer');
		expect(first.text).toContain('HTTP 202');
		await acceptOf(service, offer.id, { checkFirst: false });
		expect(posts(service).length).toBe(1);
		await time.wait(minute);
		await acceptOf(service, offer.id);
		expect(posts(service).length).toBe(2);
	});

	test('202 that is carried out within the minute is not paid twice, with Retry Unconfirmed', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await testService({ dialect });
		const offer = service.sandbox.requestOffer();
		const { item } = await acceptOf(service, offer.id, { retryUnconfirmed: true });
		expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
		expect(posts(service).length).toBe(1);
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});
});

describe('the headline says that credits may have been spent, since an AI agent sees nothing else', () => {
	const path = '/api/exchanges';

	test('when the service refused and the list cannot be read', async () => {
		const service = await testService({});
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', path, status: 409 });
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, times: 100 });
		const { error } = await acceptOf(service, offer.id, { checkFirst: false });
		expect(error?.message).toContain('credits may have been spent all the same');
		expect(error?.context?.code).toBe('outcome_unknown');
	});

	test('when a later request for the same offer came to nothing', async () => {
		const service = await testService({ dialect: { settlement: 'never' } });
		const offer = service.sandbox.requestOffer();
		await acceptOf(service, offer.id);
		await time.wait(minute);
		service.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', path, status: 402 });
		const { error } = await acceptOf(service, offer.id);
		expect(posts(service).length).toBe(2);
		expect(error?.message).toContain('credits may have been spent on an earlier request');
		expect(error?.context?.code).toBe('outcome_unknown');
	});
});

describe('outcomes are remembered', () => {
	test.each(['lagging', 'pending-only', 'without-accepted'] as const)(
		'what was accepted is not sent again, whatever the list says: %s',
		async (exchangeList) => {
			const service = await testService({ dialect: { exchangeList, ...charging } });
			const offer = service.sandbox.requestOffer();
			await time.wait(minute);
			expect((await acceptOf(service, offer.id)).item?.outcome).toBe('accepted');
			const before = service.sandbox.books.requests().length;
			for (const checkFirst of [true, false]) {
				const { item } = await acceptOf(service, offer.id, { checkFirst });
				expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'memory' });
				expect(item?.exchange).toMatchObject({ id: offer.id });
			}
			expect(service.sandbox.books.requests().length).toBe(before);
			expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
		},
	);

	test('what is unknown and not listed is not sent again for 24 hours', async () => {
		const service = await testService({ dialect: { exchangeList: 'pending-only', ...charging } });
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path });
		const tries = [];
		for (const wait of [0, minute, 22 * 60 * minute]) {
			await time.wait(wait + 1);
			tries.push(await acceptOf(service, offer.id, { checkFirst: false }));
		}
		for (const { item, error, text } of tries) {
			expect(item).toBeUndefined();
			expect(error?.message).toBe(
				`It is not known whether the offer ${offer.id} was accepted: credits may have been spent`,
			);
			expect(text).toContain('Credits may have been spent');
			expect(error?.context?.code).toBe('outcome_unknown');
			expect(text).not.toMatch(deniesPayment);
		}
		expect(posts(service).length).toBe(1);
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	test('a list that hides what is accepted unless asked for it is asked for it', async () => {
		const dialect = { exchangeList: 'pending-unless-filtered', ...charging } as const;
		const service = await testService({ dialect });
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path });
		const { item } = await acceptOf(service, offer.id);
		expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
	});

	test('what lags behind is not paid twice', async () => {
		const service = await testService({ dialect: { exchangeList: 'lagging', ...charging } });
		const offer = service.sandbox.requestOffer();
		await time.wait(minute);
		service.sandbox.addFault({ kind: 'cut-after-commit', method: 'POST', path });
		const { item } = await acceptOf(service, offer.id, { retryUnconfirmed: true });
		expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'readBack' });
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	test('after an answer that declined, the list is read before the next request', async () => {
		const service = await testService({ dialect: charging });
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'error-after-commit', status: 403, method: 'POST', path });
		await acceptOf(service, offer.id, { checkFirst: false });
		const { item } = await acceptOf(service, offer.id, { checkFirst: false });
		expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'check' });
		expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	test('within the same run as well: the list that was read before the first request is not believed', async () => {
		const { sandbox, run } = await testService({ dialect: charging });
		const offer = sandbox.requestOffer();
		sandbox.addFault({ kind: 'error-after-commit', status: 403, method: 'POST', path });
		const result = await run('exchange', 'accept', {
			parameters: acceptParameters(offer.id, { maxAccepts: '={{ $json.most }}' }),
			items: [{ most: 1 }, { most: 2 }],
			onError: 'continueRegularOutput',
		});
		expect(jsonOf(result)).toMatchObject([
			{ error: { httpCode: '403' } },
			{ outcome: 'alreadyAccepted', confirmedBy: 'check' },
		]);
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	describe('the minute counts from when the request was sent, not from when it began to wait for the limit', () => {
		/** The request waits for 55 seconds, and is taken then: "202", and nothing after it. */
		async function sentLate(options: Partial<NodeRunOptions>) {
			const limits = { perMinute: 10, perDay: 1_000_000, windowMilliseconds: 55_000 };
			const service = await testService({ dialect: { settlement: 'never', ...charging }, limits });
			const offer = service.sandbox.requestOffer();
			for (let count = 0; count < 10; count++) await service.run('credit', 'getBalance');
			const parameters = acceptParameters(offer.id, { checkFirst: false });
			const { run } = await service.run('exchange', 'accept', { parameters, ...options });
			return { service, offer, run };
		}
		const taken = ({ sandbox }: TestService) =>
			sandbox.books.requests({ endpoint: acceptEndpoint, status: 202 }).length;

		test('for another execution', async () => {
			const { service, offer } = await sentLate({});
			const { error } = await acceptOf(service, offer.id);
			expect(error?.message).toContain('still shows the offer');
			expect(taken(service)).toBe(1);
		});

		test('for the same execution in another process', async () => {
			const actionNode = freshActionNode();
			actionNode.execute = async function () {
				return (await freshActionNode().execute?.call(this)) ?? [];
			};
			const { service, run } = await sentLate({
				actionNode,
				rounds: 2,
				onError: 'continueRegularOutput',
			});
			expect(run.data.resultData.runData['Backlink Exchange']?.length).toBe(2);
			expect(taken(service)).toBe(1);
		});
	});

	test('if that list cannot be read, the message denies no payment', async () => {
		const service = await testService({ dialect: charging });
		const offer = service.sandbox.requestOffer();
		service.sandbox.addFault({ kind: 'error-after-commit', status: 403, method: 'POST', path });
		await acceptOf(service, offer.id, { checkFirst: false });
		service.sandbox.addFault({ kind: 'cut-before-commit', method: 'GET', path, times: 10 });
		const { text } = await acceptOf(service, offer.id, { checkFirst: false });
		expect(text).toContain('after a look at the list');
		expect(text).not.toMatch(deniesPayment);
		expect(posts(service).length).toBe(1);
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
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, times: 6 });
		const result = await service.run('exchange', 'accept', {
			parameters: acceptParameters('={{ $json.id }}', { checkFirst: false, ...options }),
			items: offers.map(({ id }) => ({ id })),
			retryOnFail: { maxTries: 3, waitBetweenTries: 1000 },
		});
		return { ...service, offers, first, second, result };
	}

	test('what the first try reached comes out as accepted, with what it cost', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ minimumBalance: 5 });
		expect(result.error?.message).toBeUndefined();
		expect(jsonOf(result)).toMatchObject([
			{ outcome: 'accepted', confirmedBy: 'response', creditsSpent: 10, balance: 990 },
			{ outcome: 'accepted', confirmedBy: 'readBack', balance: 980 },
			{ outcome: 'accepted', confirmedBy: 'response', creditsSpent: 10, balance: 970 },
		]);
		// Before that accept, the second try has read no balance.
		expect(jsonOf(result)[1]?.creditsSpent).toBeUndefined();
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 1]);
	});

	test('Max Accepts counts what an earlier try has sent', async () => {
		const { sandbox, offers, result } = await interruptedInTheMiddle({ maxAccepts: 2 });
		expect(jsonOf(result).map(({ outcome }) => outcome)).toEqual([
			'accepted',
			'accepted',
			'skipped',
		]);
		expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1, 0]);
	});
});
