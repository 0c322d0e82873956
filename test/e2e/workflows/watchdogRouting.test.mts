import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

const morning = 'Every morning';
let world: World;
let workflow: Imported;
let exchangeId: string;

beforeAll(async () => {
	world = await startWorld({ delivery: { backoffMilliseconds: [] } });
	exchangeId = world.sandbox.requestOffer().id;
	workflow = await world.editor.importWorkflow('watchdog-routing', {
		emailTo: 'team@company.example',
	});
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.setWebhook({ url, secret: webhookSecret });
});

afterAll(async () => {
	await world.close();
});

beforeEach(() => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.mailbox.refusing = false;
	world.mailbox.mails.length = 0;
});

/** Raises an alert and waits until the workflow has dealt with it. */
async function alert(severity: string, detail: string) {
	const before = workflow.executions().length;
	world.sandbox.alert({ exchangeId, severity, type: 'link_changed', detail });
	return await workflow.finished(before);
}

it('sends no email when nothing was collected', async () => {
	expect((await workflow.execute(morning)).status).toBe('success');
	expect(world.mailbox.mails).toHaveLength(0);
});

it('tells Slack of a critical alert at once, and nobody else', async () => {
	const execution = await alert('Critical', 'gone <!here> & away');
	expect(execution.status).toBe('success');
	expect(world.slack.messages.map(({ channel, text }) => [channel, text])).toEqual([
		[
			'#link-alerts',
			`:rotating_light: Critical: link_changed on exchange ${exchangeId}. gone &lt;!here&gt; &amp; away`,
		],
	]);
	await workflow.execute(morning);
	expect(world.mailbox.mails).toHaveLength(0);
});

it('collects all others, of whatever severity, into one email, and sends each once', async () => {
	for (const severity of ['warning', 'info', 'purple', ' ']) {
		expect((await alert(severity, `<b>about "${severity}"</b>`)).status).toBe('success');
	}
	expect(world.slack.messages).toHaveLength(0);
	expect((await workflow.execute(morning)).status).toBe('success');
	await workflow.execute(morning);
	expect(world.mailbox.mails).toHaveLength(1);
	const [mail] = world.mailbox.mails;
	expect(mail).toContain('To: team@company.example');
	expect(mail).toContain('Subject: Watchdog: 4 alerts');
	for (const severity of ['warning', 'info', 'purple', ' ']) {
		expect(bodyOf(mail)).toContain(
			`<td>${severity}</td><td>link_changed</td><td>${exchangeId}</td><td>&lt;b&gt;about "${severity}"&lt;/b&gt;</td>`,
		);
	}
});

it('keeps what the mail server refuses for the next digest', async () => {
	await alert('warning', 'the mailbox is full');
	world.mailbox.refusing = true;
	expect(await workflow.execute(morning)).toMatchObject({
		status: 'error',
		lastNode: 'Send digest',
	});
	expect(world.mailbox.mails).toHaveLength(0);
	world.mailbox.refusing = false;
	expect((await workflow.execute(morning)).status).toBe('success');
	expect(world.mailbox.mails.map(bodyOf)).toEqual([expect.stringContaining('mailbox is full')]);
});

it('puts a critical alert into the digest when Slack is down, and shows the execution as failed', async () => {
	for (const state of ['down', 'refusing'] as const) {
		world.slack.state = state;
		const execution = await alert('critical', `Slack is ${state}`);
		expect(execution).toMatchObject({ status: 'error', lastNode: 'Show the failure' });
	}
	expect((await workflow.execute(morning)).status).toBe('success');
	expect(world.mailbox.mails).toHaveLength(1);
	for (const state of ['down', 'refusing']) {
		expect(bodyOf(world.mailbox.mails[0])).toContain(`Slack is ${state}`);
	}
});
