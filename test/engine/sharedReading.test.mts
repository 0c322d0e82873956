/** One reader for an account and process: what polls, list searches and summaries need is asked for once. */
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Sandbox } from '../../sandbox/sandbox.mts';
import { json, localService } from './localServer.mts';
import { names } from './polling/begin.mts';
import { Poller } from './polling/poller.mts';
import { jsonOf, serviceWithOffer, testService } from './service.mts';
import { useVirtualTime } from './virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;
const minute = 60 * seconds;
const all = ['exchange.requested', 'exchange.accepted', 'watchdog.alert', 'credits.low'];

/** A poller of the account for each of these, published at once. */
async function published(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	events: string[][],
): Promise<Poller[]> {
	const pollers = events.map((each) => new Poller({ baseUrl, apiKey }, { events: each }));
	for (const poller of pollers) await poller.start();
	return pollers;
}

function requestsTo(sandbox: Sandbox, path: string): number {
	return sandbox.books.requests().filter((each) => each.path === path).length;
}

test('one polling trigger alone asks for each list once a minute, and for the balance four times an hour', async () => {
	const { sandbox } = await testService();
	const [poller] = await published(sandbox, [all]);
	const paths = ['/api/exchanges', '/api/watchdog/events', '/api/credits/balance'];
	const before = paths.map((path) => requestsTo(sandbox, path));
	for (let minutes = 0; minutes < 60; minutes++) {
		await time.wait(minute);
		await poller?.poll();
	}
	const asked = paths.map((path, index) => requestsTo(sandbox, path) - (before[index] ?? 0));
	expect(asked).toEqual([60, 60, 4]);
});

test('what a node does with its items changes nothing that another trigger compares, or that comes again', async () => {
	let list: object[] = [];
	const { baseUrl } = await localService((request, response) => {
		json(list)(request, response);
	});
	const events = [['exchange.requested'], ['exchange.requested', 'exchange.accepted']];
	const [one, other] = (await published({ baseUrl, apiKey: 'key' }, events)) as [Poller, Poller];
	one.parameters = { ...one.parameters, options: { tryAgain: true } };
	await one.start('update');
	one.ending = ([item]) => {
		Object.assign(item?.data ?? {}, { status: 'accepted' });
		return item?.attempt === 1 ? 'error' : 'success';
	};
	await time.wait(minute);
	list = [{ id: 'a', status: 'pending' }];
	await one.poll();
	expect(names(await other.poll())).toEqual(['exchange.requested']);
	one.ending = () => 'success';
	await time.wait(minute);
	list = [{ id: 'a', status: 'accepted' }];
	expect(await one.poll()).toMatchObject([{ attempt: 2, data: { status: 'pending' } }]);
	expect(names(await other.poll())).toEqual(['exchange.accepted']);
});

test('however many there are, and whatever their seconds, each notices each event within two minutes, and all together ask little more than one', async () => {
	const history = fc.record({
		phases: fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1, maxLength: 8 }),
		offers: fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 3 }),
	});
	await fc.assert(
		fc.asyncProperty(history, async ({ phases, offers }) => {
			const { sandbox } = await testService();
			const pollers = await published(
				sandbox,
				phases.map(() => ['exchange.requested']),
			);
			const before = sandbox.books.requests().length;
			const begun = time.now();
			const happened = new Map<unknown, number>();
			const offering = offers.map(async (second) => {
				await time.wait(second * seconds);
				happened.set(sandbox.requestOffer().id, time.now());
			});
			const polling = pollers.map(async (poller, index) => {
				const noticed: Array<[id: unknown, at: number]> = [];
				for (let minutes = 0; minutes < 9; minutes++) {
					await time.wait(begun + minutes * minute + (phases[index] ?? 0) * seconds - time.now());
					for (const { data } of await poller.poll()) {
						noticed.push([(data as { id: string }).id, time.now()]);
					}
				}
				return noticed;
			});
			await Promise.all(offering);
			for (const noticed of await Promise.all(polling)) {
				expect(noticed.map(([id]) => id).sort()).toEqual([...happened.keys()].sort());
				for (const [id, at] of noticed) {
					expect(at - (happened.get(id) ?? 0)).toBeLessThanOrEqual(2 * minute);
				}
			}
			// At most every 50 seconds; one alone every 60.
			const most = phases.length === 1 ? 9 : (9 * 60) / 50 + 1;
			expect(sandbox.books.requests().length - before).toBeLessThanOrEqual(most);
		}),
		{ numRuns: 40 },
	);
}, 120_000);

