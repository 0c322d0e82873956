/** What a failed item says, to people and to n8n, whichever operation failed: the service's words, its codes, and never the key. */
import { describe, expect, test } from 'vitest';

import { singleVariants } from '../../../sandbox/dialects.mts';
import { TestCredentials } from '../credentials.mts';
import { credentialType } from '../engine.mts';
import { localService } from '../localServer.mts';
import { acceptParameters, jsonOf, serviceWithOffer, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

useVirtualTime();

/** n8n's guidelines: messages say what happened, without these words. */
const wordsToAvoid = /\b(error|problem|failure|mistake)\b/i;

test.each(singleVariants('invalidToken'))(
	'a wrong key is said, and takes one request for all items: $name',
	async ({ settings }) => {
		const { sandbox, accept } = await testService({ dialect: settings });
		const credential = { baseUrl: sandbox.baseUrl, apiKey: 'key_wrong_1234567890' };
		const items = Array.from({ length: 20 }, (_, index) => ({ id: `exc_${index}` }));
		const result = await accept(items, {}, { credential, continues: true });
		const errors = jsonOf(result).map(({ error }) => error as Record<string, string>);
		expect(errors.length).toBe(20);
		for (const { message, description } of errors) {
			expect(message).toMatch(
				/The service (does not accept the API key|refuses access with this API key)/,
			);
			expect(message).not.toMatch(wordsToAvoid);
			expect(description).toContain('Settings, then API Keys');
		}
		expect(JSON.stringify(errors)).not.toContain(credential.apiKey);
		expect(sandbox.books.requests().length).toBe(1);
	},
);

const hostile =
	'<!channel> *urgent* <https://evil.example|your bank> `x`\n@here &lt;b&gt; \u202e~gone~';

test.each([
	[400, { error: { code: hostile, message: hostile } }],
	[402, { error: { code: 'insufficient_credits', message: hostile } }],
	[403, { error: { code: 'x', message: hostile } }],
	[404, { error: { code: 'x', message: hostile } }],
	[200, { error: { code: 'x', message: hostile } }],
	[200, { [hostile]: hostile }],
	[200, { success: hostile }],
	[200, { success: { [hostile]: 1 } }],
	[200, 'no JSON'],
	[400, { error: { code: 'x', message: '<>' } }],
])('nothing acts that the service says: HTTP %i %j', async (statusCode, body) => {
	const service = await localService((_request, response) => {
		response.writeHead(statusCode, { 'content-type': hostile.replace(/[^ -~]/g, '') });
		response.end(typeof body === 'string' ? body : JSON.stringify(body));
	});
	const sayOf = async (id: string) => {
		const parameters = acceptParameters(id);
		const { error } = await service.run('exchange', 'accept', { parameters });
		return `${error?.message ?? ''}. ${error?.description ?? ''}`;
	};
	const said = await sayOf(hostile.replace(/\p{C}/gu, ''));
	expect(said).toMatch(/The (service|answer)/);
	// An ID with what cannot be seen never reaches the service.
	for (const each of [said, await sayOf(hostile)]) {
		expect(each).not.toMatch(/[\p{C}<>@*~`|]|&[a-z]|:\/\/evil|evil\.example/u);
	}
});

test('the sentence of a failed item keeps our own words as they are, and quotes what came in', async () => {
	const { run } = await testService();
	const parameters = { url: `={{ $json.url }}`, niche: 'tea' };
	const items = [{ url: 'blog.example' }, { url: hostile }];
	const result = await run('site', 'create', { parameters, items, continues: true });
	const [first = '', second = ''] = jsonOf(result).map(({ message }) => message as string);
	expect(first).toContain('"URL" cannot be used: received the text "blog[.]example".');
	expect(first).toContain('with https:// or http:// at the front');
	expect(second).toContain('"!channel urgent evil[.]example');
	expect(second).not.toMatch(/[\p{C}<>@*~`|]|&[a-z]/u);
});

test.each(['superman_perm', 'enoent', 'x-ECONNREFUSED', 'getaddrinfo'])(
	'a name that contains a system error does not change the message: %s',
	async (id) => {
		const { accept } = await testService();
		const { error } = await accept(id);
		expect(error?.message).toBe(`The service does not know the exchange ${id}`);
	},
);

test('with "continue", a failed item keeps message, description, code and pairing; the others go on', async () => {
	const { sandbox, accept } = await testService({ credits: 10 });
	const ids = ['exc_none', ...[1, 2].map(() => sandbox.requestOffer({ cost: 10 }).id)];
	const { items, error } = await accept(
		ids.map((id) => ({ id })),
		{},
		{ continues: true },
	);
	expect(error).toBeUndefined();
	expect(items).toMatchObject([
		{
			json: {
				error: {
					message: 'The service does not know the exchange exc_none',
					description: expect.stringContaining('The service says') as unknown,
					httpCode: '404',
				},
			},
			pairedItem: { item: 0 },
		},
		{ json: { outcome: 'accepted' }, pairedItem: { item: 1 } },
		{
			json: { error: { message: 'There are not enough credits', code: 'insufficient_credits' } },
			pairedItem: { item: 2 },
		},
	]);
});

test('an operation that is not there, as in a workflow of a later version, is named', async () => {
	const { run } = await testService();
	const { error } = await run('exchange', 'erase');
	expect(error?.message).toBe('The resource "exchange" has no operation "erase"');
	expect(error?.description).toBe('Choose the resource and the operation again in the node.');
});

test('what fails within n8n is reported as an error of the node', async () => {
	const { run } = await testService();
	const credentials = new TestCredentials(credentialType, {});
	credentials.getDecrypted = () => Promise.reject(new Error('the database is away'));
	const { error } = await run('site', 'getAll', { credentials });
	expect(error).toMatchObject({
		name: 'NodeApiError',
		node: { name: 'Backlink Exchange' },
		context: { itemIndex: 0 },
	});
	const { items } = await run('site', 'getAll', { credentials, continues: true });
	const message = 'the database is away';
	expect(items[0]?.json).toEqual({ message, error: { message } });
});

test('what the user entered and what the service said are different errors, as n8n names them', async () => {
	const { accept, run } = await testService();
	const entered = await accept('..');
	expect(entered.error?.name).toBe('NodeOperationError');
	const { item } = await accept('..', {}, { continues: true });
	expect(item?.error).not.toHaveProperty('httpCode');
	const credential = { baseUrl: 'http://127.0.0.1:1/api', apiKey: 'key_1' };
	const said = await run('site', 'getAll', { credential });
	expect(said.error).toMatchObject({
		name: 'NodeApiError',
		errorResponse: { code: 'ECONNREFUSED' },
	});
});

test('with the error output, failed items go there with what came in', async () => {
	const { accept, offer } = await serviceWithOffer();
	const { items, errorItems } = await accept(
		[{ id: 'exc_none' }, { id: offer.id }],
		{},
		{ hasErrorOutput: true },
	);
	expect(items.map(({ json }) => json.outcome)).toEqual(['accepted']);
	expect(errorItems.map(({ json }) => [json.id, json.error])).toEqual([
		['exc_none', expect.objectContaining({ httpCode: '404' })],
	]);
});

describe('a service that repeats the key', () => {
	const apiKey = 'sk_live_"4eC39/HqLyjWDarjt"';
	const hex = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
	const record = (written: string) => `{"exchanges":[{"id":"${written}","status":"live"}]}`;
	const inJson = (text: string) => record(JSON.stringify(text).slice(1, -1));
	const bodies: Array<[string, object | string, Record<string, string>]> = [
		['in a message', { error: { code: 'invalid', message: `The key ${apiKey} is wrong` } }, {}],
		['in a code', { error: { code: apiKey, message: 'no' } }, {}],
		['in the name of a field', { [apiKey]: 1 }, {}],
		['in a verdict', { ok: `no ${apiKey}` }, {}],
		['in a record', { exchanges: [{ id: apiKey, status: apiKey, anchor: apiKey }] }, {}],
		['on a page', `<html>${apiKey}</html>`, { 'content-type': `text/${apiKey.slice(0, 30)}` }],
		['with slashes escaped', record(JSON.stringify(apiKey).slice(1, -1).replace('/', '\\/')), {}],
		['with all escaped', record(apiKey.replace(/./g, (each) => `\\u${hex(each)}`)), {}],
		['in JSON in JSON', inJson(inJson(apiKey)), {}],
		['in JSON in JSON in JSON in JSON', inJson(inJson(inJson(inJson(apiKey)))), {}],
		['in an address', record(encodeURIComponent(apiKey).toLowerCase()), {}],
		['in a location', {}, { location: `https://other.example/?key=${apiKey}` }],
	];
	const cases = bodies.flatMap((each) =>
		[200, 302, 401, 409].map((status) => [...each, status] as const),
	);

	test.each(cases)('%s: it is in no item and no error (%#)', async (_, body, headers, status) => {
		const { run } = await localService(
			(_request, response) => {
				response
					.writeHead(status, headers)
					.end(typeof body === 'string' ? body : JSON.stringify(body));
			},
			{ apiKey },
		);
		for (const [resource, operation, parameters] of [
			['exchange', 'getAll', {}],
			['credit', 'getBalance', {}],
			['exchange', 'accept', acceptParameters('exc_1')],
			['exchange', 'acceptMany', { acceptFrom: 'anyone', dryRun: false }],
			['site', 'create', { url: 'https://blog.example', niche: 'tea' }],
		] as const) {
			const result = await run(resource, operation, { parameters, continues: true });
			const shown = JSON.stringify([result.items, result.hints, result.run.data.resultData]);
			expect(shown).not.toMatch(/4eC39/i);
		}
	});
});

test('a body that is nested too deeply is one that cannot be read, not the end of an execution', async () => {
	const deep = '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000);
	const { accept, asked } = await localService(({ method }, response) => {
		if (method === 'POST') response.end(`{"id":"exc_deep","status":"accepted","more":${deep}}`);
		else response.end('[{"id":"exc_deep","status":"pending"}]');
	});
	const { error } = await accept('exc_deep');
	expect(error?.context?.code).toBe('outcome_unknown');
	expect(asked.filter(({ method }) => method === 'POST').length).toBe(1);
});
