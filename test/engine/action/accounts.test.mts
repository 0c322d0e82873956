/** Multiple accounts: each item uses the key and the URL of its own credential. */
import type { INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { TestCredentials } from '../credentials.mts';
import { credentialType } from '../engine.mts';
import { startTestService, type TestService } from '../service.mts';
import { startStubServer } from '../stubServer.mts';

const credentialPerItem = { baseUrl: '={{ $json.baseUrl }}', apiKey: '={{ $json.apiKey }}' };

/** Starts two clients, each with an account at a service of its own. */
async function twoClients() {
	const one = await startTestService();
	const other = await startTestService();
	const itemFor = <More extends object>({ sandbox }: TestService, more: More) => ({
		baseUrl: sandbox.baseUrl,
		apiKey: sandbox.apiKey,
		...more,
	});
	return { one, other, itemFor };
}

test('accepts items of two accounts in order with their own keys, even if the IDs are equal', async () => {
	const { one, other, itemFor } = await twoClients();
	const items = ['a', 'b'].flatMap((id) =>
		[one, other].map((client) => itemFor(client, client.sandbox.requestOffer({ id }))),
	);
	const { items: output, error } = await one.accept(items, {}, { credential: credentialPerItem });
	expect(error?.message).toBeUndefined();
	expect(output.map(({ json }) => [json.exchangeId, json.outcome])).toEqual(
		items.map(({ id }) => [id, 'accepted']),
	);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	for (const { sandbox } of [one, other]) {
		expect(['a', 'b'].map((id) => sandbox.books.acceptCount(id))).toEqual([1, 1]);
		expect(sandbox.books.requests({ status: 401 })).toEqual([]);
	}
});

test('shows the hints of each account, and the same hint only once', async () => {
	const { one, other, itemFor } = await twoClients();
	const getHints = async (parameters: INodeParameters) => {
		const { hints } = await one.run('exchange', 'acceptMany', {
			parameters: { dryRun: false, ...parameters },
			credential: credentialPerItem,
			items: [itemFor(one, {}), itemFor(other, {})],
		});
		return hints.map(({ message }) => message);
	};
	for (const { sandbox } of [one, other, other]) sandbox.requestOffer();
	expect(await getHints({ acceptFrom: 'anyone' })).toEqual([
		expect.stringMatching(/^1 offer was accepted/),
		expect.stringMatching(/^2 offers were accepted/),
	]);
	expect(await getHints({ allowedPartners: '' })).toEqual([
		expect.stringContaining("'Allowed Partners' is empty"),
	]);
});

test('fails an item with an unusable credential before any request, and continues with others', async () => {
	const { one, itemFor } = await twoClients();
	const invalidCredentials = [
		{ apiKey: '' },
		{ apiKey: null },
		{ baseUrl: 'nowhere' },
		{ baseUrl: undefined },
	];
	const items = [{}, ...invalidCredentials, {}].map((more) => itemFor(one, more));
	const { items: output } = await one.run('credit', 'getBalance', {
		credential: credentialPerItem,
		items,
		continueOnFail: true,
	});
	const messages = output.map(
		({ json }) => (json.error as { message: string } | undefined)?.message,
	);
	expect(messages).toEqual([
		undefined,
		errorMessages.apiKeyInvalid,
		errorMessages.apiKeyInvalid,
		errorMessages.baseUrlInvalid,
		errorMessages.baseUrlInvalid,
		undefined,
	]);
	expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	expect(one.sandbox.books.requests().length).toBe(1);

	const { error } = await one.run('credit', 'getBalance', { credential: credentialPerItem, items });
	expect(error?.message).toBe(errorMessages.apiKeyInvalid);
	expect(error?.context?.itemIndex).toBe(1);
	expect(one.sandbox.books.requests().length).toBe(1);
});

test('sends an edited key only to its own URL if the credential changes during a run', async () => {
	const credentials = new TestCredentials(credentialType, {});
	const { run, requests, baseUrl } = await startStubServer(({ method }, response) => {
		credentials.values = { baseUrl: 'https://new.example/api', apiKey: 'new-key' };
		response.end(method === 'GET' ? '[]' : '{"id":"site_1","url":"https://a.example"}');
	});
	credentials.values = { baseUrl, apiKey: 'old-key' };
	const { error } = await run('site', 'create', {
		parameters: { url: '={{ $json.url }}', niche: 'x' },
		items: [{ url: 'https://a.example' }, { url: 'https://b.example' }],
		credentials,
	});
	expect(error?.message).toBeUndefined();
	expect(requests.map(({ headers }) => headers.authorization)).toEqual([
		'Bearer old-key',
		'Bearer old-key',
		'Bearer old-key',
	]);
});
