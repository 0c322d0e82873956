/**
 * Random histories of an account, with outages, rate limits, new keys, failed executions, and
 * restarts.
 *
 * Each event that a poll could see starts one execution, for any result of it.
 *
 * Random accounts with exchanges in both directions: no outgoing offer is ever emitted as new, and
 * no incoming one is lost or emitted twice.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { dialectSettings } from '../../sandbox/dialects.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { Poller } from '../engine/polling/poller.mts';
import { setUpWithAccount } from '../engine/polling/setup.mts';
import { useVirtualTime } from '../engine/virtualTime.mts';

const clock = useVirtualTime();
const minute = 60_000;

const incomingIds = ['x0', '42', '__proto__'];
const outgoingIds = ['9007199254740993', 'a b/ü?'];
const id = fc.constantFrom(...incomingIds, ...outgoingIds);
const step = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ kind: fc.constant('move' as const), id }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('alert' as const), id }) },
	{ weight: 5, arbitrary: fc.record({ kind: fc.constant('poll' as const) }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('wait' as const),
			minutes: fc.constantFrom(1, 5, 60, 600),
		}),
	},
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('publish again' as const) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('rename' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('outage' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('end of outage' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('overlapping polls' as const), id }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('rate-limited poll' as const),
			status: fc.constantFrom(400, 403, 429, 499),
			times: fc.constantFrom(1, 2),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('new key' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('sleep of the machine' as const) }) },
);

const history = fc.record({
	steps: fc.array(step, { maxLength: 30, size: 'max' }),
	isScheduled: fc.boolean(),
	/** The format of the service's times. */
	times: fc.constantFrom(...dialectSettings.times.variants),
	/** Whether an execution fails, by its number. */
	failures: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
	/** Milliseconds that executions take. */
	executionDurationMs: fc.constantFrom(0, 500, 20_000),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

/** Performs the next transition of an exchange: pending → accepted → live → broken → live → … */
function move(sandbox: Sandbox, known: Set<string>, exchange: string): void {
	if (!known.has(exchange)) {
		known.add(exchange);
		const ends = { fromSite: 'https://mine.example', toSite: 'https://mine.example/blog/' };
		if (incomingIds.includes(exchange)) sandbox.requestOffer({ id: exchange, ...ends });
		else sandbox.offerToPartner({ id: exchange, fromSite: 'http://www.MINE.example/blog/tea' });
		return;
	}
	const { status } = sandbox.books.exchange(exchange);
	if (status === 'pending' && incomingIds.includes(exchange)) sandbox.accept(exchange);
	else if (status === 'pending') sandbox.partnerAccepts(exchange);
	else if (status === 'live') sandbox.breakLink(exchange);
	else sandbox.publish(exchange);
}

/** Returns the events that can be seen now, from the sandbox's own books. */
function visible(sandbox: Sandbox, known: Set<string>): string[] {
	const at = (time = 0) => Math.floor(time / 1000);
	const transitions = [...known].flatMap((exchange) => {
		const { status, acceptedAt, publishedAt } = sandbox.books.exchange(exchange);
		return [
			...(incomingIds.includes(exchange) ? [`exchange.requested:${exchange}`] : []),
			...(acceptedAt === undefined ? [] : [`exchange.accepted:${exchange}:${at(acceptedAt)}`]),
			...(publishedAt === undefined ? [] : [`exchange.published:${exchange}:${at(publishedAt)}`]),
			...(status === 'broken' ? [`exchange.broken:${exchange}:${at(publishedAt)}`] : []),
		];
	});
	return [...transitions, ...sandbox.books.watchdogEvents().map((alert) => alert.id)];
}

/**
 * Returns the name of an event; for alerts their ID, because alerts with equal text have numbered
 * keys.
 */
function getName({ event, eventKey, record }: IDataObject): string {
	return event === 'watchdog.alert' ? (record as { id: string }).id : (eventKey as string);
}

/**
 * Runs a history.
 *
 * @returns the start times of executions per event, by its name, and the events that polls could
 * see
 */
