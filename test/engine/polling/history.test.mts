/**
 * For any history of the service, and any pattern of polls (which may overlap), publications, failures, restarts and kills:
 * each visible transition is handed out until an execution has succeeded, and not after that. A restart waits for the
 * executions that run; an execution may end long before it, right before it, meanwhile, or while n8n saves another end.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { useVirtualTime } from '../virtualTime.mts';
import { Poller } from './poller.mts';
import type { Ending } from './startedExecutions.mts';

const clock = useVirtualTime();

type Fields<Value> = { [Name in keyof Value]: fc.Arbitrary<Value[Name]> };

/** A kind of step, and how often it is drawn. */
function often<Kind extends string, Value extends object>(
	weight: number,
	kind: Kind,
	fields = {} as Fields<Value>,
) {
	const step = fc.record({ kind: fc.constant(kind), ...fields });
	return { weight, arbitrary: step as fc.Arbitrary<{ kind: Kind } & Value> };
}

const id = fc.nat({ max: 3 }).map((number) => `x${number}`);
const step = fc.oneof(
	often(8, 'move', { id }),
	often(1, 'alert', { id }),
	often(4, 'poll'),
	often(2, 'wait', { seconds: fc.constantFrom(1, 5, 20, 60, 300) }),
	often(2, 'publish again'),
	often(3, 'restart'),
	// While n8n polls, after it has started so many executions.
	often(1, 'kill', { executions: fc.nat({ max: 3 }) }),
	often(1, 'rename'),
	// Two polls at once: what the second of them is, and which of them ends first.
	often(1, 'overlap', { id, isPublication: fc.boolean(), comesFirst: fc.boolean() }),
	often(1, 'failure', {
		path: fc.constantFrom('/api/exchanges', '/api/watchdog'),
		restarts: fc.constantFrom('init' as const, 'update' as const, undefined),
	}),
);

/** How the executions of an event end, one after the other; the last of these for all that follow. */
const endings = fc.array(
	fc.constantFrom<Ending>(
		...(['success', 'success', 'waiting', 'error', 'crashed', 'silent', 'not started'] as const),
	),
	{ minLength: 1, maxLength: 3 },
);

const anyPlan = {
	steps: fc.array(step, { maxLength: 30, size: 'max' }),
	/** Steps before the workflow is published. */
	before: fc.nat({ max: 12 }),
	/** What polls: n8n's timers, its scheduler, or that with durable cursors. */
	kind: fc.constantFrom('timers', 'scheduler', 'durable cursors'),
	/** By the number of the event, in the order in which they first come. */
	endings: fc.array(endings, { minLength: 1, maxLength: 4 }),
	/** The same: milliseconds that its executions take. */
	takes: fc.array(fc.constantFrom(0, 0, 500, 3000, 20_000, 20_000, 90_000), {
		minLength: 1,
		maxLength: 4,
	}),
	/** Milliseconds that n8n takes to save. */
	saveTakes: fc.constantFrom(0, 100, 1000),
	/** How many executions n8n runs at once. */
	limit: fc.constantFrom(1, 3, Infinity),
};

type Plan = {
	[Name in keyof typeof anyPlan]: (typeof anyPlan)[Name] extends fc.Arbitrary<infer Value>
		? Value
		: never;
} & { redeliver: boolean };

/** The next thing that can happen to an exchange: pending → accepted → live → broken → live → … */
function move(sandbox: Sandbox, known: Set<string>, id: string): void {
	if (!known.has(id)) {
		known.add(id);
		sandbox.requestOffer({ id });
		return;
	}
	const { status } = sandbox.books.exchange(id);
	if (status === 'pending') sandbox.accept(id);
	else if (status === 'live') sandbox.breakLink(id);
	else sandbox.publish(id);
}

/** What can be seen now, read from the sandbox's own books. */
function visible(sandbox: Sandbox, known: Set<string>): string[] {
	const seconds = (time = 0) => Math.floor(time / 1000);
	const transitions = [...known].flatMap((id) => {
		const { status, acceptedAt, publishedAt } = sandbox.books.exchange(id);
		return [
			`exchange.requested:${id}`,
			...(acceptedAt === undefined ? [] : [`exchange.accepted:${id}:${seconds(acceptedAt)}`]),
			...(publishedAt === undefined ? [] : [`exchange.published:${id}:${seconds(publishedAt)}`]),
			...(status === 'broken' ? [`exchange.broken:${id}:${seconds(publishedAt)}`] : []),
		];
	});
	return [...transitions, ...sandbox.books.watchdogEvents().map((alert) => alert.id)];
}

/** Alerts by their id: two that read the same have the same key. */
function nameOf({ event, eventKey, data }: IDataObject): string {
	return event === 'watchdog.alert' ? (data as { id: string }).id : (eventKey as string);
}

interface Run {
	/** What could be seen at the polls, but not at the first. */
	visible: Set<string>;
	/** By event: the executions that were started, and those that have succeeded. */
	started: Map<string, number>;
	succeeded: Map<string, number>;
}