test('polls of the same second wait for one request together, and one that fails is asked again by the next', async () => {
	const { sandbox } = await testService();
	const pollers = await published(
		sandbox,
		Array.from({ length: 5 }, () => ['exchange.requested']),
	);
	await time.wait(minute);
	const asked = sandbox.books.requests().length;
	sandbox.addFault({ kind: 'delay-before-commit', milliseconds: 3000 });
	await Promise.all(pollers.map(async (poller) => await poller.poll()));
	expect(sandbox.books.requests().length - asked).toBe(1);

	await time.wait(minute);
	sandbox.addFault({ kind: 'answer-after-commit', status: 200, body: '<html>', times: 1 });
	const polls = await Promise.allSettled(pollers.map(async (poller) => await poller.poll()));
	expect(new Set(polls.map(({ status }) => status))).toEqual(new Set(['rejected']));
	expect(sandbox.books.requests().length - asked).toBe(2);
	sandbox.requestOffer();
	await time.wait(5 * seconds);
	for (const poller of pollers) {
		expect(names(await poller.poll())).toEqual(['exchange.requested']);
	}
	expect(sandbox.books.requests().length - asked).toBe(3);
});

test('a list is good enough for another trigger for 50 seconds', async () => {
	const { sandbox } = await testService();
	const pollers = await published(
		sandbox,
		Array.from({ length: 3 }, () => ['exchange.requested']),
	);
	await time.wait(minute);
	const asked = [];
	for (const [index, wait] of [0, 49, 2].entries()) {
		await time.wait(wait * seconds);
		const before = sandbox.books.requests().length;
		await pollers[index]?.poll();
		asked.push(sandbox.books.requests().length - before);
	}
	expect(asked).toEqual([1, 0, 1]);
});

test('a search box that asks at each keystroke asks the service once in ten seconds, and a summary takes what a poll has read', async () => {
	const { sandbox, search, run } = await serviceWithOffer();
	for (const typed of ['s', 'sh', 'sho']) await search('searchPendingOffers', typed);
	expect(sandbox.books.requests().length).toBe(1);
	await time.wait(10.5 * seconds);
	await search('searchPendingOffers', 'shop');
	expect(sandbox.books.requests().length).toBe(2);
	await published(sandbox, [all]);
	const asked = requestsTo(sandbox, '/api/exchanges');
	await Promise.all([run('account', 'getSummary'), run('account', 'getSummary')]);
	expect(requestsTo(sandbox, '/api/exchanges')).toBe(asked);
});

test('who executes a step sees what is there now, whatever was read before', async () => {
	const { sandbox, run, accept } = await testService();
	await published(sandbox, [all]);
	await run('account', 'getSummary');
	const { id } = sandbox.requestOffer();
	const found = await run('exchange', 'getAll', { parameters: { status: 'all', returnAll: true } });
	expect(jsonOf(found)).toHaveLength(1);
	const asked = sandbox.books.requests().length;
	await accept(id);
	expect(sandbox.books.requests().length - asked).toBe(2);
});

test.each([
	['an accept', 'exchange.accepted'],
	['a new site', 'exchange.requested'],
])('%s of this process ends what was read before', async (what, event) => {
	const { sandbox, accept, create, run } = await testService();
	const [first, second] = await published(sandbox, [['exchange.requested'], [event]]);
	const { id } = sandbox.requestOffer();
	await time.wait(minute);
	await first?.poll();
	if (what === 'an accept') {
		await accept(id);
		expect(names((await second?.poll()) ?? [])).toEqual([event]);
	} else {
		sandbox.requestOffer();
		await create({ url: 'https://new.example' });
		expect(names((await second?.poll()) ?? [])).toEqual([event, event]);
	}
	expect(jsonOf(await run('account', 'getSummary'))[0]?.exchanges).toMatchObject(
		what === 'an accept' ? { accepted: 1 } : { pending: 2 },
	);
});

test('whoever is canceled leaves the others what they wait for', async () => {
	const { sandbox, run } = await testService();
	sandbox.addFault({ kind: 'delay-before-commit', milliseconds: 3000, times: 20 });
	const summaries = [1000, undefined, 2000, undefined].map(
		async (cancelAfter) =>
			await run('account', 'getSummary', {
				...(cancelAfter !== undefined && { cancelAfter }),
			}),
	);
	const [canceled, whole, alsoCanceled, other] = await Promise.all(summaries);
	for (const each of [canceled, alsoCanceled]) expect(each?.items).toEqual([]);
	for (const each of [whole, other]) expect(each?.items.length).toBe(1);
});

test('another key is another account', async () => {
	const { sandbox, search } = await serviceWithOffer();
	expect(await search('searchPendingOffers')).toHaveLength(1);
	const { asked, ...other } = await localService(json([]));
	await other.search('searchPendingOffers');
	const rotated = new Poller(
		{ baseUrl: sandbox.baseUrl, apiKey: sandbox.createApiKey() },
		{ events: ['exchange.requested'] },
	);
	const before = sandbox.books.requests().length;
	await rotated.start();
	expect(asked.length).toBe(1);
	expect(sandbox.books.requests().length - before).toBeGreaterThan(0);
});
