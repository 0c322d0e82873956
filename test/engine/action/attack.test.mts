/** Hostile cases that nobody had thought of: each of them broke a promise once, or guards a rule that no other test does. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { IDataObject } from 'n8n-workflow';
import { afterEach, describe, expect, test } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { credentialType, freshActionNode, processedData } from '../engine.mts';
import { json, localService } from '../localServer.mts';
import { acceptParameters, jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { acceptMany, charging, minute, outcomesOf as outcomes, posts } from './acceptsInDoubt.mts';

const time = useVirtualTime();
const path = '/api/exchanges';
const post = { method: 'POST', path };

afterEach(() => {
	processedData.failure = undefined;
	processedData.delay = 0;
});

interface World {
	list: (reads: number) => unknown;
	accept?: (id: string, response: ServerResponse, requests: number) => unknown;
	balance?: () => unknown;
	apiKey?: string;
}

/** A service by hand: what the list shows at each reading, and what an accept answers. */
async function world({ list, accept, balance, apiKey }: World) {
	const posted: string[] = [];
	let reads = 0;
	const service = await localService(
		(request: IncomingMessage, response: ServerResponse) => {
			const url = request.url ?? '';
			const send = (body: unknown) => {
				if (!response.writableEnded) json(body)(request, response);
			};
			if (url.includes('/credits/')) send(balance?.() ?? { balance: 1000 });
			else if (request.method === 'POST') {
				const id = decodeURIComponent(url.split('/').at(-2) ?? '');
				posted.push(id);
				const body = accept ? accept(id, response, posted.length) : { id, status: 'accepted' };
				if (!response.headersSent) send(body);
			} else send(list(++reads));
		},
		apiKey === undefined ? {} : { apiKey },
	);
	return { ...service, posted };
}

const unique = (name: string) => `${name}_${Math.random()}`;
const pending = (fields: object = {}) => ({
	id: unique('exc'),
	from_site: 'https://tea.example',
	to_site: 'https://own.example',
	anchor: 'green tea',
	status: 'pending',
	...fields,
});

describe('sites in rules, however they are written', () => {
	test.each([
		'*.spam.example',
		'.spam.example',
		'a.example;spam.example',
		'https://https://spam.example',
		'spam!.example',
		'http//spam.example',
		',',
		', ,',
	])('Refused Partners as %j is an error, or works', async (refusedPartners) => {
		const service = await world({
			list: () => [pending({ from_site: 'https://blog.spam.example' })],
		});
		const { decisions, error } = await acceptMany(service, { options: { refusedPartners } });
		expect(service.posted).toEqual([]);
		if (error === undefined) expect(outcomes(decisions)).toEqual(['refused']);
		else expect(error.message).toContain('"Refused Partners"');
	});
	test.each([
		'https://https://spam.example',
		'http//spam.example',
		'https:spam.example',
		'https://spam.example:/x',
		'spam.example..',
		'https://sp%61m.example',
		'ｓｐａｍ.example',
		'spam。example',
		'SPAM.EXAMPLE.',
		'https://user:pw@spam.example:8443/',
		'spam.exam\u00adple',
		'*.spam.example',
		{ id: 'spam.example', url: 'https://good.example' },
		{ name: 'spam.example' },
		['spam.example'],
		'https://good.example;.spam.example',
	])('a refused partner written as %j is not accepted', async (from_site) => {
		const service = await world({ list: () => [pending({ from_site })] });
		const { decisions } = await acceptMany(service, {
			options: { refusedPartners: 'spam.example' },
		});
		expect(service.posted).toEqual([]);
		expect(['refused', 'undecided']).toContain(decisions[0]?.outcome);
	});
	test.each(['0x11', '021', 'SITE_17'])(
		'the site %j is not the allowed site "17" or "site_17"',
		async (from_site) => {
			const service = await world({ list: () => [pending({ from_site })] });
			await acceptMany(service, { acceptFrom: 'listed', allowedPartners: '17, site_17' });
			expect(service.posted).toEqual([]);
		},
	);
});

