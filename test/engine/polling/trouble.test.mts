/** What a poll does that cannot find out what happened, and how often it is told. */
import { describe, expect, it } from 'vitest';

import type { Fault } from '../../../sandbox/faults.mts';
import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, keys, names, onlyOffers, started } from './begin.mts';
import { Poller } from './poller.mts';

const clock = useVirtualTime();

const minute = 60_000;
const away = { kind: 'not-json', path: '/api', times: 10_000 } as const;

describe('the first poll', () => {
	const noPoll =
		/^Backlink Exchange Polling Trigger: no poll has succeeded since .+Z: .+ \(workflow .+, node "Poll"\)$/;
	it.each(['init', 'leadershipChange'] as const)(
		'after n8n has started (%s) never fails; the following ones do, until the reason is gone',
		async (mode) => {
			const { sandbox, poller } = await begin();
			sandbox.addFault(away);
			expect(await poller.start(mode)).toEqual([]);
			expect(poller.warnings).toEqual([expect.stringMatching(noPoll)]);
			await expect(poller.poll()).rejects.toThrow('could not be understood');
			sandbox.clearFaults();
			expect(await poller.poll()).toEqual([]);
			sandbox.requestOffer({ id: 'x' });
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
			poller.parameters = { ...poller.parameters, options: { redeliver: 'perhaps' } };
			expect(await poller.start(mode)).toEqual([]);
			await expect(poller.poll()).rejects.toThrow('"Redeliver"');
			const elsewhere = new Poller({ baseUrl: 'nowhere', apiKey: 'key' });
			expect(await elsewhere.start(mode)).toEqual([]);
			await expect(elsewhere.poll()).rejects.toThrow('base URL');
		},
	);

	it.each(['activate', 'update'] as const)(
		'of a publication (%s) says what is wrong and how to fix it, in the message, which is all that n8n shows',
		async (mode) => {
			const { sandbox, poller } = await begin();
			sandbox.addFault({ kind: 'error-before-commit', status: 401 });
			await expect(poller.start(mode)).rejects.toThrow(
				/^The service does not accept the API key\. .*Copy the key again.*\. Then publish the workflow again\.$/,
			);
		},
	);

	it.each<[what: string, fault: Fault]>([
		['is not available', { kind: 'error-before-commit', status: 503, times: 10_000 }],
		['cannot be reached', { kind: 'cut-before-commit', times: 10_000 }],
		['refuses because of the limit', { kind: 'error-before-commit', status: 429, times: 10_000 }],
	])(
		'of a publication goes on where the service %s, because n8n would never poll again',
		async (_, fault) => {
			const { sandbox, poller } = await begin({}, onlyOffers);
			sandbox.addFault(fault);
			expect(await poller.start('activate')).toEqual([]);
			sandbox.clearFaults();
			// The limit is that of a day.
			await clock.wait(25 * 60 * minute);
			expect(await poller.poll()).toEqual([]);
			sandbox.requestOffer({ id: 'x' });
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		},
	);

	it.each(['exchange.requested', 'watchdog.alert'])(
		'that failed is followed by one that is saved by an execution without items: %s',
		async (event) => {
			const { sandbox, poller } = await begin({}, { events: [event] });
			sandbox.addFault(away);
			await poller.start('init');
			sandbox.clearFaults();
			await poller.poll();
			expect(poller.executions).toEqual([[]]);
			sandbox.requestOffer({ id: 'x' });
			sandbox.alert({ exchangeId: 'x' });
			// n8n was off before the next poll.
			expect(names(await poller.start('init'))).toEqual([event]);
		},
	);
});

