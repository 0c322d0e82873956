/**
 * Failed polls: the trigger keeps polling, reports a failure once an hour, and sends no more
 * requests than usual.
 */
import type { INodeParameters } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { errorMessages } from '../../../nodes/shared/errorMessages.ts';
import type { Fault } from '../../../sandbox/faults.mts';
import { readWorkflow, workflowNames } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { Poller, pollingType } from './poller.mts';
import { getEventKeys, minute, onlyOffers, setUp, setUpAndPoll } from './setup.mts';

const clock = useVirtualTime();
const outage: Fault = { kind: 'error-before-commit', path: '/api', times: 100_000 };
const unauthorized: Fault = { ...outage, status: 401 };
const malformed: Fault = { kind: 'malformed-json', path: '/api', times: 100_000 };

/**
 * Polls each minute.
 *
 * @returns the minutes in which a failed execution reported the failure, and its message
 */
async function collectReports(poller: Poller, minutes: number) {
	const reports: Array<[minute: number, error: Error & { description?: string }]> = [];
	for (let number = 0; number < minutes; number++) {
		await clock.wait(minute);
		await poller.poll().catch((error: unknown) => {
			reports.push([number, error as Error]);
		});
	}
	return reports;
}

test.each(['init', 'leadershipChange'] as const)(
	'the first poll after a start of n8n (%s) never fails, because n8n would stop polling',
	async (mode) => {
		const { sandbox, poller } = await setUp({}, onlyOffers);
		sandbox.addFault(unauthorized);
		expect(await poller.start(mode)).toEqual([]);
		expect(poller.warnings).toEqual([expect.stringContaining('polls have failed since')]);
		await expect(poller.poll()).rejects.toThrow(errorMessages.apiKeyNotAccepted);
		sandbox.clearFaults();
		expect(await poller.poll()).toEqual([]);
		sandbox.requestOffer({ id: 'x' });
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:x']);
		poller.parameters = { ...poller.parameters, options: { includeRecord: 'perhaps' } };
		expect(await poller.start(mode)).toEqual([]);
		await expect(poller.poll()).rejects.toThrow("'Include Record'");
	},
);