async function runPlan(plan: Plan): Promise<Run> {
	let now = Date.parse('2026-07-01T12:00:00Z');
	const sandbox = await startSandbox({ credits: 10_000, clock: () => (now += 3000) });
	try {
		const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		const { redeliver, kind } = plan;
		const poller = new Poller(
			credential,
			{ options: { redeliver } },
			{ isScheduled: kind === 'scheduler', hasDurableCursors: kind === 'durable cursors' },
		);
		const run: Run = { visible: new Set(), started: new Map(), succeeded: new Map() };
		const count = (counts: Map<string, number>, name: string) =>
			counts.set(name, (counts.get(name) ?? 0) + 1);
		let isHealed = false;
		poller.ending = (items) => {
			const [item] = items;
			if (item === undefined) return 'success';
			for (const each of items) count(run.started, nameOf(each));
			const name = nameOf(item);
			const number = [...run.started.keys()].indexOf(name);
			const mine = plan.endings[number % plan.endings.length] ?? [];
			const drawn = mine[Math.min((item.attempt as number) - 1, mine.length - 1)] ?? 'success';
			return isHealed ? 'success' : drawn;
		};
		poller.onEnd = (items, ending) => {
			const hasEnded = ending === 'success' || ending === 'waiting' || !redeliver;
			const isDone = hasEnded && !poller.inVain.includes(items);
			if (isDone) for (const each of items) count(run.succeeded, nameOf(each));
		};
		poller.takes = ([item]) => {
			const number = item === undefined ? 0 : [...run.started.keys()].indexOf(nameOf(item));
			return plan.takes[number % plan.takes.length] ?? 0;
		};
		poller.saveTakes = plan.saveTakes;
		poller.limit = plan.limit;
		const known = new Set<string>();
		for (const each of plan.steps.slice(0, plan.before)) {
			if (each.kind === 'move') move(sandbox, known, each.id);
		}
		await poller.start();
		expect(run.started.size).toBe(0);
		const baseline = new Set(visible(sandbox, known));
		const note = () => {
			for (const name of visible(sandbox, known)) if (!baseline.has(name)) run.visible.add(name);
		};
		for (const each of plan.steps.slice(plan.before)) {
			switch (each.kind) {
				case 'move':
					move(sandbox, known, each.id);
					break;
				case 'alert':
					sandbox.alert({ exchangeId: each.id });
					break;
				case 'poll':
					await poller.poll();
					note();
					break;
				case 'overlap': {
					const delays = each.comesFirst ? [500] : [500, 1000];
					for (const milliseconds of delays) {
						sandbox.addFault({ kind: 'delay-after-commit', path: '/api/exchanges', milliseconds });
					}
					move(sandbox, known, each.id);
					const first = poller.poll();
					while (sandbox.faults().length === delays.length) await clock.wait(100);
					if (!each.comesFirst) note();
					move(sandbox, known, each.id);
					await (each.isPublication ? poller.start('update') : poller.poll());
					await first;
					// What the second one has found may have been overtaken, too: the next poll finds it again.
					await poller.poll();
					note();
					break;
				}
				case 'wait':
					await clock.wait(each.seconds * 1000);
					break;
				case 'publish again':
					await poller.start('update');
					note();
					break;
				case 'restart':
					await poller.stop();
					await poller.start('init');
					note();
					break;
				case 'rename':
					poller.nodeName = `${poller.nodeName}'`;
					await poller.start('update');
					note();
					break;
				case 'kill': {
					let left = each.executions;
					poller.onExecution = () => {
						if (left-- <= 0) throw new Error('killed');
					};
					await poller.poll().catch((error: unknown) => {
						expect(error).toHaveProperty('message', 'killed');
					});
					poller.onExecution = undefined;
					poller.kill();
					await poller.start('init');
					note();
					break;
				}
				case 'failure': {
					sandbox.addFault({ kind: 'not-json', path: each.path });
					const attempt = each.restarts ? poller.start(each.restarts) : poller.poll();
					const message = await attempt.then(() => undefined, String);
					// Polls say so, once an hour; a start of n8n or of a trigger that has polled never does.
					if (message !== undefined) {
						expect(message).toContain('understood');
						expect(each.restarts).toBeUndefined();
					}
					sandbox.clearFaults();
					break;
				}
			}
		}
		isHealed = true;
		for (let polls = 0; polls < 12; polls++) {
			await poller.poll();
			note();
			await clock.wait(7 * 3_600_000);
		}
		expect(poller.errors.filter(({ message }) => !message.includes('Gave up'))).toEqual([]);
		return run;
	} finally {
		await sandbox.close();
	}
}

function withoutKills(plan: Plan): Plan {
	return { ...plan, steps: plan.steps.filter(({ kind }) => kind !== 'kill') };
}

it('with redelivery, everything that was visible at a poll succeeds; without a kill, once', async () => {
	const hasKills = fc.constantFrom(false, false, false, true);
	const plans = fc.record({ ...anyPlan, redeliver: fc.constant(true), hasKills });
	await fc.assert(
		fc.asyncProperty(plans, async ({ hasKills, ...plan }) => {
			const run = await runPlan(hasKills ? plan : withoutKills(plan));
			const visible = [...run.visible].sort();
			expect([...run.succeeded.keys()].sort()).toEqual(visible);
			expect([...run.started.keys()].sort()).toEqual(visible);
			if (hasKills) return;
			for (const [name, times] of run.succeeded) expect(times, name).toBe(1);
		}),
		{ numRuns: 150 },
	);
}, 300_000);

it('without redelivery, each of it comes exactly once, however its execution ends', async () => {
	const plans = fc.record({ ...anyPlan, redeliver: fc.constant(false) });
	await fc.assert(
		fc.asyncProperty(plans, async (plan) => {
			const { visible, started } = await runPlan(withoutKills(plan));
			expect(Object.fromEntries(started)).toEqual(
				Object.fromEntries([...visible].map((name) => [name, 1])),
			);
		}),
		{ numRuns: 60 },
	);
}, 300_000);