describe('words in anchors, however they are written', () => {
	test.each([
		'CASİNO online',
		'CASıNO ONLINE',
		'c\ufe0fasino',
		'ca\u034fsino',
		'c\u3164asino',
		'online\ncasino',
		'ONLINE\u00a0CASINO',
		'online   casino',
		'ᶜᵃˢⁱⁿᵒ',
		'Casino\u0000',
	])('%j contains a refused word', async (anchor) => {
		const service = await world({ list: () => [pending({ anchor })] });
		const words = anchor.match(/online/i) ? 'online casino, casino' : 'casino';
		const refusedAnchorWords = /\n|\u00a0| {3}/.test(anchor) ? 'online casino' : words;
		const { decisions } = await acceptMany(service, { options: { refusedAnchorWords } });
		expect(service.posted).toEqual([]);
		expect(outcomes(decisions)).toEqual(['refused']);
	});
	test.each([['casino'], { text: 'casino' }, 7, true, null, ' ', '\u200b'])(
		'%j is left to a person',
		async (anchor) => {
			const service = await world({ list: () => [pending({ anchor })] });
			const { decisions } = await acceptMany(service, {
				options: { refusedAnchorWords: 'casino' },
			});
			expect(outcomes(decisions)).toEqual(['undecided']);
		},
	);
});

describe('an error in what the body wraps', () => {
	test('balance', async () => {
		const { run } = await localService(
			json({ credits: { balance: 5, error: { code: 'x', message: 'stale' } } }),
		);
		const { items, error } = await run('credit', 'getBalance');
		expect(items).toEqual([]);
		expect(error?.message).toContain('declined');
	});
	test.each([{ site: {} }, { data: { site: {} } }])('site in %j', async (shape) => {
		const site = {
			id: 'site_1',
			url: 'https://blog.example',
			error: { code: 'limit', message: 'no' },
		};
		const body = 'site' in shape ? { site } : { data: { site } };
		const { run } = await localService((request, response) => {
			json(request.method === 'POST' ? body : { sites: [] })(request, response);
		});
		const { items } = await run('site', 'create', {
			parameters: { url: 'https://blog.example', niche: 'x' },
		});
		expect(items).toEqual([]);
	});
});

describe('Get Summary claims only what the ledger tells', () => {
	const at = () => new Date(Date.now() - 1000).toISOString();
	async function summaryOf(credits: object, exchanges: unknown = [], events: unknown = []) {
		const { run } = await localService((request, response) => {
			const body = request.url?.includes('credits')
				? credits
				: request.url?.includes('exchanges')
					? { exchanges }
					: { events };
			json(body)(request, response);
		});
		const result = await run('account', 'getSummary');
		return { ...result, summary: jsonOf(result)[0] };
	}
	const account = { balance: 70, lifetime_earned: 100, lifetime_spent: 30 };
	const known = [
		{ amount: 100, created_at: at() },
		{ amount: -30, created_at: at() },
	];
	test('a ledger that fits', async () => {
		expect((await summaryOf({ ...account, ledger: known })).summary).toMatchObject({
			earned: 100,
			spent: 30,
		});
	});
	test.each([
		[
			'unsigned amounts',
			{
				ledger: [
					{ amount: 100, created_at: at() },
					{ amount: 30, type: 'debit', created_at: at() },
				],
			},
		],
		[
			'huge amounts',
			{
				ledger: [
					{ amount: 1e308, created_at: at() },
					{ amount: 1e308, created_at: at() },
				],
			},
		],
		['an entry twice', { ledger: [...known, known[1]] }],
		['a ledger that goes on', { ledger: known, has_more: true }],
		['a text NaN', { ledger: [{ amount: 'NaN', created_at: at() }] }],
	])('%s: nothing is claimed of earned and spent', async (_, ledger) => {
		const { summary, error } = await summaryOf({ ...account, ...ledger });
		expect(error?.message).toBeUndefined();
		expect(summary).not.toHaveProperty('earned');
		expect(summary).not.toHaveProperty('spent');
	});
	test('negative zero, and negative balances', async () => {
		const { summary } = await summaryOf({
			balance: -0,
			lifetime_earned: 0,
			lifetime_spent: 0,
			ledger: [{ amount: -0, created_at: at() }],
		});
		expect(Object.is(summary?.spent, 0)).toBe(true);
		expect(summary?.message).not.toContain('-0');
		expect(Object.is(summary?.balance, -0)).toBe(false);
	});
	test('of several entries of one id the furthest counts', async () => {
		const { summary } = await summaryOf(account, [
			{ id: 'exc_1', status: 'live' },
			{ id: 'exc_1', status: 'pending' },
		]);
		expect(summary?.exchanges).toMatchObject({ live: 1, pending: 0 });
	});
	test.each([{ error: 'no' }, { success: false }, { status: 'failed' }, { errors: ['x'] }])(
		'an error in a success: %j',
		async (denial) => {
			for (const place of ['credits', 'exchanges', 'events']) {
				const { run } = await localService((request, response) => {
					const body = {
						...account,
						exchanges: [],
						events: [],
						...(request.url?.includes(place) && denial),
					};
					json(body)(request, response);
				});
				const { error, items } = await run('account', 'getSummary');
				expect(items).toEqual([]);
				expect(error?.message).toContain('declined');
			}
		},
	);
	test('severities with names of Object.prototype', async () => {
		const events = ['__proto__', 'constructor', 'toString', -0, {}, null].map((severity) => ({
			severity,
		}));
		const { summary, error } = await summaryOf(account, [], events);
		expect(error?.message).toBeUndefined();
		expect(
			Object.values(summary?.alerts as object).reduce((a: number, b: number) => a + b, 0),
		).toBe(6);
	});
});

