import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { json, localService } from '../localServer.mts';
import { acceptParameters, jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { pending, serviceByHand } from './accepts.mts';

const time = useVirtualTime();

const acceptEndpoint = 'POST /api/exchanges/:id/accept';

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

test.each(['accepted', 'live'])(
	'an offer that is %s already is found by the check and not sent again',
	async (status) => {
		const { sandbox, accept, offer } = await serviceWithOffer();
		sandbox.accept(offer.id);
		if (status === 'live') sandbox.publish(offer.id);
		const { item, hints } = await accept(offer, { minimumBalance: 0 });
		expect(item).toMatchObject({ outcome: 'alreadyAccepted', confirmedBy: 'check' });
		expect(hints.map(({ message }) => message)).toEqual([
			'At least one offer was already accepted.',
		]);
		// The list alone: nothing was spent that the balance could show.
		expect(sandbox.books.requests().length).toBe(1);
	},
);

const refusing = singleVariants('acceptAgain').filter(
	({ settings }) => settings.acceptAgain !== '200-charged-again',
);

test.each(refusing)(
	'an offer that somebody accepts after the check: the answer is looked up: $name',
	async ({ settings }) => {
		const { sandbox, accept, offer } = await serviceWithOffer({ dialect: settings });
		const post = { method: 'POST', path: '/api/', milliseconds: 1000 };
		sandbox.addFault({ kind: 'delay-before-commit', ...post });
		const running = accept(offer);
		await time.wait(500);
		sandbox.accept(offer.id);
		const { items, error } = await running;
		expect(error?.message).toBeUndefined();
		// A service that answers 200 again cannot be distinguished from one that accepted now.
		const expected =
			settings.acceptAgain === '200'
				? { outcome: 'accepted', confirmedBy: 'response' }
				: { outcome: 'alreadyAccepted', confirmedBy: 'readBack' };
		expect(items[0]?.json).toMatchObject(expected);
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

test('the same ID twice is one request, and both items get its outcome', async () => {
	const { sandbox, accept, offer } = await serviceWithOffer();
	const { items } = await accept([{ id: offer.id }, { id: offer.id }]);
	expect(items.map(({ json, pairedItem }) => [json.outcome, pairedItem])).toEqual([
		['accepted', { item: 0 }],
		['accepted', { item: 1 }],
	]);
	expect(sandbox.books.requests({ endpoint: acceptEndpoint }).length).toBe(1);
});

test('the same ID twice, refused, is one request as well, and says nothing of other offers', async () => {
	const { sandbox, accept } = await testService();
	const [first, second] = [1, 2].map(() => ({ id: sandbox.requestOffer().id }));
	sandbox.addFault({ kind: 'error-before-commit', status: 403, method: 'POST' });
	const { items } = await accept([first, second, first] as never, {}, { continues: true });
	expect(items.map(({ json }) => json.outcome)).toEqual([undefined, 'accepted', undefined]);
	expect(sandbox.books.requests({ endpoint: acceptEndpoint }).length).toBe(2);
});

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

test('an exchange that the service does not know is said by name', async () => {
	const { accept } = await testService();
	const { error } = await accept('exc_none');
	expect(error?.message).toBe('The service does not know the exchange exc_none');
	expect(error?.httpCode).toBe('404');
});

test.each(['={{ "" }}', '   ', '.', '..', '={{ "exc_\ud800" }}'])(
	'"%s" is no exchange, and no request is sent',
	async (id) => {
		const { sandbox, accept } = await testService();
		const { error } = await accept(id);
		expect(error?.message).toMatch(/^"Exchange" (is empty|cannot be used)/);
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test('two executions at once on the same offer pay it once, even if the service would charge again', async () => {
	const { sandbox, run, offer } = await serviceWithOffer({
		dialect: { acceptAgain: '200-charged-again' },
	});
	const options = { parameters: acceptParameters(offer.id) };
	const runs = await Promise.all([1, 2, 3].map(() => run('exchange', 'accept', options)));
	expect(
		runs
			.flatMap(jsonOf)
			.map(({ outcome }) => outcome)
			.sort(),
	).toEqual(['accepted', 'accepted', 'accepted']);
	expect(sandbox.books.acceptsOf(offer.id)).toBe(1);
});

test('a list that was read before another execution accepted is not believed', async () => {
	const { sandbox, accept } = await testService({ dialect: { acceptAgain: '200-charged-again' } });
	const [first, second] = [sandbox.requestOffer(), sandbox.requestOffer()];
	// The first execution has read the list and is busy with its first offer …
	sandbox.addFault({
		kind: 'delay-after-commit',
		method: 'POST',
		path: '/api/',
		milliseconds: 1000,
	});
	const slow = accept([{ id: first.id }, { id: second.id }]);
	await time.wait(500);
	expect(sandbox.books.acceptsOf(first.id)).toBe(1);
	// … while the other one accepts the second.
	await accept(second);
	expect((await slow).outcomes).toEqual(['accepted', 'accepted']);
	expect(sandbox.books.acceptsOf(second.id)).toBe(1);
});

test('Retry On Fail runs all items again and pays none twice', async () => {
	const { sandbox, accept } = await testService({ dialect: { acceptAgain: '200-charged-again' } });
	const offers = [1, 2].map(() => sandbox.requestOffer());
	const { run: execution } = await accept(
		[...offers.map(({ id }) => ({ id })), { id: 'exc_none' }],
		{},
		{ tries: 3 },
	);
	// Not by its status, which n8n's server gives to it in n8n before 1.123.
	expect(execution.data.resultData.error?.message).toContain('exc_none');
	expect(sandbox.books.requests({ exchangeId: 'exc_none' }).length).toBe(3);
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

test('a mistyped ID is said to be one, without a word of write operations', async () => {
	const { accept } = await testService();
	const { error } = await accept('exc_mistyped');
	expect(error?.message).toBe('The service does not know the exchange exc_mistyped');
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
