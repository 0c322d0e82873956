/** The service's limit of a day: everything goes on when it is over, and nothing is lost or told twice. */
import { expect, onTestFinished, test } from 'vitest';

import { json, localService } from '../localServer.mts';
import { keys } from '../polling/begin.mts';
import { Poller } from '../polling/poller.mts';
import { jsonOf, testService } from '../service.mts';
import { useVirtualTime } from '../virtualTime.mts';

const time = useVirtualTime();

const seconds = 1000;
const minute = 60 * seconds;
const day = 45 * minute;

test('through the limit of a day and back: polls neither ask nor fail, and each event is told once', async () => {
	const { sandbox, acceptMany } = await testService({
		credits: 10_000,
		limits: { perMinute: 60, perDay: 60, dayMilliseconds: day },
	});
	const { baseUrl, apiKey } = sandbox;
	const events = ['exchange.requested', 'exchange.accepted', 'exchange.broken', 'watchdog.alert'];
	const pollers = [events, ['exchange.requested'], ['watchdog.alert'], ['credits.low']].map(
		(each) => new Poller({ baseUrl, apiKey }, { events: each, creditsLowBelow: 9_950 }),
	);
	for (const poller of pollers) await poller.start();
	const offered: string[] = [];
	let accepts = 0;
	for (let passed = 0; passed < 4 * 45; passed++) {
		await time.wait(minute - 60);
		for (const poller of pollers) {
			await time.wait(15);
			await poller.poll();
		}
		// Also while nothing can be asked.
		if (passed % 4 === 0 && passed < 3 * 45) offered.push(sandbox.requestOffer({ cost: 2 }).id);
		const [live] = sandbox.books.exchanges('accepted');
		if (passed % 5 === 0 && live !== undefined) {
			sandbox.publish(live.id);
			sandbox.breakLink(live.id);
		}
		if (passed % 20 !== 0) continue;
		const { error, outcomes } = await acceptMany({ options: { maxAccepts: 50 } });
		accepts += outcomes.filter((outcome) => outcome === 'accepted').length;
		if (error !== undefined) expect(error.message).toMatch(/request limit/);
	}
	for (const poller of pollers) expect(poller.errors).toEqual([]);

	const broken = sandbox.books.exchanges('broken').map(({ id }) => id);
	expect(broken.length).toBeGreaterThan(10);
	const told = (index: number, event: string) =>
		keys(pollers[index]?.executions.flat() ?? []).filter((key) => key.startsWith(event));
	for (const [index, event, expected] of [
		[0, 'exchange.requested', offered.length],
		[1, 'exchange.requested', offered.length],
		[0, 'exchange.accepted', offered.length],
		[0, 'exchange.broken', broken.length],
		[0, 'watchdog.alert', broken.length],
		[2, 'watchdog.alert', broken.length],
		[3, 'credits.low', 1],
	] as const) {
		const happened = told(index, event);
		expect([event, happened.length, new Set(happened).size]).toEqual([event, expected, expected]);
	}
	expect(accepts).toBe(offered.length);
	for (const id of offered) expect(sandbox.books.acceptsOf(id)).toBe(1);

	// The limit was met every day: 60 requests are enough for less than half of it.
	expect(sandbox.books.requests({ status: 200 }).length).toBeGreaterThan(3 * 60);
	const refused = sandbox.books.requests({ status: 429 }).length;
	expect(refused).toBeGreaterThan(0);
	expect(refused).toBeLessThanOrEqual(4);
}, 120_000);

test('the limit is told in the words of the service, with both limits, and a remedy that the node has', async () => {
	const { sandbox, run, search, create } = await testService({
		limits: { perMinute: 60, perDay: 2, dayMilliseconds: day },
	});
	await run('credit', 'getBalance');
	await run('credit', 'getBalance');
	const said = /^The service says: "You have reached your plan's limit of requests per day/;
	const both =
		/The Pro plan has 60 requests a minute and 10,000 a day, the Agency plan 240 and 100,000\./;
	const inOptions = /raise "Max Rate Limit Wait" in the options/;

	const { error } = await run('credit', 'getBalance');
	const ofSearch = await search('searchPendingOffers').catch((reason: unknown) => reason);
	const { baseUrl, apiKey } = sandbox;
	const poller = new Poller({ baseUrl, apiKey });
	const ofPoll = await poller.test().catch((reason: unknown) => reason);
	for (const each of [error, ofSearch, ofPoll] as Array<{ description: string }>) {
		expect(each.description).toMatch(said);
		expect(each.description).toMatch(both);
	}
	expect(error?.description).toMatch(inOptions);
	for (const each of [ofSearch, ofPoll] as Array<{ description: string }>) {
		expect(each.description).not.toMatch(inOptions);
	}

	// Whoever may wait for so long does.
	const options = { maxRateLimitWait: (day + minute) / seconds };
	const { items } = await create({ url: 'https://new.example' }, options);
	expect(items.length).toBe(1);
	expect(jsonOf(await run('site', 'getAll')).length).toBe(1);
});

test('where the service names the end of the minute while the day is used up, a poll ends after 90 seconds, and it is told once', async () => {
	let isLimited = false;
	const { baseUrl } = await localService((request, response) => {
		if (isLimited) response.writeHead(429, { 'retry-after': '60' }).end();
		else json([{ id: 'x', status: 'pending' }])(request, response);
	});
	const poller = new Poller({ baseUrl, apiKey: 'key' }, { events: ['exchange.requested'] });
	await poller.start();
	isLimited = true;
	for (let count = 0; count < 10; count++) {
		const before = time.now();
		const polled = poller.poll();
		if (count === 0) await expect(polled).rejects.toThrow('The request limit of the service');
		else expect(await polled).toEqual([]);
		expect(time.now() - before).toBeLessThanOrEqual(90 * seconds);
	}
	expect(poller.warnings.at(-1)).toContain('When the limit resets is not known');
});

test('a limit that was over while the machine slept is asked for again, and no other reset is named', async () => {
	const hour = 60 * minute;
	let isLimited = true;
	const { run } = await localService((request, response) => {
		if (isLimited) response.writeHead(429, { 'retry-after': '36000' }).end();
		else json({ balance: 5 })(request, response);
	});
	const balance = async () => await run('credit', 'getBalance');
	onTestFinished(() => {
		time.ahead = 0;
	});
	// Somebody has set the machine's clock since the process started.
	time.ahead = 24 * hour;
	const reset = new Date(Date.now() + 10 * hour).toISOString();
	expect((await balance()).error?.description).toContain(reset.slice(0, 17));
	// The time of day goes on while a machine sleeps; the monotonic clock of Linux does not.
	time.ahead += 9 * hour;
	isLimited = false;
	expect((await balance()).error).toBeDefined();
	time.ahead += 3 * hour;
	const before = time.now();
	expect(jsonOf(await balance())).toMatchObject([{ balance: 5 }]);
	expect(time.now() - before).toBeLessThan(minute);
});