describe('If Exists', () => {
	test('a slash at the end of a query is no slash at the end of a path', async () => {
		const listed = 'https://blog.example/?q=';
		const { run, asked } = await localService((request, response) => {
			json(
				request.method === 'POST'
					? { id: 'site_2', url: 'https://blog.example/?q=/' }
					: { sites: [{ id: 'site_1', url: listed }] },
			)(request, response);
		});
		const { items } = await run('site', 'create', {
			parameters: { url: 'https://blog.example/?q=/', niche: 'x', options: { ifExists: 'return' } },
		});
		expect(items[0]?.json.id).toBe('site_2');
		expect(asked.length).toBe(2);
	});
});

describe('items with the same ID and other options', () => {
	test('dry, real, dry', async () => {
		const service = await testService();
		const { id } = service.sandbox.requestOffer();
		const result = await service.run('exchange', 'accept', {
			parameters: acceptParameters(id, { dryRun: '={{ $json.dry }}' }),
			items: [{ dry: true }, { dry: false }, { dry: true }],
		});
		expect(outcomes(jsonOf(result))).toEqual(['wouldAccept', 'accepted', 'accepted']);
	});
	test('Max Accepts: skipped, then allowed', async () => {
		const service = await testService();
		const [a = '', b = ''] = [1, 2].map(() => service.sandbox.requestOffer().id);
		const result = await service.run('exchange', 'accept', {
			parameters: acceptParameters('={{ $json.id }}', { maxAccepts: '={{ $json.most }}' }),
			items: [
				{ id: a, most: 1 },
				{ id: b, most: 1 },
				{ id: b, most: 2 },
				{ id: b, most: 1 },
			],
		});
		expect(outcomes(jsonOf(result)).slice(0, 3)).toEqual(['accepted', 'skipped', 'accepted']);
		expect(outcomes(jsonOf(result))[3]).not.toBe('skipped');
	});
	test('the floor of one item is not that of another', async () => {
		const service = await testService({ credits: 30 });
		const ids = [1, 2, 3].map(() => service.sandbox.requestOffer({ cost: 10 }).id);
		const result = await service.run('exchange', 'accept', {
			parameters: acceptParameters('={{ $json.id }}', { minimumBalance: '={{ $json.floor }}' }),
			items: ids.map((id, index) => ({ id, floor: [20, 20, 5][index] })),
		});
		expect(outcomes(jsonOf(result))).toEqual(['accepted', 'skipped', 'accepted']);
	});
});