describe('a publication of a trigger that has read the account', () => {
	it.each([
		['away', away],
		['refusing the key', { kind: 'error-before-commit', status: 401, times: 10_000 }],
	] as const)(
		'does not fail while the service is %s, because n8n would never poll again; polls tell, and go on',
		async (_what, fault) => {
			const { sandbox, poller } = await started({}, onlyOffers);
			sandbox.addFault(fault);
			expect(await poller.start('update')).toEqual([]);
			expect(poller.warnings).toEqual([expect.stringContaining('no poll has succeeded since')]);
			await expect(poller.poll()).rejects.toThrow();
			sandbox.clearFaults();
			sandbox.requestOffer({ id: 'x' });
			expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
		},
	);

	it('fails with another key or address, and with a setting that cannot be read', async () => {
		const { sandbox, poller } = await started({}, onlyOffers);
		const { credential, parameters } = poller;
		poller.credential = { ...credential, apiKey: 'another' };
		await expect(poller.start('update')).rejects.toThrow('does not accept the API key');
		poller.credential = { ...credential, baseUrl: 'nowhere' };
		await expect(poller.start('update')).rejects.toThrow('base URL');
		poller.credential = credential;
		sandbox.addFault(away);
		poller.parameters = { ...parameters, options: { redeliver: 'perhaps' } };
		await expect(poller.start('update')).rejects.toThrow('"Redeliver"');
	});
});

describe('what was found before', () => {
	it.each([true, false])(
		'is started by a publication that goes on although the service is away, and not by one that fails (%s)',
		async (goesOn) => {
			const { sandbox, poller } = await started({}, onlyOffers);
			sandbox.requestOffer({ id: 'x' });
			poller.ending = () => 'error';
			await poller.poll();
			await clock.wait(5 * minute);
			sandbox.addFault(away);
			if (!goesOn) poller.credential = { ...poller.credential, apiKey: 'another' };
			const publication = poller.start('update');
			if (goesOn) await publication;
			else await expect(publication).rejects.toThrow('does not accept the API key');
			expect(keys(poller.executions.flat())).toHaveLength(goesOn ? 2 : 1);
		},
	);

	it('and waits for its head start is not started by a poll that fails, where nothing redelivers it', async () => {
		const options = { redeliver: false, headStart: 10 };
		const { sandbox, poller } = await started({}, { ...onlyOffers, options });
		sandbox.requestOffer({ id: 'x' });
		await poller.poll();
		sandbox.addFault(away);
		await clock.wait(12 * minute);
		await expect(poller.poll()).rejects.toThrow('could not be understood');
		expect(poller.executions.flat()).toEqual([]);
		sandbox.clearFaults();
		expect(keys(await poller.poll())).toEqual(['exchange.requested:x']);
	});
});