describe('publishing', () => {
	test("fails if the user has to fix something, and the message, n8n's only output, explains how", async () => {
		const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
		const { credential, parameters } = poller;
		const fails = async (message: string | RegExp) => {
			await expect(poller.start('update')).rejects.toThrow(message);
		};
		poller.credential = { ...credential, apiKey: 'another' };
		await fails(/^The service didn't accept the API key\. .+\. Then publish the workflow again\.$/);
		poller.credential = { ...credential, baseUrl: 'nowhere' };
		await fails('base URL');
		poller.credential = credential;
		sandbox.addFault(outage);
		poller.parameters = { ...parameters, options: { includeRecord: 'perhaps' } };
		await fails("'Include Record'");
	});

	test.each([
		['first', 'is away', outage],
		['first', 'cannot be reached', { ...outage, kind: 'cut-before-commit' }],
		['later', 'is away', outage],
		['later', 'refuses a key with which the account was read', unauthorized],
	] as const)('succeeds, the %s one, if the service %s', async (which, _, fault) => {
		const { sandbox, poller } = await setUp({}, onlyOffers);
		if (which === 'later') await poller.start();
		sandbox.addFault(fault);
		expect(await poller.start('update')).toEqual([]);
		sandbox.clearFaults();
		await clock.wait(minute);
		if (which === 'first') await poller.poll();
		sandbox.requestOffer({ id: 'x' });
		expect(getEventKeys(await poller.poll())).toEqual(['exchange.requested:x']);
	});

	test('succeeds if the rate limit is reached', async () => {
		const { baseUrl, apiKey } = await startStubServer((_request, response) => {
			response.writeHead(429, { 'Retry-After': '7200' }).end('{}');
		});
		const poller = new Poller({ baseUrl, apiKey }, onlyOffers);
		expect(await poller.start()).toEqual([]);
		expect(poller.warnings.join()).toContain('limit');
	});
});

describe('failed polls', () => {
	test("don't tell anybody to run the workflow again", async () => {
		const { baseUrl, apiKey } = await startStubServer((_request, response) => {
			response.writeHead(503).end();
		});
		const poller = new Poller({ baseUrl, apiKey }, onlyOffers);
		await poller.start();
		const [[, error] = []] = await collectReports(poller, 1);
		expect(error?.description).toMatch(/an empty body\. \(HTTP 503\) Polling continues/);
	});

	test('throws at the first failure and once an hour, logs the recovery', async () => {
		const { sandbox, poller } = await setUpAndPoll({}, onlyOffers);
		sandbox.addFault(malformed);
		const reports = await collectReports(poller, 121);
		expect(reports.map(([number]) => number)).toEqual([0, 60, 120]);
		const [first, second] = reports.map(([, error]) => error.description);
		expect(first).toMatch(/ Polling continues automatically\..+$/);
		expect(second).toMatch(/^Polls have failed since \d{1,2} \w{3} \d{4}, \d\d:\d\d UTC\. /);
		sandbox.clearFaults();
		sandbox.requestOffer({ id: 'x' });
		expect(await collectReports(poller, 1)).toEqual([]);
		expect(getEventKeys(poller.executions.flat())).toEqual(['exchange.requested:x']);
		expect(poller.warnings.at(-1)).toContain('polls succeed again');
		sandbox.addFault(malformed);
		expect(await collectReports(poller, 1)).toHaveLength(1);
	});

	test('only logs a rate limit with a known reset', async () => {
		let isLimited = false;
		const { baseUrl, apiKey } = await startStubServer((request, response) => {
			if (isLimited) response.writeHead(429, { 'Retry-After': '7200' }).end('{}');
			else json([{ id: 'x', status: 'pending' }])(request, response);
		});
		const poller = new Poller({ baseUrl, apiKey }, onlyOffers);
		await poller.start();
		isLimited = true;
		expect(await collectReports(poller, 30)).toEqual([]);
		expect(poller.warnings.join()).toContain('limit');
	});
});

test.each([
	['five minutes', 300_000, 89, 91],
	['a minute', 60_000, 29, 31],
])(
	"waits for the rate limit up to 90 seconds, or half of n8n's time for a poll: %s",
	async (_, budget, short, long) => {
		let reset = short;
		let requestCount = 0;
		const { baseUrl, apiKey } = await startStubServer((request, response) => {
			const isList = request.url?.endsWith('/exchanges') === true;
			const isRefused = isList && ++requestCount % 2 === 1;
			if (isRefused) response.writeHead(429, { 'Retry-After': reset }).end('{}');
			else json([])(request, response);
		});
		const pollOnce = async (key: string) => {
			const poller = new Poller({ baseUrl, apiKey: apiKey + key }, onlyOffers);
			poller.budget = budget;
			await poller.start('init');
			return poller.warnings.join();
		};
		expect(await pollOnce('one')).toBe('');
		expect(requestCount).toBe(2);
		reset = long;
		expect(await pollOnce('another')).toContain('limit');
		expect(requestCount).toBe(3);
	},
);

describe('all ready-made workflows', () => {
	/** Creates a poller for each polling trigger that polls each minute. */
	async function publishAll(fault?: Fault) {
		const { sandbox } = await startTestService({ credits: 1000 });
		if (fault !== undefined) sandbox.addFault(fault);
		const { baseUrl, apiKey } = sandbox;
		const nodes = workflowNames.flatMap((name) => readWorkflow(name).nodes);
		const pollers = nodes
			.filter(({ type, parameters }) => {
				const isEachMinute = JSON.stringify(parameters).includes('everyMinute');
				return type === pollingType && isEachMinute;
			})
			.map(({ parameters }) => new Poller({ baseUrl, apiKey }, parameters as INodeParameters));
		expect(pollers.length).toBeGreaterThan(2);
		for (const poller of pollers) await poller.start('init');
		/**
		 * Polls once a minute with each of them, at a second of its own, and counts the requests per
		 * minute.
		 */
		const requestsPerMinute = async (minutes: number) => {
			const before = sandbox.books.requests().length;
			const startTime = clock.now();
			for (let passed = 0; passed < minutes; passed++) {
				for (const [index, poller] of pollers.entries()) {
					const at = startTime + passed * minute + (1 + 4 * index) * 1000;
					await clock.wait(Math.max(1, at - clock.now()));
					await poller.poll().catch((error: unknown) => poller.errors.push(error as Error));
				}
				await clock.wait(Math.max(1, startTime + (passed + 1) * minute - clock.now()));
			}
			return (sandbox.books.requests().length - before) / minutes;
		};
		await requestsPerMinute(2);
		return { sandbox, pollers, requestsPerMinute };
	}

	test.each([
		['away', outage],
		['refusing the key', unauthorized],
		['answering what is no JSON', malformed],
	] as const)(
		'send at most 12 requests a minute while the service is %s, and report it hourly',
		async (_, fault) => {
			const { sandbox, pollers, requestsPerMinute } = await publishAll();
			sandbox.addFault(fault);
			expect(await requestsPerMinute(80)).toBeLessThanOrEqual(12);
			for (const { errors } of pollers) expect(errors).toHaveLength(2);
			sandbox.requestOffer({ id: 'x' });
			sandbox.clearFaults();
			await requestsPerMinute(7);
			// Some of the workflows send one message per poll, with the events in `items`.
			const found = pollers
				.flatMap(({ executions }) => executions.flat())
				.flatMap((item) => (item.items as Array<typeof item> | undefined) ?? [item]);
			expect(new Set(getEventKeys(found))).toEqual(new Set(['exchange.requested:x']));
		},
		120_000,
	);

	test('send at most 12 requests a minute if the sites have never been listed', async () => {
		const { requestsPerMinute } = await publishAll({ ...outage, path: '/api/sites' });
		expect(await requestsPerMinute(30)).toBeLessThanOrEqual(12);
	});
});

test('a list that fails alone names the events that need it, which can be deselected', async () => {
	const parameters = { events: ['exchange.requested', 'watchdog.alert'] };
	const { sandbox, poller } = await setUpAndPoll({}, parameters);
	sandbox.addFault({ ...outage, path: '/api/watchdog', status: 404 });
	await clock.wait(minute);
	await expect(poller.poll()).rejects.toMatchObject({
		message: errorMessages.urlNotFound,
		description: expect.stringContaining(
			"only these need this request: New Alert. To get the others meanwhile, deselect these in 'Trigger On'.",
		) as unknown,
	});
});
