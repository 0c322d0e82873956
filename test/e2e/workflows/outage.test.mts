/** An outage of as many polls as two hours have: how often somebody hears of it, and what comes afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { chain, node } from '../nodes.mts';
import { output } from './editor.mts';
import { useWorld } from './world.mts';

const world = useWorld();

const polls = 120;

it('sends one message when it begins and one for each hour, and loses nothing', async () => {
	const notify = await world.editor.importWorkflow('notify-failures');
	await notify.publish();
	// n8n takes no poll time that comes more than once a minute, but several of them: one poll a second.
	const pollTimes = Array.from({ length: 60 }, (_, second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	}));
	const poll = node('Poll', 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger', 1, {
		pollTimes: { item: pollTimes },
		events: ['exchange.requested'],
	});
	const settings = { errorWorkflow: notify.id };
	const polling = await world.editor.create(
		chain('My workflow', [poll, node('Done', 'noOp', 1)], settings),
	);
	// n8n answers before its first poll; one that fails would refuse the publication.
	await world.asked(1, () => polling.publish());
	const failedExecutions = () =>
		world.n8n.query(
			`SELECT "id" FROM "execution_entity" WHERE "workflowId" = '${polling.id}' AND "status" = 'error'`,
		).length;

	// At first each poll takes longer than until the next one, which is no trouble.
	world.sandbox.addFault({
		kind: 'delay-before-commit',
		path: '/api',
		milliseconds: 1700,
		times: 20,
	});
	world.sandbox.addFault({
		kind: 'answer-after-commit',
		status: 200,
		body: '<html>',
		path: '/api',
		times: 1_000_000,
	});
	const before = world.sandbox.books.requests().length;
	await expect
		.poll(() => world.sandbox.books.requests().length, { timeout: 300_000, interval: 1000 })
		.toBeGreaterThanOrEqual(before + polls);
	world.sandbox.requestOffer({ id: 'x' });
	expect(world.slack.messages.map(({ text }) => text)).toEqual([
		expect.stringMatching(
			/^The workflow "My workflow" failed: The answer of the service could not be understood\b/,
		),
	]);
	await world.clock.pass(61 * 60_000);
	await expect.poll(() => world.slack.messages.length, { timeout: 60_000 }).toBe(2);
	expect(world.slack.messages[1]?.text).toContain('No poll has succeeded since 2');
	await sleep(20_000);
	expect(world.slack.messages).toHaveLength(2);
	expect(failedExecutions()).toBe(2);

	world.sandbox.clearFaults();
	const emitted = () => polling.executions().flatMap((execution) => output(execution, 'Poll'));
	await expect.poll(() => emitted().length, { timeout: 60_000 }).toBeGreaterThan(0);
	await expect.poll(() => world.n8n.log, { timeout: 60_000 }).toContain('polls succeed again');
	expect(emitted()).toMatchObject([{ eventKey: 'exchange.requested:x' }]);
	await polling.unpublish();
}, 600_000);

it('a trigger that is published for the first time while the service is away polls once it is back', async () => {
	world.sandbox.addFault({ kind: 'error-before-commit', path: '/api', times: 1_000_000 });
	const poll = node('Poll', 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger', 1, {
		events: ['exchange.requested'],
	});
	const polling = await world.editor.create(
		chain('Published too early', [poll, node('Done', 'noOp', 1)]),
	);
	const begun = world.n8n.log.length;
	await polling.publish();
	const log = () => world.n8n.log.slice(begun);
	await expect.poll(log, { timeout: 60_000 }).toContain('no poll has succeeded since');
	world.sandbox.clearFaults();
	await expect.poll(log, { timeout: 150_000 }).toContain('polls succeed again');
	await polling.unpublish();
}, 300_000);
