/** An outage of as many polls as two hours have: how often somebody hears of it, and what comes afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { chain, node } from '../nodes.mts';
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
	const workflow = chain('My workflow', [
		node('Poll', 'n8n-nodes-backlink-exchange.backlinkExchangePollingTrigger', 1, {
			pollTimes: { item: pollTimes },
			events: ['exchange.requested'],
		}),
		node('Done', 'noOp', 1, {}),
	]);
	const polling = await world.editor.create({
		...workflow,
		settings: { ...workflow.settings, errorWorkflow: notify.id },
	});
	await polling.publish();
	const statuses = (status: string) =>
		polling.executions().filter((each) => each.status === status).length;

	world.sandbox.addFault({ kind: 'not-json', path: '/api', times: 1_000_000 });
	await sleep(polls * 1000);
	world.sandbox.requestOffer({ id: 'x' });
	expect(world.slack.messages.map(({ text }) => text)).toEqual([
		expect.stringMatching(/^The workflow "My workflow" failed: The answer of the service/),
	]);
	await world.clock.pass(61 * 60_000);
	await expect.poll(() => world.slack.messages.length, { timeout: 60_000 }).toBe(2);
	expect(world.slack.messages[1]?.text).toContain('No poll has succeeded since 2');
	await sleep(20_000);
	expect(world.slack.messages).toHaveLength(2);
	expect(statuses('error')).toBe(2);

	world.sandbox.clearFaults();
	await expect.poll(() => statuses('success'), { timeout: 60_000 }).toBeGreaterThan(0);
	await expect.poll(() => world.n8n.log, { timeout: 60_000 }).toContain('polls succeed again');
	await polling.unpublish();
}, 600_000);
