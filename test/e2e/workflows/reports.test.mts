/** The workflows that run by a schedule or by a failure: weekly report and notify failures. */
import { expect, it } from 'vitest';

import { readWorkflow } from '../../../playground/n8n/workflowFiles.mts';
import { chain, node, serviceNode } from '../nodes.mts';
import { bodyOf } from './mailbox.mts';
import { useWorld } from './world.mts';

const world = useWorld();

const minute = 60_000;

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
		// Nothing that was read a moment ago is left to report.
		await world.clock.pass(minute);
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
	const everySecond = { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } };
	const unknown = { __rl: true, mode: 'id', value: 'exc_none' };
	const workflow = chain('My workflow', [
		node('Every second', 'scheduleTrigger', 1.2, everySecond),
		serviceNode({ resource: 'exchange', operation: 'get', exchangeId: unknown }),
	]);
	const failing = await world.editor.create({
		...workflow,
		settings: { ...workflow.settings, errorWorkflow: notify.id },
	});
	await failing.publish();
	await expect.poll(() => world.slack.messages.length, { timeout: 60_000 }).toBeGreaterThan(0);
	await failing.unpublish();
	const { text = '' } = world.slack.messages[0] ?? {};
	expect(text).toMatch(
		/^The workflow "My workflow" failed: .*exc_none\. It is in none of its lists/,
	);
	expect(text).toContain(`${world.n8n.origin}/workflow/${failing.id}/executions/`);
});

it('notify failures: whatever the service says, nothing acts in Slack or in an email', async () => {
	const notify = await world.editor.importWorkflow(
		'notify-failures',
		{},
		{ activate: ['Send by email'] },
	);
	await notify.publish();
	const hostile =
		'<!channel> *urgent* <https://evil.example|your bank> =HYPERLINK("x")\n@here &lt;';
	const everySecond = { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } };
	world.sandbox.addFault({
		kind: 'answer-before-commit',
		status: 400,
		body: JSON.stringify({ error: { code: 'x', message: hostile } }),
		times: 1000,
	});
	const workflow = chain('My workflow', [
		node('Every second', 'scheduleTrigger', 1.2, everySecond),
		serviceNode({ resource: 'site', operation: 'getAll' }),
	]);
	const failing = await world.editor.create({
		...workflow,
		settings: { ...workflow.settings, errorWorkflow: notify.id },
	});
	await failing.publish();
	await expect.poll(() => world.mailbox.mails.length, { timeout: 60_000 }).toBeGreaterThan(0);
	await failing.unpublish();
	for (const text of [world.slack.messages[0]?.text, bodyOf(world.mailbox.mails[0])]) {
		expect(text).toMatch(/^The workflow "My workflow" failed: .*says: "!channel urgent evil\[\.\]/);
		expect(text?.trim()).not.toMatch(/[<>&*@=\n]|evil\.example/);
	}
});

it('notify failures: says why a trigger failed, for which n8n names no execution', async () => {
	const notify = await world.editor.importWorkflow('notify-failures');
	await notify.publish();
	const { nodes, ...alert } = readWorkflow('watchdog-alert');
	const failing = await world.editor.create({
		...alert,
		nodes: nodes.filter(({ type }) => type.endsWith('.backlinkExchangeTrigger')),
		connections: {},
		settings: { ...alert.settings, errorWorkflow: notify.id },
	});
	await world.asked(1, () => failing.publish());
	world.sandbox.addFault({ kind: 'error-before-commit', status: 401, times: 1000 });
	await expect.poll(() => world.slack.messages.length, { timeout: 90_000 }).toBeGreaterThan(0);
	await failing.unpublish();
	expect(world.slack.messages[0]?.text).toMatch(
		/^The workflow "Watchdog alert" failed: The service does not accept the API key\. .*Copy the key/,
	);
});
