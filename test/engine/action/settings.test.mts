/** What cannot be read is an error before any request, in every operation: an expression may give anything. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { runNode } from '../engine.mts';
import { acceptParameters, jsonOf, testService } from '../service.mts';

/** Each number that the user can set: resource, operation, name, label, and where it is. */
const numbers = [
	['account', 'getSummary', 'days', 'Days', 'parameter'],
	['exchange', 'accept', 'minimumBalance', 'Minimum Balance', 'option'],
	['exchange', 'accept', 'maxAccepts', 'Max Accepts', 'option'],
	['exchange', 'accept', 'maxRateLimitWait', 'Max Rate Limit Wait', 'option'],
	['exchange', 'accept', 'timeout', 'Timeout', 'option'],
	['exchange', 'acceptMany', 'minimumBalance', 'Minimum Balance', 'option'],
	['exchange', 'acceptMany', 'maxAccepts', 'Max Accepts', 'option'],
	['exchange', 'acceptMany', 'maxPerDay', 'Max per Day', 'option'],
	['exchange', 'getAll', 'limit', 'Limit', 'parameter'],
	['exchange', 'getAll', 'maxParallel', 'Max Parallel', 'option'],
	['credit', 'getLedger', 'limit', 'Limit', 'parameter'],
	['watchdogEvent', 'getAll', 'limit', 'Limit', 'parameter'],
	['site', 'getAll', 'limit', 'Limit', 'parameter'],
	['site', 'create', 'verificationTimeout', 'Verification Timeout', 'option'],
] as const;

/** Each other setting. */
const others = [
	['exchange', 'accept', 'dryRun', 'Dry Run', 'option'],
	['exchange', 'acceptMany', 'dryRun', 'Dry Run', 'parameter'],
	['exchange', 'acceptMany', 'acceptFrom', 'Accept From', 'parameter'],
	['exchange', 'acceptMany', 'includeSubdomains', 'Include Subdomains', 'option'],
	['exchange', 'acceptMany', 'return', 'Return', 'option'],
	['exchange', 'getAll', 'status', 'Status', 'parameter'],
	['exchange', 'getAll', 'returnAll', 'Return All', 'parameter'],
	['site', 'getAll', 'verified', 'Verified', 'option'],
	['site', 'create', 'waitForVerification', 'Wait for Verification', 'option'],
	['credit', 'getBalance', 'simplify', 'Simplify', 'parameter'],
] as const;

/** Expressions, as an editor would hold them. */
const unreadableNumbers = [
	'={{ "1,000" }}',
	'={{ "100 credits" }}',
	'={{ "1e3" }}',
	'={{ NaN }}',
	'={{ Infinity }}',
	'={{ true }}',
	'={{ -1 }}',
];
const unreadable = [
	'={{ undefined }}',
	'={{ null }}',
	'={{ $json.missing }}',
	'={{ "" }}',
	'={{ " " }}',
	'={{ [] }}',
	'={{ [5] }}',
	'={{ ({}) }}',
	'={{ "perhaps" }}',
	'={{ 2.5 * -1 }}',
];

const cases = [
	...numbers.flatMap((row) => [...unreadable, ...unreadableNumbers].map((text) => [...row, text])),
	...others.flatMap((row) => unreadable.map((text) => [...row, text])),
] as Array<[string, string, string, string, 'option' | 'parameter', string]>;

function parametersWith(
	place: 'option' | 'parameter',
	name: string,
	value: unknown,
): INodeParameters {
	const accept = acceptParameters();
	const base = { ...accept, url: 'https://blog.example', niche: 'gardening' };
	const set = { [name]: value } as INodeParameters;
	const options: INodeParameters =
		name === 'verificationTimeout' ? { waitForVerification: true, ...set } : set;
	return place === 'option' ? { ...base, options } : { ...base, ...set };
}

test.each(cases)(
	'%s %s: %s (%s, %s) as %s is refused, and nothing is sent',
	async (resource, operation, name, label, place, value) => {
		const { sandbox, run } = await testService();
		const { id } = sandbox.requestOffer();
		const { error } = await run(resource, operation, {
			parameters: parametersWith(place, name, value),
			items: [{ id }],
		});
		expect(error?.message).toContain(`"${label}"`);
		expect(error?.message).toMatch(/is empty$|received/);
		expect(error?.description).toContain('Item index: 0.');
		expect(sandbox.books.requests()).toEqual([]);
	},
);

test.each(['={{ "2" }}', '={{ " 2 " }}', '2', 2])(
	'Max Accepts as %j is a bound of two',
	async (maxAccepts) => {
		const { sandbox, run } = await testService();
		const offers = [1, 2, 3].map(() => sandbox.requestOffer());
		await run('exchange', 'accept', {
			parameters: acceptParameters('={{ $json.id }}', { maxAccepts }),
			items: offers.map(({ id }) => ({ id })),
		});
		expect(sandbox.books.acceptsOf(String(offers[0]?.id))).toBe(1);
		expect(offers.filter(({ id }) => sandbox.books.acceptsOf(id) === 1).length).toBe(2);
	},
);

/** Ten offers, the seventh of them with a bound that cannot be read. */
async function tenOffers() {
	const service = await testService();
	const items: IDataObject[] = Array.from({ length: 10 }, (_, index) => ({
		id: service.sandbox.requestOffer().id,
		most: index === 7 ? 'many' : 10,
	}));
	const parameters = acceptParameters('={{ $json.id }}', { maxAccepts: '={{ $json.most }}' });
	return { ...service, items, parameters };
}

test('one bad row in ten: nothing is sent, and the message names the row', async () => {
	const { sandbox, run, items, parameters } = await tenOffers();
	const { error } = await run('exchange', 'accept', { parameters, items });
	expect(error?.message).toBe('"Max Accepts" cannot be read: received the text "many"');
	expect(error?.description).toContain('Item index: 7.');
	expect(error?.context?.itemIndex).toBe(7);
	expect(sandbox.books.requests()).toEqual([]);
});

test('where items may fail, the bad row fails and the others go on', async () => {
	const { sandbox, run, items, parameters } = await tenOffers();
	const result = await run('exchange', 'accept', {
		parameters,
		items,
		onError: 'continueRegularOutput',
	});
	expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual(
		items.map((_, item) => ({ item })),
	);
	expect(jsonOf(result).map((json) => json.outcome ?? 'error')).toEqual(
		items.map((_, index) => (index === 7 ? 'error' : 'accepted')),
	);
	expect(sandbox.books.acceptsOf(items[7]?.id as string)).toBe(0);
});

test('a run that cannot begin puts out errors, never its input', async () => {
	const { items } = await runNode({
		credential: { baseUrl: 'not an address', apiKey: 'key' },
		parameters: { resource: 'exchange', operation: 'accept', ...acceptParameters() },
		items: [{ id: 'one' }, { id: 'two' }],
		onError: 'continueRegularOutput',
	});
	const message = 'The base URL is not a web address';
	expect(items.map(({ json }) => json)).toEqual([
		{
			message: expect.stringContaining(message) as unknown,
			error: expect.objectContaining({ message }) as unknown,
		},
		{
			message: expect.stringContaining(message) as unknown,
			error: expect.objectContaining({ message }) as unknown,
		},
	]);
});

test.each([true, false])(
	'Verified as a switch in a saved workflow still works: %s',
	async (verified) => {
		const { sandbox, run } = await testService({ verification: { delayMilliseconds: 1 } });
		const result = await run('site', 'getAll', { parameters: { options: { verified } } });
		const expected = sandbox.books.sites().filter((site) => site.verified === verified);
		expect(jsonOf(result).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
	},
);
