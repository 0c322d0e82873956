/** The workflows that run by a schedule or by a failure: weekly report and notify failures. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { bodyOf } from './mailbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;

beforeAll(async () => {
	world = await startWorld({ credits: 100, limits: { perMinute: 100_000 } });
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.reset();
});

it('weekly report: one sentence in Slack and by email, as often as it is executed', async () => {
	const workflow = await world.editor.importWorkflow(
		'weekly-report',
		{},
		{
			activate: ['Send by email'],
		},
	);
	for (let run = 1; run <= 2; run++) {
		expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'success' });
		expect(world.slack.messages).toHaveLength(run);
	}
	const expected = /^In the last 7 days: .*100 left; 0 offers accepted, 0 links published\./;
	expect(world.slack.messages[0]?.text).toMatch(expected);
	expect(bodyOf(world.mailbox.mails[0])).toMatch(expected);
});

it('weekly report: fails and sends nothing when the service or Slack is down', async () => {
	const workflow = await world.editor.importWorkflow('weekly-report');
	for (const path of ['/api/credits', '/api/exchanges', '/api/watchdog']) {
		world.sandbox.addFault({ kind: 'error-before-commit', path, times: 1000 });
		expect(await workflow.execute('Every Monday'), path).toMatchObject({ status: 'error' });
		world.sandbox.clearFaults();
	}
	world.slack.state = 'refusing';
	expect(await workflow.execute('Every Monday')).toMatchObject({ status: 'error' });
	expect(world.slack.messages).toEqual([]);
});

it('notify failures: says which workflow failed, and why', async () => {
	const notify = await world.editor.importWorkflow('notify-failures');
	await notify.publish();
	const failing = await world.editor.create({
		name: 'My workflow',
		nodes: [
			{
				id: crypto.randomUUID(),
				name: 'Every second',
				type: 'n8n-nodes-base.scheduleTrigger',
				typeVersion: 1.2,
				position: [0, 0],
				parameters: { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } },
			},
			{
				id: crypto.randomUUID(),
				name: 'Get exchange',
				type: 'n8n-nodes-backlink-exchange.backlinkExchange',
				typeVersion: 1,
				position: [200, 0],
				parameters: {
					resource: 'exchange',
					operation: 'get',
					exchangeId: { __rl: true, mode: 'id', value: 'exc_none' },
				},
				credentials: { backlinkExchangeApi: world.editor.credential('backlinkExchangeApi') },
			},
		],
		connections: { 'Every second': { main: [[{ node: 'Get exchange', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1', errorWorkflow: notify.id },
	});
	await failing.publish();
	await expect.poll(() => world.slack.messages.length, { timeout: 60_000 }).toBeGreaterThan(0);
	await failing.unpublish();
	const { text = '' } = world.slack.messages[0] ?? {};
	expect(text).toMatch(/^The workflow "My workflow" failed: .*exc_none/);
	expect(text).toContain(`${world.n8n.origin}/workflow/${failing.id}/executions/`);
});
