/**
 * Error messages of failed items for users and for n8n, in any operation: they contain the
 * service's messages and codes, and never the key.
 */
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import { TestCredentials } from '../credentials.mts';
import { credentialType } from '../engine.mts';
import { mockService } from '../mockedService.mts';
import { acceptParameters, jsonOf, setUpWithOffer, startTestService } from '../service.mts';
import { startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { mockExchanges, pending, published } from './acceptFixtures.mts';

useVirtualTime();

/** Returns the error message of a list of sites for this response. */
async function getErrorText(
	status: number,
	body: string | object,
	headers: Record<string, string> = {},
	path = '/api',
) {
	const { api, baseUrl, run } = mockService({ path });
	api.persist().get('/sites').reply(status, body, headers);
	const { error } = await run('site', 'getAll');
	const { origin } = new URL(baseUrl);
	return { origin, message: error?.message ?? '', description: error?.description ?? '' };
}

test('reports a wrong key, and sends one request for all items', async () => {
	const { sandbox, accept } = await startTestService();
	const credential = { baseUrl: sandbox.baseUrl, apiKey: 'key_wrong_1234567890' };
	const items = Array.from({ length: 20 }, (_, index) => ({ id: `exc_${index}` }));
	const result = await accept(items, {}, { credential, continueOnFail: true });
	const errors = jsonOf(result).map(({ error }) => error as Record<string, string>);
	expect(errors.length).toBe(20);
	for (const { message, description } of errors) {
		expect(message).toBe(errorMessages.apiKeyNotAccepted);
		expect(description).toContain('API Keys in your dashboard');
	}
	expect(JSON.stringify(errors)).not.toContain(credential.apiKey);
	expect(sandbox.books.requests().length).toBe(1);
});

test.each([
	[401, '<html><title>Sign in</title>', 'a web page'],
	[403, '<!doctype html><title>Just a moment...</title>', 'a web page'],
	[403, 'Forbidden by policy', 'allow requests from n8n'],
	[407, '', 'Check its username and password'],
	[451, '{"error":{"code":"blocked","message":"Blocked here"}}', 'for legal reasons'],
	[511, '<title>Hotel Wi-Fi</title>', 'The network requires a sign-in'],
])(
	"attributes HTTP %i with %j to a proxy, and doesn't mention the key",
	async (status, body, shown) => {
		const { message, description } = await getErrorText(status, body);
		expect(message).toBe(errorMessages.blockedByProxy);
		expect(description).toContain(shown);
		expect(`${message} ${description}`).not.toMatch(/key/i);
	},
);

test('Accept Many sends nothing else after a response of a proxy', async () => {
	const offers = Array.from({ length: 6 }, () => pending());
	const service = mockExchanges({
		list: () => offers,
		accept: () => [403, '<title>Just a moment...</title>'],
	});
	const { decisions, hints } = await service.acceptMany({}, published);
	expect(decisions.map(({ outcome }) => outcome)).toEqual([
		'failed',
		...Array<string>(5).fill('skipped'),
	]);
	expect(decisions[0]?.message).toContain(errorMessages.blockedByProxy);
	expect(JSON.stringify(hints)).toContain(errorMessages.blockedByProxy);
	expect(service.postedIds).toHaveLength(1);
	expect(service.requests.at(-1)).toMatch(/^POST/);
});

describe('the message for a wrong base URL says how to find the correct one', () => {
	test.each(['https://login.example/start?token=secret', '/api/sites/', 'http://['])(
		'after a redirect to %s, without its URL',
		async (location) => {
			const { message, description } = await getErrorText(302, '', { location });
			expect(message).toBe(errorMessages.baseUrlRedirects);
			expect(description).toContain('Open the base URL in a browser');
			expect(description).not.toMatch(/login\.example|\/api\/sites/);
		},
	);

	test.each([300, 304])("but not after HTTP %i, which isn't a redirect", async (status) => {
		const { message, description } = await getErrorText(status, '', { location: '/other' });
		expect(message).toBe(errorMessages.unexpectedResponse);
		expect(description).toMatch(
			/^Couldn't list the sites\. The response contained an empty body\./,
		);
		expect(description).not.toMatch(/redirect|base URL/);
	});

	test.each([
		[404, '', ''],
		[404, '/api/sites', '/api'],
		[200, '/login', '/api'],
		[404, '/v1', '/api'],
		[404, '/shop/api/exchanges', '/shop/api'],
	])('for HTTP %i below %j', async (status, path, right) => {
		const { origin, description } = await getErrorText(status, '<html>', {}, path);
		expect(description).toContain(
			`must end in /api. Change it to ${origin}${right === '' ? '/api' : right}.`,
		);
	});

	test('only asks to check a base URL that ends in /api', async () => {
		const { description } = await getErrorText(404, '<html>');
		expect(description).toContain('Check the base URL');
		expect(description).not.toContain('Change it to');
	});
});

test.each([
	[402, '', /^The service denied access/, /Pro or Agency plan/],
	[
		403,
		{ error: { code: 'plan', message: 'Not on Free' } },
		/^The service denied access/,
		/“Not on Free”.*\(HTTP 403, plan\)$/,
	],
	[
		500,
		{ error: { code: 'x', message: 'Oops' } },
		/isn't available right now/,
		/“Oops”\. Run the workflow again later\. \(HTTP 500, x\)$/,
	],
	[
		200,
		'{"users":[]}',
		/unexpected response/,
		/a list of sites, but received an object with users/,
	],
	[200, '{"users":null}', /unexpected response/, /an object with users \(null\)/],
	[200, '', /unexpected response/, /received an empty body/],
	[200, '["a","b"]', /unexpected response/, /received a list of 2 entries/],
	[
		200,
		{ error: { code: 'stale', message: 'Come back' }, sites: [] },
		/declined to list the sites/,
		/“Come back”/,
	],
	[200, { success: false, sites: [] }, /declined to list the sites/, /contained "success": false/],
])('describes HTTP %i with %j', async (status, body, message, description) => {
	const errorText = await getErrorText(status, body);
	expect(errorText.message).toMatch(message);
	expect(errorText.description).toMatch(description);
});

const hostile =
	'<!channel> <https://evil.example|your bank>\n"@here" &lt;b&gt; \u202ewaiting\u202c';

test.each([
	[400, { error: { code: hostile, message: hostile } }],
	[200, { [hostile]: hostile }],
	[200, { success: { [hostile]: 1 } }],
])(
	"removes mentions, markup and hidden characters from the service's message (HTTP %i %j)",
	async (statusCode, body) => {
		const { run } = await startStubServer((_request, response) => {
			response.writeHead(statusCode).end(JSON.stringify(body));
		});
		const parameters = acceptParameters(hostile.replace(/[\n\u202a-\u202e]/g, ''));
		const { error } = await run('exchange', 'accept', { parameters });
		const errorText = `${error?.message ?? ''}. ${error?.description ?? ''}`;
		expect(errorText).toMatch(/The (service|answer)/);
		expect(errorText).not.toMatch(/[\p{Cc}\p{Cf}<>]/u);
		expect(errorText).toContain('‹!channel›');
	},
);

test('the message of a failed item keeps our own text, and quotes text of the service', async () => {
	const { run } = await startTestService();
	const parameters = { url: `={{ $json.url }}`, niche: 'tea' };
	const items = [{ url: 'zw\u200bsp.example' }, { url: hostile }];
	const result = await run('site', 'create', { parameters, items, continueOnFail: true });
	const [first = '', second = ''] = jsonOf(result).map(({ message }) => message as string);
	// A message begins with a letter: a quotation mark or a sign may mean something in a spreadsheet.
	expect(first).toMatch(/^Failed: 'URL' must be /);
	expect(first).toContain('“zwsp.example”, which contains the invisible character U+200B');
	expect(second).toContain('“‹!channel› ‹https://evil.example|your bank›');
});

test("a name that contains a system error doesn't change the message", async () => {
	const { accept } = await startTestService();
	const { error } = await accept('x-ECONNREFUSED');
	expect(error?.message).toBe("The service doesn't know the exchange x-ECONNREFUSED");
});

test('On Error: Continue keeps message, description, code and pairing, and other items run', async () => {
	const { sandbox, accept } = await startTestService({ credits: 10 });
	const ids = ['exc_none', ...[1, 2].map(() => sandbox.requestOffer({ cost: 10 }).id)];
	const { items, error } = await accept(
		ids.map((id) => ({ id })),
		{},
		{ continueOnFail: true },
	);
	expect(error).toBeUndefined();
	const description = expect.stringMatching(/^Couldn't accept .+\(HTTP 404/) as unknown;
	const unknown = "The service doesn't know the exchange exc_none";
	const tooFew = { message: errorMessages.notEnoughCredits, code: 'insufficient_credits' };
	expect(items).toMatchObject([
		{
			json: { error: { message: unknown, description, httpCode: '404' } },
			pairedItem: { item: 0 },
		},
		{ json: { outcome: 'accepted' }, pairedItem: { item: 1 } },
		{ json: { error: tooFew }, pairedItem: { item: 2 } },
	]);
});

test('the error output gets failed items with their input', async () => {
	const { accept, offer } = await setUpWithOffer();
	const offers = [{ id: 'exc_none' }, { id: offer.id }];
	const { items, errorItems } = await accept(offers, {}, { hasErrorOutput: true });
	expect(items.map((item) => item.json.outcome)).toEqual(['accepted']);
	expect(errorItems.map((item) => [item.json.id, item.json.error])).toEqual([
		['exc_none', expect.objectContaining({ httpCode: '404' })],
	]);
});

test('reports an internal error of n8n as an error of the node', async () => {
	const { run } = await startTestService();
	const credentials = new TestCredentials(credentialType, {});
	credentials.getDecrypted = () => Promise.reject(new Error('the database is away'));
	const { error } = await run('site', 'getAll', { credentials });
	expect(error).toMatchObject({ name: 'NodeApiError', context: { itemIndex: 0 } });
	const { items } = await run('site', 'getAll', { credentials, continueOnFail: true });
	const message = 'the database is away';
	expect(items[0]?.json).toEqual({ message, error: { message } });
});

describe('a response that contains the key', () => {
	const apiKey = 'sk_live_"4eC39/HqLyjWDarjt"';
	const record = (written: string) => `{"exchanges":[{"id":"${written}","status":"live"}]}`;
	const inJson = JSON.stringify(apiKey).slice(1, -1);
	const bodies: Array<[string, object | string, Record<string, string>]> = [
		['in a message', { error: { code: apiKey, message: `The key ${apiKey} is wrong` } }, {}],
		['in the name of a field', { [apiKey]: 1 }, {}],
		['in a record', { exchanges: [{ id: apiKey, status: apiKey, anchor: apiKey }] }, {}],
		['on a page', `<title>${apiKey}</title>`, { 'content-type': `text/${apiKey.slice(0, 30)}` }],
		['with slashes escaped', record(inJson.replace('/', '\\/')), {}],
		['in JSON in JSON', record(JSON.stringify(record(inJson)).slice(1, -1)), {}],
		['in a URL', record(encodeURIComponent(apiKey).toLowerCase()), {}],
		['in a location', {}, { location: `https://other.example/api?key=${apiKey}` }],
	];
	test.each(bodies)('%s: the key appears in no item and no error', async (_, body, headers) => {
		for (const status of [200, 302, 401, 409]) {
			const { run } = await startStubServer(
				(_request, response) => {
					const text = typeof body === 'string' ? body : JSON.stringify(body);
					response.writeHead(status, headers).end(text);
				},
				{ apiKey },
			);
			for (const [resource, operation, parameters] of [
				['exchange', 'getAll', {}],
				['exchange', 'accept', acceptParameters('exc_1')],
				['site', 'create', { url: 'https://blog.example', niche: 'tea' }],
			] as const) {
				const result = await run(resource, operation, { parameters, continueOnFail: true });
				const shown = JSON.stringify([result.items, result.hints, result.run.data.resultData]);
				expect(shown).not.toMatch(/4eC39/i);
			}
		}
	});
});