describe("n8n's record of processed data", () => {
	test('what cannot be removed from it is not told as own later', async () => {
		const offer = pending({ status: 'accepted' });
		const service = await world({ list: () => [offer] });
		const parameters = acceptParameters(offer.id);
		const remove = processedData.removeProcessed.bind(processedData);
		let failures = 1;
		processedData.removeProcessed = async (...args) => {
			if (failures-- > 0) throw new Error('SQLITE_BUSY');
			await remove(...args);
		};
		try {
			const one = await service.run('exchange', 'accept', {
				parameters,
				actionNode: freshActionNode(),
			});
			expect(one.items[0]?.json.outcome).toBe('alreadyAccepted');
			const two = await service.run('exchange', 'accept', {
				parameters,
				actionNode: freshActionNode(),
			});
			expect(two.items[0]?.json.outcome).toBe('alreadyAccepted');
		} finally {
			processedData.removeProcessed = remove;
		}
	});
	test('writes that are lost: nothing is sent', async () => {
		const offer = pending();
		const service = await world({ list: () => [offer] });
		const add = processedData.checkProcessedAndRecord.bind(processedData);
		processedData.checkProcessedAndRecord = (names) =>
			Promise.resolve({ new: names, processed: [] });
		try {
			const { error } = await service.run('exchange', 'accept', {
				parameters: acceptParameters(offer.id),
				actionNode: freshActionNode(),
			});
			expect(error?.message).toContain('was not sent');
			expect(service.posted).toEqual([]);
		} finally {
			processedData.checkProcessedAndRecord = add;
		}
	});
	test.each([undefined, null, {}, { processed: 'x' }, { processed: null }])(
		'answers %j: nothing is sent',
		async (answer) => {
			const offer = pending();
			const service = await world({ list: () => [offer] });
			const add = processedData.checkProcessedAndRecord.bind(processedData);
			processedData.checkProcessedAndRecord = () => Promise.resolve(answer as never);
			try {
				const { error } = await service.run('exchange', 'accept', {
					parameters: acceptParameters(offer.id),
					actionNode: freshActionNode(),
				});
				expect(error?.message).toContain('was not sent');
				expect(service.posted).toEqual([]);
			} finally {
				processedData.checkProcessedAndRecord = add;
			}
		},
	);
});

describe('a refusal that the list does not confirm', () => {
	test.each([
		[403, 'html'],
		[404, 'html'],
		[409, 'documented'],
		[410, 'text'],
	] as const)(
		'HTTP %i in %s, carried out all the same, and the list hides it',
		async (status, errorBody) => {
			const service = await testService({
				dialect: { exchangeList: 'pending-only', errorBody, ...charging },
			});
			const offer = service.sandbox.requestOffer();
			service.sandbox.addFault({ kind: 'error-after-commit', status, ...post });
			const parameters = acceptParameters(offer.id);
			const { error } = await service.run('exchange', 'accept', { parameters });
			expect(error?.context?.code).toBe('outcome_unknown');
			await time.wait(2 * minute);
			await service.run('exchange', 'accept', { parameters });
			expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
		},
	);
	test('a proxy refuses, and the state cannot be read then', async () => {
		const offer = pending();
		let isAsked = false;
		const service = await world({
			list: () => [{ ...offer, status: isAsked ? 'processing' : 'pending' }],
			accept: (_id, response) => {
				isAsked = true;
				response.writeHead(403).end('<html>');
				return undefined;
			},
		});
		const { decisions } = await acceptMany(service);
		expect(outcomes(decisions)).toEqual(['unknown']);
	});
});

describe('an ID in a list that cannot be part of an address', () => {
	test.each(['.', '..', ' ', '\u2003', '%2e', 'a/../b', '__proto__', 'constructor', '#', 'a?b'])(
		'%j leaves the other offers going',
		async (id) => {
			const offers = [pending(), pending({ id }), pending()];
			const service = await world({ list: () => offers });
			const { decisions, error } = await acceptMany(service);
			expect(error?.message).toBeUndefined();
			expect(decisions.length).toBe(3);
			expect([decisions[0]?.outcome, decisions[2]?.outcome]).toEqual(['accepted', 'accepted']);
		},
	);
});

