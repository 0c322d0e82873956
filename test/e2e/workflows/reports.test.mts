/** The workflows that run by a schedule or by a failure: weekly report and notify failures; of a trigger that fails: outage.test.mts. */
import { expect, it } from 'vitest';

import { chain, node, serviceNode } from '../nodes.mts';
import { bodyOf } from './mailbox.mts';
import { useWorld } from './world.mts';

const world = useWorld();

const minute = 60_000;

it('weekly report: one sentence in Slack and by email, as often as it is executed', async () => {
	const withEmail = { activate: ['Send by email'] };
	const workflow = await world.editor.importWorkflow('weekly-report', {}, withEmail);
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

it('notify failures: says which workflow failed, where and why; whatever the service says, nothing acts in Slack or in an email', async () => {
	const withEmail = { activate: ['Send by email'] };
	const notify = await world.editor.importWorkflow('notify-failures', {}, withEmail);
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
	const nodes = [
		node('Every second', 'scheduleTrigger', 1.2, everySecond),
		serviceNode({ resource: 'site', operation: 'getAll' }),
	];
	const settings = { errorWorkflow: notify.id };
	const failing = await world.editor.create(chain('My workflow', nodes, settings));
	await failing.publish();
	await expect.poll(() => world.mailbox.mails.length, { timeout: 60_000 }).toBeGreaterThan(0);
	await failing.unpublish();
	for (const text of [world.slack.messages[0]?.text, bodyOf(world.mailbox.mails[0])]) {
		expect(text).toMatch(/^The workflow "My workflow" failed: .*says: "!channel urgent evil\[\.\]/);
		expect(text).toContain(`${world.n8n.origin}/workflow/${failing.id}/executions/`);
		expect(text?.trim()).not.toMatch(/[<>&*@=\n]|evil\.example/);
	}
});