async function run({ steps, isScheduled, times, failures, executionDurationMs }: History) {
	let now = Date.parse('2026-07-01T12:00:00Z');
	const sandbox = await startSandbox({
		credits: 10_000,
		clock: () => (now += 3000),
		dialect: { times },
	});
	try {
		sandbox.addSite({ url: 'https://mine.example/blog', niche: 'tea' });
		const { baseUrl, apiKey } = sandbox;
		const poller = new Poller({ baseUrl, apiKey }, { options: { includeRecord: true } });
		poller.isScheduled = isScheduled;
		poller.executionDurationMs = executionDurationMs;
		const startedAt = new Map<string, number[]>();
		poller.executionStatus = (items) => {
			for (const name of items.map(getName)) {
				startedAt.set(name, [...(startedAt.get(name) ?? []), clock.now()]);
			}
			return failures[poller.executions.length % failures.length] === true ? 'error' : 'success';
		};
		const known = new Set<string>();
		const seen = new Set<string>();
		let isDown = false;
		await poller.start();
		const see = () => {
			if (!isDown) for (const name of visible(sandbox, known)) seen.add(name);
		};
		const poll = async (act = async () => await poller.poll()) => {
			await clock.wait(minute);
			await act().catch((error: unknown) => {
				expect(isDown, String(error)).toBe(true);
			});
			see();
		};
		const setDown = (value: boolean) => {
			isDown = value;
			if (!value) sandbox.clearFaults();
			else sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 100_000 });
		};
		const actions = {
			poll,
			outage: () => {
				setDown(true);
			},
			'end of outage': () => {
				setDown(false);
			},
			'publish again': async () => {
				await poll(async () => await poller.start('update'));
			},
			rename: async () => {
				poller.nodeName += '.';
				await poll(async () => await poller.start('update'));
			},
			'new key': () => {
				poller.credential = { ...poller.credential, apiKey: sandbox.createApiKey() };
			},
			'sleep of the machine': () => {
				clock.ahead += 10 * 60 * minute;
			},
			restart: async () => {
				await poller.stop();
				await poll(async () => await poller.start('init'));
			},
		};
		for (const each of steps) {
			if (each.kind === 'move') move(sandbox, known, each.id);
			else if (each.kind === 'alert') {
				if (known.has(each.id)) sandbox.alert({ exchangeId: each.id });
			} else if (each.kind === 'wait') await clock.wait(each.minutes * minute);
			else if (each.kind === 'overlapping polls') {
				const [path, milliseconds] = ['/api/exchanges', 500];
				sandbox.addFault({ kind: 'delay-after-commit', path, milliseconds });
				const slow = poller.poll().catch(() => undefined);
				await clock.wait(100);
				// The slow poll got its response before the exchange changed.
				see();
				move(sandbox, known, each.id);
				await poll();
				await slow;
			} else if (each.kind === 'rate-limited poll') {
				const { status, times } = each;
				const body = '{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}';
				sandbox.addFault({ kind: 'answer-before-commit', path: '/api', status, body, times });
				await poll();
			} else await actions[each.kind]();
		}
		setDown(false);
		for (let polls = 0; polls < 11; polls++) {
			await clock.wait(3 * 60 * minute);
			await poll();
		}
		return { startedAt, seen };
	} finally {
		clock.ahead = 0;
		await sandbox.close();
	}
}

test('starts one execution per event by default, for any result of it', async () => {
	await fc.assert(
		fc.asyncProperty(history, async (plan) => {
			const { startedAt, seen } = await run(plan);
			expect([...startedAt.keys()].sort()).toEqual([...seen].sort());
			for (const [name, times] of startedAt) expect(times, name).toHaveLength(1);
		}),
		{ numRuns: 20 },
	);
}, 600_000);

const stages = ['pending', 'accepted', 'live', 'broken'];
const stageEvents = ['requested', 'accepted', 'published', 'broken'];
const ids = [
	...['x', '7b', '__proto__', 'constructor', 'exc 1/ü?', ' padded '],
	...[7, 9007199254740991, 'raw:9007199254740992', 'raw:9007199254740993'],
];
const sites = [
	{ id: 'site_a', url: 'https://mine.example/blog' },
	{ id: 17, url: 'https://shop.example' },
	{ id: 'site_c', url: 'https://de.shop.example/x?page=1' },
];
const lateSite = { id: 'site_late', url: 'https://late.example' };

/** Ends that belong to one of the sites. */
const ownEnd = fc.constantFrom<unknown>(
	...['site_a', 17, '17', 'https://mine.example/blog', 'http://www.MINE.example:80/blog/a?b=c'],
	...['shop.example.', 'https://fr.shop.example/tea', 'https://de.shop.example/y'],
	...[{ id: 'site_c' }, { id: 'unknown', url: 'https://shop.example/' }],
);
/** Ends that can only be the site of a partner. */
const partnerEnd = fc.constantFrom<unknown>(
	...['https://partner.example', 'https://mine.example', 'https://mine.example/blogger'],
	...['https://myshop.example', 'https://shop.example.partner.example', 'site_A', 99],
	...[{ id: 'site_p', url: 'https://partner.example/p' }],
);
const unreadableEnd = fc.constantFrom<unknown>(undefined, null, 'com', {}, '');