describe('rules, and lists that change or contradict themselves', () => {
	test('an anchor that changes while earlier offers take their time', async () => {
		const offers = [pending(), pending()];
		const service = await world({
			list: (reads) =>
				reads === 1 ? offers : offers.map((each) => ({ ...each, anchor: 'casino' })),
			accept: (id, response) => {
				setTimeout(() => response.end(JSON.stringify({ id, status: 'accepted' })), 6000);
				response.writeHead(200);
				return undefined;
			},
		});
		const { decisions } = await acceptMany(service, { options: { refusedAnchorWords: 'casino' } });
		expect(service.posted).toEqual([offers[0]?.id]);
		expect(outcomes(decisions)).toEqual(['accepted', 'refused']);
	});
	test.each([
		[{ anchor: 'casino' }, 'refused'],
		[{ from_site: 'https://spam.example' }, 'refused'],
		[{ from_site: null }, 'undecided'],
	])('two entries of one id, the second %j', async (second, outcome) => {
		const offer = pending();
		for (const list of [
			[offer, { ...offer, ...second }],
			[{ ...offer, ...second }, offer],
		]) {
			const service = await world({ list: () => list });
			const { decisions } = await acceptMany(service, {
				options: { refusedAnchorWords: 'casino', refusedPartners: 'spam.example' },
			});
			expect(service.posted).toEqual([]);
			expect(outcomes(decisions)).toEqual([outcome]);
		}
	});
});

describe('Max per Day, and what is in doubt', () => {
	test('refused but accepted counts', async () => {
		const service = await testService({ credits: 1000, dialect: charging });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		service.sandbox.addFault({ kind: 'error-after-commit', status: 409, ...post });
		const { decisions } = await acceptMany(service, { options: { maxPerDay: 1 } });
		expect(outcomes(decisions)).toEqual(['alreadyAccepted', 'skipped', 'skipped']);
		expect(service.sandbox.books.balance()).toBe(990);
	});
	test('an offer in doubt is not "skipped"', async () => {
		const service = await testService({ credits: 1000, dialect: { settlement: 'never' } });
		for (let count = 0; count < 3; count++) service.sandbox.requestOffer({ cost: 10 });
		const one = await acceptMany(service, { options: { maxPerDay: 2 } });
		expect(outcomes(one.decisions)).toEqual(['unknown', 'unknown', 'skipped']);
		const two = await acceptMany(service, { options: { maxPerDay: 1 } });
		expect(outcomes(two.decisions)).toEqual(['unknown', 'unknown', 'skipped']);
	});
	test('an offer in doubt is not "skipped" after an end', async () => {
		const list = [pending(), pending(), pending()];
		let round = 1;
		const service = await world({
			list: () => list,
			accept: (_id, response) => {
				if (round === 1) response.writeHead(500).end();
				else {
					response.writeHead(402).end('{"error":{"code":"insufficient_credits","message":"no"}}');
				}
				return undefined;
			},
		});
		const one = await acceptMany(service);
		expect(outcomes(one.decisions)).toEqual(['unknown', 'unknown', 'unknown']);
		round = 2;
		list.unshift(pending());
		const two = await acceptMany(service);
		expect(outcomes(two.decisions)).toEqual(['failed', 'unknown', 'unknown', 'unknown']);
	});
});

describe('what was unknown and then shows as accepted', () => {
	test('in the same process', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await testService({ dialect, credits: 100 });
		const offer = service.sandbox.requestOffer({ cost: 10 });
		const before = processedData.size;
		expect(outcomes((await acceptMany(service)).decisions)).toEqual(['unknown']);
		await time.wait(minute);
		expect((await acceptMany(service)).decisions).toMatchObject([
			{ id: offer.id, outcome: 'accepted', confirmedBy: 'readBack' },
		]);
		// The claim, and that it is settled.
		expect(processedData.size).toBe(before + 2);
		expect((await acceptMany(service)).decisions).toEqual([]);
	});
	test('after a restart', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40, ...charging } as const;
		const service = await testService({ dialect, credits: 100 });
		const offer = service.sandbox.requestOffer({ cost: 10 });
		service.sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 5000 });
		await acceptMany(service, {}, { actionNode: freshActionNode(), cancelAfter: 2000 });
		await time.wait(minute);
		const again = await acceptMany(service, {}, { actionNode: freshActionNode() });
		expect(again.decisions).toMatchObject([{ id: offer.id, outcome: 'accepted' }]);
	});
	test('a floor is not held back by what has shown as accepted', async () => {
		const dialect = { settlement: 'later', settlementSeconds: 40 } as const;
		const service = await testService({ dialect, credits: 100 });
		service.sandbox.requestOffer({ cost: 10 });
		const options = { minimumBalance: 10 };
		await acceptMany(service, { options });
		await time.wait(2 * minute);
		service.sandbox.setDialect({ settlement: 'at-once' });
		service.sandbox.requestOffer({ cost: 10 });
		await acceptMany(service, { options });
		await time.wait(2 * minute);
		const later = await acceptMany(service, { options });
		service.sandbox.requestOffer({ cost: 10 });
		const last = await acceptMany(service, { options });
		expect([...later.decisions, ...last.decisions].map(({ outcome }) => outcome)).toContain(
			'accepted',
		);
	});
	test('a second unknown outcome is told as well', async () => {
		const service = await testService({ credits: 100, dialect: { settlement: 'never' } });
		service.sandbox.requestOffer();
		const run = async () =>
			outcomes((await acceptMany(service, {}, { mode: 'trigger' })).decisions);
		expect(await run()).toEqual(['unknown']);
		expect(await run()).toEqual([]);
		await time.wait(2 * minute);
		expect(await run()).toEqual(['unknown']);
		expect(posts(service).length).toBe(2);
	});
});

