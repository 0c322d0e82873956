/**
 * Results of Accept for any response of the service, and its messages when nothing was accepted.
 */
import { expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { singleVariants } from '../../../sandbox/dialects.mts';
import { acceptParameters, setUpWithOffer, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import {
	acceptEndpoint,
	acceptRequests,
	balanceEndpoint,
	mockExchanges,
	pending,
} from './acceptFixtures.mts';

const time = useVirtualTime();

const confirmed = singleVariants('accept').filter(({ name }) => !name.endsWith('-pending'));

test.each(confirmed)(
	'returns an accepted offer with its price and the remaining credits: $name',
	async ({ settings }) => {
		const { sandbox, accept, offer } = await setUpWithOffer(
			{ dialect: settings, credits: 100 },
			{ cost: 10 },
		);
		const { items, error, hints } = await accept(offer, { includeRecord: true });
		expect([error?.message, hints]).toEqual([undefined, []]);
		expect(items).toEqual([
			{
				json: {
					message:
						'Accepted: the offer partner.example → your-site.example with the anchor “a good read”. It cost 10 credits, and 90 are left.',
					exchangeId: offer.id,
					outcome: 'accepted',
					alreadyAccepted: false,
					creditsSpent: 10,
					balance: 90,
					partner: offer.fromSite,
					site: offer.toSite,
					anchor: offer.anchor,
					record: expect.objectContaining({ id: offer.id }) as unknown,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(Object.keys(items[0]?.json ?? {})[0]).toBe('message');
		expect(items[0]?.json.record).not.toMatchObject({ status: 'pending' });
		expect(sandbox.books.acceptCount(offer.id)).toBe(1);
	},
);

test.each([400, 403, 404, 409, 410, 422])(
	'says that no credits were spent if the service declines an offer with HTTP %i',
	async (status) => {
		const service = await setUpWithOffer({ credits: 100 });
		service.sandbox.addFault({
			kind: 'answer-before-commit',
			method: 'POST',
			status,
			body: '{"error":{"code":"declined","message":"No"}}',
		});
		const { error } = await service.accept(service.offer);
		expect(error?.description).toContain('No credits were spent.');
		expect(service.sandbox.books.balance()).toBe(100);
	},
);

test('returns `accepted` for an offer that was accepted before, and pays nothing', async () => {
	const service = await setUpWithOffer();
	service.sandbox.accept(service.offer.id);
	const { item } = await service.accept(service.offer);
	expect(item).toMatchObject({ outcome: 'accepted', alreadyAccepted: true });
	expect(item?.message).toMatch(
		/^Already accepted: the offer partner\.example.* this time no credits were spent\.$/,
	);
	expect(item).not.toHaveProperty('creditsSpent');
	expect(acceptRequests(service)).toEqual([]);
});

test.each(singleVariants('acceptAgain').filter(({ name }) => /=4\d\d$/.test(name)))(
	'returns `accepted` without a payer if a third party accepts meanwhile: $name',
	async ({ settings }) => {
		const { sandbox, accept, offer } = await setUpWithOffer({ dialect: settings });
		sandbox.addFault({ kind: 'delay-before-commit', ...acceptEndpoint, milliseconds: 1000 });
		const running = accept(offer);
		await time.wait(500);
		sandbox.accept(offer.id);
		const { item } = await running;
		expect(item).toMatchObject({
			outcome: 'accepted',
			alreadyAccepted: false,
			reason: expect.stringMatching(
				/^The service rejected the request \(HTTP 4\d\d\), .* may have been spent$/,
			) as unknown,
		});
		expect(sandbox.books.acceptCount(offer.id)).toBe(1);
	},
);

test.each(singleVariants('insufficientCredits'))(
	"reports too few credits with the service's own figures: $name",
	async ({ settings }) => {
		const { sandbox, accept, offer } = await setUpWithOffer(
			{ dialect: settings, credits: 3 },
			{ cost: 10 },
		);
		const { error } = await accept(offer);
		expect(error?.message).toBe(errorMessages.notEnoughCredits);
		expect(error?.description).toMatch(/\b10\b.*\b3\b/);
		expect(error?.context?.code).toBe('insufficient_credits');
		expect(sandbox.books.acceptCount(offer.id)).toBe(0);
	},
);

test('explains that an ID is mistyped', async () => {
	const { sandbox, accept } = await startTestService();
	const { error } = await accept('exc_mistyped');
	expect(error?.message).toBe("The service doesn't know the exchange exc_mistyped");
	expect(error?.description).toContain("from 'Get many exchanges'");
	expect(error?.description).not.toContain('Write operations');
	// The whole list, the lists of accepted and live exchanges, the balance, and the accept.
	expect(sandbox.books.requests().length).toBe(5);
});

test("reports that write operations aren't available yet, and spends nothing", async () => {
	const { sandbox, accept, offer } = await setUpWithOffer({ readOnly: true });
	const { error } = await accept(offer);
	expect(error?.description).toContain(
		'Write operations may not be available for your account yet',
	);
	expect(sandbox.books.acceptCount(offer.id)).toBe(0);
});

test.each([
	['broken', 'its link is broken'],
	['archived', "Couldn't read the status of the offer"],
])('fails without a request if the state of the offer is %s', async (status, expectedMessage) => {
	const offer = pending({ status });
	const service = mockExchanges({ list: () => [offer] });
	const { text } = await service.accept(offer.id);
	expect(text).toContain(expectedMessage);
	expect(service.postedIds).toEqual([]);
});

test('fails without a request if the list is unreadable', async () => {
	const service = mockExchanges({ list: () => ({ pages: [] }) });
	const { error } = await service.accept('exc_1');
	expect(error?.message).toBe(errorMessages.unexpectedResponse);
	expect(service.postedIds).toEqual([]);
});

test('a dry run reports what it would accept, and reads no balance without a minimum', async () => {
	const { sandbox, accept, offer } = await setUpWithOffer();
	const { item } = await accept(offer, { dryRun: true });
	expect(item).toMatchObject({ outcome: 'wouldAccept' });
	expect(item?.message).toMatch(/^Would accept \(dry run\): the offer partner\.example/);
	expect(sandbox.books.requests().map(({ method, path }) => method + path)).toEqual([
		'GET/api/exchanges',
		'GET/api/sites',
	]);
});

test('ignores an unreadable balance without a minimum, and reads it only once', async () => {
	const { sandbox, accept } = await startTestService();
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	sandbox.addFault({ kind: 'malformed-json', ...balanceEndpoint, times: 100 });
	const { outcomes, decisions } = await accept(offers);
	expect(outcomes).toEqual(['accepted', 'accepted', 'accepted']);
	expect(decisions.some((item) => 'creditsSpent' in item || 'balance' in item)).toBe(false);
	expect(sandbox.books.requests({ endpoint: 'GET /api/credits/balance' }).length).toBe(1);
});

test("doesn't wait for a late price without a minimum, and doesn't report it as 0", async () => {
	const offer = pending();
	const service = mockExchanges({
		list: () => [offer],
		balance: () => ({ balance: 1000, lifetime_spent: 0 }),
	});
	const startedAt = Date.now();
	const { item } = await service.accept(offer.id);
	expect(Date.now() - startedAt).toBe(0);
	expect(item).toMatchObject({ outcome: 'accepted', balance: 1000 });
	expect(item).not.toHaveProperty('creditsSpent');
});

test("credits earned at the same time don't change the price", async () => {
	const offer = pending();
	const service = mockExchanges({
		list: () => [offer],
		balance: (accepts) => ({ balance: accepts === 0 ? 100 : 140, lifetime_spent: 10 * accepts }),
	});
	expect((await service.accept(offer.id)).item).toMatchObject({ creditsSpent: 10, balance: 140 });
});

test.each(['={{ "" }}', '   ', '.', '..', 'exc_\u200b1'])(
	'rejects "%s" as an exchange, without a request',
	async (id) => {
		const { sandbox, run } = await startTestService();
		for (const operation of ['accept', 'get']) {
			const { error } = await run('exchange', operation, { parameters: acceptParameters(id) });
			expect(error?.message).toMatch(/^'Exchange' (is empty|must be the ID of an exchange)/);
		}
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test('explains that an HTML 404 may mean a missing endpoint', async () => {
	const page = await startStubServer((request, response) => {
		if (request.method === 'POST') response.writeHead(404).end('<html>');
		else json([])(request, response);
	});
	expect((await page.accept('exc_1')).error?.description).toContain('Write operations');
});

test('returns the anchor as its author wrote it, and on one line in the message', async () => {
	const anchor = `green  tea ${'x'.repeat(600)}`;
	const { sandbox, accept, offer } = await setUpWithOffer({}, { anchor });
	const { items } = await accept(offer);
	expect(items[0]?.json).toMatchObject({ anchor });
	expect(items[0]?.json.message).toContain('with the anchor “green tea x');
	expect(sandbox.books.acceptCount(offer.id)).toBe(1);
});