const anyExchange = fc.oneof(
	fc.record({ from: ownEnd, to: partnerEnd, direction: fc.constant('outgoing' as const) }),
	fc.record({
		from: fc.constantFrom<unknown>('site_late', 'https://late.example/tea'),
		to: partnerEnd,
		direction: fc.constant('outgoing, once the late site is listed' as const),
	}),
	...[
		[partnerEnd, ownEnd],
		[ownEnd, ownEnd],
		[partnerEnd, partnerEnd],
		[ownEnd, unreadableEnd],
		[unreadableEnd, unreadableEnd],
	].map(([from = ownEnd, to = ownEnd]) =>
		fc.record({ from, to, direction: fc.constant('incoming' as const) }),
	),
);
const anyAccount = fc.record({
	exchanges: fc.array(anyExchange, { minLength: 1, maxLength: ids.length }),
	ids: fc.shuffledSubarray(ids, { minLength: ids.length }),
	steps: fc.array(
		fc.oneof(
			{ weight: 8, arbitrary: fc.nat({ max: ids.length - 1 }) },
			{
				weight: 3,
				arbitrary: fc.record({
					index: fc.nat({ max: ids.length - 1 }),
					status: fc.constantFrom('declined', 'Expired', 'under_review', '?'),
				}),
			},
			{ weight: 5, arbitrary: fc.constant('poll' as const) },
			{ weight: 1, arbitrary: fc.constant('restart' as const) },
			{ weight: 1, arbitrary: fc.constant('add the late site' as const) },
		),
		{ maxLength: 40, size: 'max' },
	),
});

test('emits no outgoing offer as new, and loses or repeats nothing else', async () => {
	await fc.assert(
		fc.asyncProperty(anyAccount, async (plan) => {
			const states = plan.exchanges.map(({ from, to, direction }, index) => ({
				id: plan.ids[index] ?? '',
				from_site: from,
				to_site: to,
				direction,
				stage: -1,
				closedAs: undefined as string | undefined,
				/** By stage, the number of events that polls must have emitted. */
				expected: [0, 0, 0, 0],
				/** The highest stage that a poll has shown; `undefined` before the first such poll. */
				shownStage: undefined as number | undefined,
				/**
				 * Whether n8n restarted after polls had seen the exchange only as closed. Without a further
				 * execution, n8n didn't save that the trigger knows the exchange.
				 */
				mayBeForgotten: false,
				/** Whether the exchange was accepted by then, so that the offer may be reported as well. */
				mayReportOffer: false,
			}));
			const { account, poller } = await setUpWithAccount({ sites, exchanges: [] });
			const list = () => {
				const listed = states.filter(({ stage, closedAs }) => stage >= 0 || closedAs !== undefined);
				account.exchanges = listed.map(({ id, from_site, to_site, stage, closedAs }) => {
					const status = closedAs ?? stages[stage];
					return { id, from_site, to_site, status } as IDataObject;
				});
				return listed;
			};
			const poll = async (act: () => Promise<unknown>) => {
				const isLateSiteListed = account.sites.includes(lateSite);
				for (const state of list()) {
					const { closedAs, stage, direction, expected } = state;
					const wasListed = state.shownStage !== undefined;
					const shownStage = state.shownStage ?? -1;
					state.shownStage = closedAs === undefined ? Math.max(stage, shownStage) : shownStage;
					if (closedAs !== undefined) continue;
					const isOutgoing =
						direction === 'outgoing' || (direction !== 'incoming' && isLateSiteListed);
					for (let each = shownStage + 1; each <= stage; each++) {
						const isOffer = !isOutgoing && (!wasListed || stage === 0);
						expected[each] = each > 0 || isOffer ? 1 : 0;
					}
					state.mayReportOffer ||=
						state.mayBeForgotten && !isOutgoing && shownStage < 0 && stage > 0;
				}
				// Every poll may look up an exchange of unknown sites.
				await clock.wait(11 * minute);
				await act();
			};
			await poller.start();
			for (const step of plan.steps) {
				if (step === 'add the late site') account.sites = [...sites, lateSite];
				else if (step === 'poll') await poll(async () => await poller.poll());
				else if (step === 'restart') {
					await poller.stop();
					for (const state of states) state.mayBeForgotten ||= state.shownStage === -1;
					await poll(async () => await poller.start('init'));
				} else if (typeof step === 'number') {
					const state = states[step];
					if (state === undefined) continue;
					if (state.closedAs === undefined || state.stage < 0) {
						state.stage = Math.min(state.stage + 1, stages.length - 1);
					}
					state.closedAs = undefined;
				} else {
					const state = states[step.index];
					if (state !== undefined) state.closedAs = step.status;
				}
			}
			await poll(async () => await poller.poll());
			const found = poller.executions.flat().map(({ eventKey }) => eventKey as string);
			const toKey = (event: string, id: unknown) =>
				`exchange.${event}:${String(id).replace('raw:', '')}`;
			const expectedKeys = states.flatMap(({ id, expected, mayReportOffer }) =>
				stageEvents
					.filter((event, stage) =>
						stage === 0 && mayReportOffer
							? found.includes(toKey(event, id))
							: expected[stage] === 1,
					)
					.map((event) => toKey(event, id)),
			);
			expect(found.sort()).toEqual(expectedKeys.sort());
			expect(poller.errors).toEqual([]);
		}),
		{ numRuns: 100 },
	);
}, 600_000);