describe('an execution that fails as a whole: nothing of it has come out', () => {
	test('Retry On Fail gives what the first try accepted', async () => {
		const service = await testService({ credits: 1000 });
		const offer = service.sandbox.requestOffer();
		const settings = { options: { maxAccepts: '={{ $json.most }}' } };
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 1 });
		const { decisions } = await acceptMany(service, settings, {
			items: [{ most: 1 }, { most: 1 }],
			retryOnFail: { maxTries: 2, waitBetweenTries: 1000 },
			mode: 'trigger',
		});
		expect(decisions).toMatchObject([{ id: offer.id, outcome: 'accepted' }]);
	});
	test('Retry On Fail gives what the first try has told', async () => {
		const service = await testService({ credits: 1000 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 1 });
		const { decisions } = await acceptMany(
			service,
			{ options: { refusedAnchorWords: 'casino' } },
			{ items: [{}, {}], retryOnFail: { maxTries: 2, waitBetweenTries: 1000 }, mode: 'trigger' },
		);
		expect(outcomes(decisions)).toEqual(['refused']);
	});
	test('what a failed execution did not put out is told by the next one', async () => {
		const service = await testService({ credits: 1000 });
		service.sandbox.requestOffer({ anchor: 'casino' });
		const settings = { options: { refusedAnchorWords: 'casino' } };
		service.sandbox.addFault({ kind: 'not-json', method: 'GET', path, after: 1, times: 1 });
		const first = await acceptMany(service, settings, { items: [{}, {}], mode: 'trigger' });
		expect(first.error).toBeDefined();
		const { decisions } = await acceptMany(service, settings, { mode: 'trigger' });
		expect(outcomes(decisions)).toEqual(['refused']);
	});
});

describe('credentials of items', () => {
	test.each(['', 'bad key', 7, null, undefined, {}, 'schl\u00fcssel'])(
		'the second key is %j: nothing is sent with the first, or the second fails alone',
		async (bad) => {
			const service = await testService();
			const { id } = service.sandbox.requestOffer();
			for (const onError of [undefined, 'continueRegularOutput'] as const) {
				const credentials = new TestCredentials(credentialType, {});
				const get = async (...args: unknown[]) => {
					const { itemIndex } = args[6] as { itemIndex: number };
					return await Promise.resolve({
						baseUrl: service.sandbox.baseUrl,
						apiKey: itemIndex === 1 ? bad : service.sandbox.apiKey,
					});
				};
				credentials.getDecrypted = get as never;
				const result = await service.run('exchange', 'accept', {
					parameters: acceptParameters(id),
					items: [{}, {}, {}],
					credentials,
					...(onError && { onError }),
				});
				if (onError === undefined) {
					expect(result.error?.message).toContain('API key');
					expect(posts(service)).toEqual([]);
				} else {
					expect(jsonOf(result).map((each) => each.outcome ?? 'error')).toEqual([
						'accepted',
						'error',
						'accepted',
					]);
				}
			}
		},
	);
	test('Accept Many of two accounts: the second key is revoked; what the first has accepted is told', async () => {
		const one = await testService({ credits: 100 });
		const { id } = one.sandbox.requestOffer();
		const credentials = new TestCredentials(credentialType, {});
		let isRevoked = true;
		credentials.getDecrypted = async (...args: unknown[]) => {
			const { itemIndex } = args[6] as { itemIndex: number };
			return await Promise.resolve({
				baseUrl: one.sandbox.baseUrl,
				apiKey: itemIndex === 1 && isRevoked ? 'revoked' : one.sandbox.apiKey,
			});
		};
		const first = await acceptMany(
			one,
			{},
			{
				items: [{}, {}],
				credentials,
				mode: 'trigger',
				retryOnFail: { maxTries: 2, waitBetweenTries: 1000 },
			},
		);
		expect(first.error).toBeDefined();
		isRevoked = false;
		const { decisions } = await acceptMany(one, {}, { mode: 'trigger' });
		expect(one.sandbox.books.acceptsOf(id)).toBe(1);
		expect(decisions).toMatchObject([{ id, outcome: 'accepted' }]);
	});
});

