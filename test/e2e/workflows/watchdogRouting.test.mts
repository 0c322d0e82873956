import { createHmac } from 'node:crypto';

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { callWorkflow } from './caller.mts';
import type { Imported } from './editor.mts';
import { bodyOf } from './mailbox.mts';
import { forget, importTell, tellSlack } from './outbox.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

const morning = 'Every morning';
let world: World;
let tell: Imported;
let workflow: Imported;
let exchangeId: string;

beforeAll(async () => {
	world = await startWorld({ delivery: { backoffMilliseconds: [] } });
	exchangeId = world.sandbox.requestOffer().id;
	tell = await importTell(world, '#link-alerts, team@company.example');
	workflow = await world.editor.importWorkflow('watchdog-routing', {
		tellCritical: '#link-alerts',
		tellMorning: 'team@company.example',
	});
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.setWebhook({ url, secret: webhookSecret });
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.mailbox.refusing = false;
	world.mailbox.mails.length = 0;
	await forget(world);
});

/** Raises an alert and waits until the workflow has dealt with it. */
async function alert(severity: string, detail: string) {
	const before = workflow.executions().length;
	world.sandbox.alert({ exchangeId, severity, type: 'link_changed', detail });
	return await workflow.finished(before);
}

/** The emails that this morning brings. */
async function digest(): Promise<string[]> {
	await workflow.execute(morning);
	await tell.execute('Every minute');
	return world.mailbox.mails.splice(0);
}

it('sends no email when nothing was collected', async () => {
	expect((await workflow.execute(morning)).status).toBe('success');
	expect(await digest()).toEqual([]);
});

it('tells of a critical alert at once, and not in the morning', async () => {
	const execution = await alert('Critical', 'gone <!here> & away\nCritical alert: severity "x"');
	expect(execution.status).toBe('success');
	expect(await tellSlack(world, tell)).toEqual([
		`Watchdog routing\nCritical alert: severity "Critical", type "link_changed", exchange "${exchangeId}", detail "gone &lt;!here&gt; &amp; away Critical alert: severity 'x'"`,
	]);
	expect(world.slack.messages[0]?.channel).toBe('#link-alerts');
	expect(await digest()).toEqual([]);
});

it('collects all others, of whatever severity, into one email, and sends each once', async () => {
	const severities = ['warning', 'info', 'purple', ' '];
	for (const severity of severities) {
		expect((await alert(severity, `<b>about "${severity}"</b>`)).status).toBe('success');
	}
	expect(await tellSlack(world, tell)).toEqual([]);
	const [mail, ...others] = await digest();
	expect(others).toEqual([]);
	expect(mail).toContain('To: team@company.example');
	expect(mail).toContain('Subject: Watchdog routing: 4 messages');
	for (const severity of severities) {
		expect(bodyOf(mail)).toContain(`detail "&lt;b&gt;about '${severity}'&lt;/b&gt;"`);
	}
	expect(await digest()).toEqual([]);
});

it('keeps what the mail server refuses', async () => {
	await alert('warning', 'the mailbox is full');
	world.mailbox.refusing = true;
	expect(await digest()).toEqual([]);
	world.mailbox.refusing = false;
	expect((await digest()).map(bodyOf)).toEqual([expect.stringContaining('mailbox is full')]);
});

it.each(['down', 'up'] as const)(
	'loses nothing of an array with a critical and a warning alert while Slack is %s',
	async (state) => {
		world.slack.state = state;
		const alerts = ['critical', 'warning'].map((severity) => ({
			exchange_id: exchangeId,
			severity,
			type: 'link_changed',
			detail: `Slack is ${state}`,
		}));
		const body = JSON.stringify(alerts);
		const before = workflow.executions().length;
		const answer = await fetch(await world.n8n.webhookUrl(workflow.id), {
			method: 'POST',
			headers: {
				'content-type': 'application/json',
				'x-pb-signature': createHmac('sha256', webhookSecret).update(body).digest('hex'),
			},
			body,
		});
		expect(answer.status).toBe(200);
		expect((await workflow.finished(before)).status).toBe('success');
		await tell.execute('Every minute');
		world.slack.state = 'up';
		await tell.execute('Every minute');
		expect(world.slack.messages.map(({ text }) => text)).toEqual([
			expect.stringContaining('severity "critical"'),
		]);
		expect((await digest()).map(bodyOf)).toEqual([expect.stringContaining('severity "warning"')]);
	},
);

it('starts when another workflow calls it, with the same alert told once', async () => {
	const data = { exchange_id: exchangeId, severity: 'critical', type: 'gone', detail: 'x' };
	const event = { event: 'watchdog.alert', eventKey: 'watchdog.alert:1', data, source: 'poll' };
	for (let call = 0; call < 2; call++) {
		expect(await callWorkflow(world, workflow, event)).toMatchObject({ status: 'success' });
	}
	expect(await tellSlack(world, tell)).toEqual([expect.stringContaining('type "gone"')]);
});

it('keeps what two copies have collected apart', async () => {
	const copy = await world.editor.importWorkflow('watchdog-routing', { tellMorning: '#copy' });
	await copy.publish();
	const data = { exchange_id: exchangeId, severity: 'low', type: 'copied', detail: 'x' };
	const event = { event: 'watchdog.alert', eventKey: 'watchdog.alert:2', data, source: 'poll' };
	for (const each of [workflow, copy]) await callWorkflow(world, each, event);
	expect((await digest()).map(bodyOf)).toEqual([expect.stringContaining('type "copied"')]);
	expect(world.slack.messages).toEqual([]);
	await copy.execute(morning);
	await tell.execute('Every minute');
	expect(world.slack.messages.map(({ channel }) => channel)).toEqual(['#copy']);
	expect(await digest()).toEqual([]);
});

it('refuses an event that is not for it', async () => {
	const execution = await callWorkflow(world, workflow, { event: 'exchange.requested', data: {} });
	expect(execution.status).toBe('error');
	expect(execution.error).toContain('watchdog.alert');
});
