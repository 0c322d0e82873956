/** What one accept returns, and what it says where nothing was accepted. */
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { json, localService } from '../localServer.mts';
import { acceptParameters, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, serviceByHand } from './accepts.mts';

useVirtualTime();

test.each(singleVariants('accept'))(
	'an offer is accepted and paid once: $name',
	async ({ settings }) => {
		const { sandbox, accept, offer } = await serviceWithOffer({ dialect: settings });
		const { items, error, hints } = await accept(offer, { simplify: false });
		expect(error?.message).toBeUndefined();
		expect(hints).toEqual([]);
		expect(items).toEqual([
			{
				json: {
					id: offer.id,
					outcome: 'accepted',
					confirmedBy: 'response',
					partner: offer.fromSite,
					site: offer.toSite,
					anchor: offer.anchor,
					exchange: expect.objectContaining({ id: offer.id }) as unknown,
					message: expect.stringMatching(/^Accepted \S+ → \S+, anchor ".*"$/) as unknown,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(items[0]?.json.exchange).not.toMatchObject({ status: 'pending' });
		expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
	},
);

test.each(['status', 'state'])(
	'after an answer without a body, the record is the one of the check, without its %s',
	async (name) => {
		// Too large to be remembered.
		const { status, ...offer } = pending({ anchor: 'tea '.repeat(2000) });
		const { accept } = await serviceByHand({
			list: () => [{ ...offer, [name]: status }],
			accept: (_id, response) => void response.writeHead(204).end(),
		});
		const { item } = await accept(offer, { simplify: false });
		expect(item).toMatchObject({ outcome: 'accepted', confirmedBy: 'response' });
		expect(item?.exchange).toEqual(offer);
	},
);

test('several offers are accepted one after another, and the list is read once', async () => {
	const { sandbox, accept } = await testService();
	const offers = [1, 2, 3].map(() => sandbox.requestOffer());
	const { items } = await accept(offers);
	expect(items.map(({ json }) => json.id)).toEqual(offers.map(({ id }) => id));
	expect(sandbox.books.requests({ method: 'GET' }).length).toBe(1);
	expect(Math.max(...sandbox.books.requests().map(({ inFlight }) => inFlight))).toBe(1);
});

test.each(singleVariants('insufficientCredits'))(
	"too few credits are reported with the service's own figures: $name",
	async ({ settings }) => {
		const { sandbox, accept, offer } = await serviceWithOffer(
			{ dialect: settings, credits: 3 },
			{ cost: 10 },
		);
		const { error } = await accept(offer);
		expect(error?.message).toBe('There are not enough credits');
		expect(error?.description).toMatch(/\b10\b.*\b3\b/);
		expect(error?.context?.code).toBe('insufficient_credits');
		// The check and the accept: the answer is clear, so nothing is looked up after it.
		expect(sandbox.books.requests().length).toBe(2);
		expect(sandbox.books.acceptsOf(offer.id)).toBe(0);
	},
);

test('a mistyped ID is said to be one, without a word of write operations', async () => {
	const { accept } = await testService();
	const { error } = await accept('exc_mistyped');
	expect(error?.message).toBe('The service does not know the exchange exc_mistyped');
	expect(error?.httpCode).toBe('404');
	expect(error?.description).toContain('Take the ID from "Get many exchanges"');
	expect(error?.description).not.toContain('write operations');
	const page = await localService((request, response) => {
		if (request.method === 'POST') response.writeHead(404).end('<html>');
		else json([])(request, response);
	});
	expect((await page.accept('exc_1')).error?.description).toContain('write operations');
});

test('before write operations are available, the error says so and nothing is spent', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer({ readOnly: true });
	const { error } = await accept(offer);
	expect(error?.description).toContain('write operations are not available for the account yet');
	expect(sandbox.books.acceptsOf(offer.id)).toBe(0);
});

test.each(['={{ "" }}', '   ', '.', '..', '={{ "exc_\ud800" }}', 'exc_\u200b1'])(
	'"%s" is no exchange, and no request is sent',
	async (id) => {
		const { sandbox, run } = await testService();
		for (const operation of ['accept', 'get']) {
			const { error } = await run('exchange', operation, { parameters: acceptParameters(id) });
			expect(error?.message).toMatch(/^"Exchange" (is empty|cannot be used)/);
		}
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test.each([
	'exc_1',
	'={{ ({ mode: "id", value: "exc_1" }) }}',
	'={{ ["exc_1"] }}',
	7,
	true,
	'={{ 12345678901234567890 }}',
])('Exchange as %j is read, or refused by name', async (exchangeId) => {
	const service = await serviceByHand({ list: () => [] });
	const { error, items } = await service.run('exchange', 'accept', {
		parameters: { exchangeId, options: {} },
	});
	expect(
		items.length === 1 || /"Exchange"|resource locator|Could not get/i.test(error?.message ?? ''),
	).toBe(true);
});

test('a prototype in the answer does not come out', async () => {
	const offer = pending();
	const service = await serviceByHand({
		list: () => [offer],
		accept: (id, response) =>
			void response.end(
				`{"id":"${id}","status":"accepted","__proto__":{"outcome":"x","admin":true}}`,
			),
	});
	const { item } = await service.accept(offer, { simplify: false });
	expect((item?.exchange as IDataObject).admin).toBeUndefined();
	expect(({} as IDataObject).admin).toBeUndefined();
});