describe('it is told', () => {
	/** Polls so many times, with a minute between two polls, and returns which polls told of the trouble by a failed execution, with its words. */
	async function toldBy(poller: Poller, polls: number) {
		const told: Array<[poll: number, error: Error & { description?: string }]> = [];
		for (let number = 0; number < polls; number++) {
			await clock.wait(minute);
			await poller.poll().catch((error: unknown) => {
				told.push([number, error as Error]);
			});
		}
		return told;
	}

	it('when it begins, then once an hour with since when, and its end is a line of the log', async () => {
		const { sandbox, poller } = await started();
		sandbox.addFault(away);
		const told = await toldBy(poller, 121);
		expect(told.map(([number]) => number)).toEqual([0, 60, 120]);
		const [first, second] = told.map(([, error]) => error);
		expect(first?.description).not.toContain('No poll has succeeded');
		for (const each of [first, second]) {
			expect(each?.description).toMatch(/\. Polls go on by themselves, .+ meanwhile\.$/);
		}
		expect(second?.message).toBe(first?.message);
		expect(second?.description).toMatch(/^No poll has succeeded since \d{4}-\d\d-\d\dT.+Z\. /);
		expect(poller.warnings.join('\n')).toContain('no poll has succeeded since');
		sandbox.clearFaults();
		sandbox.requestOffer({ id: 'x' });
		expect(names(await poller.poll())).toEqual(['exchange.requested']);
		expect(poller.warnings.at(-1)).toMatch(
			/polls succeed again\. None did since .+Z, for 120 minutes/,
		);
		sandbox.addFault(away);
		expect((await toldBy(poller, 1)).map(([number]) => number)).toEqual([0]);
		sandbox.clearFaults();
		await poller.poll();
		expect(poller.warnings.at(-1)).toMatch(/, for a minute \(/);
	});

	it('when its reason changes, and no more often if it changes back and forth', async () => {
		const { sandbox, poller } = await started();
		const reasons = [away, { kind: 'error-before-commit', status: 401, times: 10_000 }] as const;
		let told = 0;
		for (let number = 0; number < 40; number++) {
			sandbox.clearFaults();
			sandbox.addFault(reasons[number % 2] ?? away);
			told += (await toldBy(poller, 1)).length;
		}
		expect(told).toBe(2);
	});

	it('once, also when a poll that began before ends well meanwhile', async () => {
		const { sandbox, poller } = await started();
		// Its last request.
		sandbox.addFault({
			kind: 'delay-after-commit',
			path: '/api/watchdog',
			milliseconds: 500,
		});
		const slow = poller.poll();
		await clock.wait(100);
		sandbox.addFault(away);
		await expect(poller.poll()).rejects.toThrow('could not be understood');
		await slow;
		expect(await toldBy(poller, 3)).toEqual([]);
	});

	it('not at all where the limit is reached and resets at a moment that is known: what was found goes on', async () => {
		let isLimited = false;
		const { baseUrl } = await localService((request, response) => {
			if (isLimited) response.writeHead(429, { 'Retry-After': '7200' }).end('{}');
			else json([{ id: 'x', status: 'live' }])(request, response);
		});
		const parameters = { events: ['exchange.published'], options: { emitExisting: true } };
		const poller = new Poller({ baseUrl, apiKey: 'limited' }, parameters);
		poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		await poller.start();
		isLimited = true;
		expect(await toldBy(poller, 30)).toEqual([]);
		expect(poller.executions.flat().map(({ attempt }) => attempt)).toEqual([1, 2]);
		expect(poller.warnings.join('\n')).toContain('limit');
	});
});

const states = ['accepted', 'live', 'broken'];

it.each([
	['n8n allows five minutes for a poll', undefined, 89, 91],
	['n8n allows less', 60_000, 29, 31],
])(
	'the limit is waited for, but no longer than 90 seconds, or half of what n8n allows: %s',
	async (_, budget, short, long) => {
		let reset = short;
		let asked = 0;
		const { baseUrl } = await localService((request, response) => {
			// Every other time.
			const isRefused = ++asked % 2 === 1;
			if (isRefused) response.writeHead(429, { 'Retry-After': reset }).end('{}');
			else json(states.map((status) => ({ id: status, status })))(request, response);
		});
		const poller = new Poller({ baseUrl, apiKey: 'key' }, onlyOffers);
		poller.budget = budget;
		expect(await poller.start()).toEqual([]);
		expect(asked).toBe(2);
		reset = long;
		const second = new Poller({ baseUrl, apiKey: 'another_key' }, onlyOffers);
		second.budget = budget;
		// Then nobody can do anything before it resets.
		expect(await second.start()).toEqual([]);
		expect(second.warnings.join()).toContain('limit');
		expect(asked).toBe(3);
	},
);

it('Always Output Data, with which what is only saved would run the workflow with an empty item, is refused', async () => {
	const { poller } = await begin({}, onlyOffers);
	poller.adjust = (context) => {
		const getNode = context.getNode.bind(context);
		const value = () => ({ ...getNode(), alwaysOutputData: true });
		Object.defineProperty(context, 'getNode', { value });
	};
	await expect(poller.start()).rejects.toThrow(/^Always Output Data has to be off for this node\./);
	expect(await poller.start('init')).toEqual([]);
	expect(poller.executions).toEqual([]);
});