describe('Exchange as anything', () => {
	test.each([
		'exc_1',
		'={{ ({ mode: "id", value: "exc_1" }) }}',
		'={{ ["exc_1"] }}',
		7,
		true,
		'={{ 12345678901234567890 }}',
	])('Exchange as %j is read, or refused by name', async (exchangeId) => {
		const service = await world({ list: () => [] });
		const { error, items } = await service.run('exchange', 'accept', {
			parameters: { exchangeId, options: {} },
		});
		expect(
			items.length === 1 || /"Exchange"|resource locator|Could not get/i.test(error?.message ?? ''),
		).toBe(true);
	});
});

describe('an answer with a prototype', () => {
	test('a prototype in the answer does not come out', async () => {
		const offer = pending();
		const service = await world({
			list: () => [offer],
			accept: (id, response) =>
				void response.end(
					`{"id":"${id}","status":"accepted","__proto__":{"outcome":"x","admin":true}}`,
				),
		});
		const { items } = await service.run('exchange', 'accept', {
			parameters: acceptParameters(offer.id),
		});
		expect((items[0]?.json.exchange as IDataObject).admin).toBeUndefined();
		expect(({} as IDataObject).admin).toBeUndefined();
	});
});

describe('cancellation at every moment', () => {
	test.each([0, 1, 5, 10, 20, 24, 25, 26, 30, 50, 100, 1000, 2999, 3001, 5000])(
		'after %i ms: nothing paid twice, a doubt only if it was sent',
		async (cancelAfter) => {
			const service = await testService({ dialect: charging, latencyMilliseconds: 13 });
			processedData.delay = 7;
			const before = processedData.size;
			const offer = service.sandbox.requestOffer();
			service.sandbox.addFault({ kind: 'delay-after-commit', ...post, milliseconds: 3000 });
			const parameters = acceptParameters(offer.id, { minimumBalance: 0 });
			await service.run('exchange', 'accept', {
				parameters,
				actionNode: freshActionNode(),
				cancelAfter,
			});
			await time.wait(200);
			const sent = service.sandbox.books.acceptsOf(offer.id);
			if (sent === 0) expect(processedData.size).toBe(before);
			service.sandbox.clearFaults();
			const { items } = await service.run('exchange', 'accept', {
				parameters,
				actionNode: freshActionNode(),
			});
			expect(items[0]?.json.outcome).toMatch(/accepted/i);
			expect(service.sandbox.books.acceptsOf(offer.id)).toBe(1);
			// The claim, and that it is settled.
			expect(processedData.size).toBe(before + 2);
		},
	);
});

describe('Minimum Balance', () => {
	test('a balance that is a text, huge, or absent: nothing is sent', async () => {
		for (const balance of ['1000', '1e9', 1e300, 1.5, null, true, [1000], { value: 1000 }, -5]) {
			const service = await world({ list: () => [pending()], balance: () => ({ balance }) });
			const { decisions } = await acceptMany(service, { options: { minimumBalance: 0 } });
			if (balance !== 1e300) expect([balance, service.posted]).toEqual([balance, []]);
			expect(outcomes(decisions)).not.toContain('unknown');
		}
	});
	test('a refund at the same moment hides a price: no second accept', async () => {
		const service = await world({
			list: () => offers,
			balance: () => ({ balance: 100 }),
		});
		const offers = [pending(), pending(), pending()];
		const { decisions } = await acceptMany(service, { options: { minimumBalance: 50 } });
		expect(outcomes(decisions)).toEqual(['accepted', 'skipped', 'skipped']);
	});
});
