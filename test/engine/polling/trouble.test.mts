/** Failing answers, how often they are told, restarts, polls that overlap, limits and other accounts: no event is lost, and none comes twice. */
import { describe, expect, it } from 'vitest';

import { json, localService } from '../localServer.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { begin, beginWith, names, started } from './begin.mts';
import { Poller } from './poller.mts';

const time = useVirtualTime();

it('an exchange without an id is said, with what it has', async () => {
	for (const [entry, said] of [
		[{ anchor: 'tea', status: 'live' }, 'anchor, status'],
		[{}, 'no fields'],
	] as const) {
		const poller = await beginWith(() => ({ exchanges: [{ id: 'x' }, entry] }));
		await expect(poller.start()).rejects.toThrow(
			`The answer of the service could not be understood. Expected exchanges with an "id", received an object with ${said}`,
		);
	}
});

it('polls that a later one has overtaken do not confirm to each other what is no longer so', async () => {
	const { sandbox, poller } = await begin();
	sandbox.requestOffer({ id: 'x' });
	sandbox.accept('x');
	sandbox.publish('x');
	await poller.start();
	sandbox.addFault({
		kind: 'delay-after-commit',
		path: '/api/exchanges',
		milliseconds: 500,
		times: 2,
	});
	const slow = [poller.poll(), poller.poll()];
	await time.wait(100);
	sandbox.breakLink('x');
	await poller.poll();
	await Promise.all(slow);
	await poller.poll();
	expect(names(poller.executions.flat())).toEqual(['exchange.broken', 'watchdog.alert']);
});

it.each([
	['n8n allows five minutes for a poll', undefined, 80, 100],
	['n8n allows less', 60_000, 25, 40],
])(
	'but no longer than 90 seconds, or half of what n8n allows: %s',
	async (_, budget, short, long) => {
		let reset = short;
		let asked = 0;
		const { baseUrl } = await localService((request, response) => {
			const isRefused = ++asked % 2 === 1;
			if (!isRefused) {
				json(['accepted', 'live', 'broken'].map((status) => ({ id: status, status })))(
					request,
					response,
				);
				return;
			}
			response.writeHead(429, { 'Retry-After': reset }).end('{}');
		});
		const poller = new Poller({ baseUrl, apiKey: 'key' }, { events: ['exchange.requested'] });
		poller.budget = budget;
		expect(await poller.start()).toEqual([]);
		expect(asked).toBe(2);
		reset = long;
		const key = { baseUrl, apiKey: 'another_key' };
		const second = new Poller(key, { events: ['exchange.requested'] });
		second.budget = budget;
		// Then nobody can do anything before it resets, so only a publication fails.
		if (budget === undefined) await expect(second.start()).rejects.toThrow('limit');
		else expect(await second.start()).toEqual([]);
		expect(second.warnings.join()).toContain(budget === undefined ? '' : 'limit');
		expect(asked).toBe(3);
	},
);

it('a list that goes on in a way that cannot be followed is written to the log, a whole one is not', async () => {
	let more = true;
	const poller = await beginWith(
		() => ({ exchanges: [{ id: 'x', status: 'pending' }], has_more: more }),
		{ events: ['exchange.requested'] },
	);
	await poller.start();
	expect(poller.warnings).toEqual([
		expect.stringContaining('the service says that there are more exchanges than it lists'),
	]);
	more = false;
	await poller.poll();
	expect(poller.warnings).toHaveLength(1);
});

it('the same key at another address is another account, even if it lists the same', async () => {
	let shown = ['x'];
	const list = () => shown.map((id) => ({ id, status: 'pending' }));
	const watched = { events: ['exchange.requested'] };
	const [poller, other] = [await beginWith(list, watched), await beginWith(list, watched)];
	await poller.start();
	poller.credential = other.credential;
	shown = ['x', 'y'];
	expect(await poller.poll()).toEqual([]);
});

describe('trouble is told', () => {
	const minute = 60_000;
	const away = { kind: 'not-json', path: '/api', times: 10_000 } as const;

	/** Polls once a minute, and returns at which minutes a failed execution told of the trouble, with its words. */
	async function pollFor(poller: Poller, minutes: number) {
		const told: Array<[minute: number, error: Error & { description?: string }]> = [];
		for (let number = 0; number < minutes; number++) {
			await time.wait(minute);
			await poller.poll().catch((error: unknown) => {
				told.push([number, error as Error]);
			});
		}
		return told;
	}

	it('when it begins, then once an hour with since when, and its end is a line of the log', async () => {
		const { sandbox, poller } = await started();
		sandbox.addFault(away);
		const told = await pollFor(poller, 121);
		expect(told.map(([number]) => number)).toEqual([0, 60, 120]);
		const [first, second] = told.map(([, error]) => error);
		expect(first?.description).not.toContain('No poll has succeeded');
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
		expect((await pollFor(poller, 3)).map(([number]) => number)).toEqual([0]);
	});

	it('when its reason changes, and no more often if it changes back and forth', async () => {
		const { sandbox, poller } = await started();
		const reasons = [away, { kind: 'error-before-commit', status: 401, times: 10_000 }] as const;
		let told = 0;
		for (let number = 0; number < 40; number++) {
			sandbox.clearFaults();
			sandbox.addFault(reasons[number % 2] ?? away);
			told += (await pollFor(poller, 1)).length;
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
		await time.wait(100);
		sandbox.addFault(away);
		await expect(poller.poll()).rejects.toThrow('could not be understood');
		await slow;
		expect(await pollFor(poller, 3)).toEqual([]);
	});

	it('also where a setting cannot be read', async () => {
		const { poller } = await started();
		poller.parameters = { ...poller.parameters, options: { redeliver: 'perhaps' } };
		expect(await poller.start('init')).toEqual([]);
		expect((await pollFor(poller, 59)).map(([number]) => number)).toEqual([0]);
	});

	it('not at all where the limit is reached and resets at a moment that is known: what was found goes on', async () => {
		let isLimited = false;
		const { baseUrl } = await localService((request, response) => {
			if (!isLimited) {
				json([{ id: 'x', status: 'live' }])(request, response);
				return;
			}
			response.writeHead(429, { 'Retry-After': '7200' }).end('{}');
		});
		const parameters = { events: ['exchange.published'], options: { emitExisting: true } };
		const poller = new Poller({ baseUrl, apiKey: 'limited' }, parameters);
		poller.ending = ([item]) => (item?.attempt === 1 ? 'error' : 'success');
		await poller.start();
		isLimited = true;
		expect(await pollFor(poller, 30)).toEqual([]);
		expect(poller.executions.flat().map(({ attempt }) => attempt)).toEqual([1, 2]);
		expect(poller.warnings.join('\n')).toContain('limit');
	});
});
