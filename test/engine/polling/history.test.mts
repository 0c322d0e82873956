/** For any history of the service, and any pattern of polls, failures and restarts: each visible transition comes once. */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { Poller } from './poller.mts';

const exchange = fc.nat({ max: 3 }).map((number) => `x${number}`);
const step = fc.oneof(
	{ weight: 8, arbitrary: fc.record({ kind: fc.constant('move' as const), id: exchange }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('alert' as const), id: exchange }) },
	{ weight: 4, arbitrary: fc.record({ kind: fc.constant('poll' as const) }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('failure' as const),
			path: fc.constantFrom('/api/exchanges', '/api/watchdog'),
			restarts: fc.boolean(),
		}),
	},
);

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

it('emits exactly what was visible at the polls, and nothing twice', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.array(step, { maxLength: 40 }),
			fc.nat({ max: 12 }),
			fc.boolean(),
			async (steps, before, redeliver) => {
				let now = Date.parse('2026-07-01T12:00:00Z');
				const sandbox = await startSandbox({ credits: 10_000, clock: () => (now += 2000) });
				try {
					const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
					const poller = new Poller(credential, { options: { redeliver } });
					const known = new Set<string>();
					for (const { id } of steps.slice(0, before).filter((each) => each.kind === 'move')) {
						move(sandbox, known, id);
					}
					expect(await poller.start()).toEqual([]);
					const baseline = new Set(visible(sandbox, known));
					const seen = new Set<string>();
					const given: string[] = [];
					const note = (items: IDataObject[]) => {
						given.push(...items.map(nameOf));
						for (const name of visible(sandbox, known)) if (!baseline.has(name)) seen.add(name);
					};
					for (const each of [...steps.slice(before), { kind: 'poll' as const }]) {
						if (each.kind === 'move') move(sandbox, known, each.id);
						else if (each.kind === 'alert') sandbox.alert({ exchangeId: each.id });
						else if (each.kind === 'poll') note(await poller.poll());
						else if (each.kind === 'restart') note(await poller.start());
						else {
							sandbox.addFault({ kind: 'not-json', path: each.path });
							const attempt = each.restarts ? poller.start() : poller.poll();
							await expect(attempt).rejects.toThrow('could not be understood');
						}
					}
					expect([...given].sort()).toEqual([...seen].sort());
				} finally {
					await sandbox.close();
				}
			},
		),
		{ numRuns: 60 },
	);
}, 120_000);
