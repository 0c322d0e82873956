/** What each ready-made workflow does on a good day: the same, whether it comes from its file or was built by a model. */
import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from 'vitest';

import { chain, node, serviceNode } from '../nodes.mts';
import { clickButton } from '../workflows/approval.mts';
import { type Imported, output } from '../workflows/editor.mts';
import { upload } from '../workflows/form.mts';
import type { LanguageModel } from '../workflows/languageModel.mts';
import { bodyOf } from '../workflows/mailbox.mts';
import type { Targets } from '../workflows/publishing.mts';
import { webhookSecret, type World } from '../workflows/world.mts';
import { McpClient } from './client.mts';

/** What the workflows of a test share besides the world. */
export interface Cast extends World, Targets {
	model: LanguageModel;
	mcpToken: string;
}

/** @returns what it told, without IDs */
type Scenario = (cast: Cast, workflow: Imported) => Promise<string[]>;

const partner = { fromSite: 'https://partner.example', anchor: 'green tea' };

/** What was told since the scenario began, without what is different each time. */
function told({ slack, mailbox }: World): string[] {
	const texts = [
		...slack.messages.map(({ text = '' }: { text?: string }) => text),
		...mailbox.mails.map(bodyOf),
	];
	return texts.map((text) => text.trim().replace(/exchange \S+/g, 'exchange'));
}

/** The keys of the events with which the called workflow was started, from the given number on. */
const calls = ({ called }: Cast, from: number) =>
	called
		.executions()
		.slice(from)
		.flatMap((execution) => output(execution, 'Called'))
		.map(({ event }) => String(event));

async function executed(cast: Cast, workflow: Imported, trigger: string): Promise<string[]> {
	expect(await workflow.execute(trigger)).toMatchObject({ status: 'success' });
	return told(cast);
}

export const scenarios: Record<string, Scenario> = {
	'watchdog-alert': async (cast, workflow) => {
		cast.sandbox.alert({ severity: 'warning', type: 'nofollow', detail: 'changed' });
		return await executed(cast, workflow, 'New alert');
	},
	'watchdog-routing': async (cast, workflow) => {
		cast.sandbox.alert({ severity: 'critical', type: 'link_removed', detail: 'gone' });
		await executed(cast, workflow, 'Critical alert');
		cast.sandbox.alert({ severity: 'warning', type: 'nofollow', detail: 'changed' });
		return await executed(cast, workflow, 'Other alerts each morning');
	},
	'scheduled-auto-accept': async (cast, workflow) => {
		const { id } = cast.sandbox.requestOffer({ fromSite: 'https://other.example', anchor: 'tea' });
		const messages = await executed(cast, workflow, 'Every hour');
		const allowed = cast.sandbox.requestOffer(partner).id;
		await executed(cast, workflow, 'Every hour');
		expect([id, allowed].map((each) => cast.sandbox.books.acceptsOf(each))).toEqual([0, 1]);
		return messages;
	},
	'offer-approval': async (cast, workflow) => {
		const { id } = cast.sandbox.requestOffer(partner);
		const before = workflow.executions().length;
		await workflow.start('New offer');
		await expect.poll(() => workflow.status).toBe('waiting');
		expect(cast.sandbox.books.acceptsOf(id)).toBe(0);
		const asked = JSON.stringify(cast.slack.messages[0]?.blocks);
		expect(asked).toContain('Accept it? This spends credits.');
		await clickButton(cast.slack, 'Accept');
		expect(await workflow.finished(before + 1)).toMatchObject({ status: 'success' });
		expect(cast.sandbox.books.acceptsOf(id)).toBe(1);
		return told(cast).slice(1);
	},
	'exchange-news': async (cast, workflow) => {
		// The newest event by the second, which is what polling finds when somebody tries it out.
		await sleep(1100);
		cast.sandbox.accept(cast.sandbox.requestOffer(partner).id);
		return await executed(cast, workflow, 'Something happened');
	},
	'low-credits': async (cast, workflow) => {
		cast.sandbox.setCredits(20);
		return await executed(cast, workflow, 'Credits are low');
	},
	'weekly-report': async (cast, workflow) =>
		(await executed(cast, workflow, 'Every Monday')).map((text) => text.replace(/\d+/g, 'n')),
	'bulk-add-sites': async (_, workflow) => {
		const name = `${workflow.id.toLowerCase()}.example`;
		const csv = `url,niche\nhttps://${name},tea\nno address,tea\n`;
		return (await upload(workflow, csv)).map((line) => line.replaceAll(name, 'the site'));
	},
	'ai-link-manager': async (cast, workflow) => {
		const { id } = cast.sandbox.requestOffer(partner);
		const parameters = { toolParameters: { Exchange_ID: id }, hitlParameters: {} };
		cast.model.answers.push(
			{ tool: 'Get_exchanges', arguments: { status: 'pending' } },
			{ tool: 'Accept_offer', arguments: parameters },
			'Done.',
		);
		expect(await workflow.chat('Chat', `Accept ${id}`)).toMatchObject({ status: 'waiting' });
		expect(cast.sandbox.books.acceptsOf(id)).toBe(0);
		await clickButton(cast.slack, 'Accept');
		await expect.poll(() => workflow.status).toBe('success');
		expect(cast.sandbox.books.acceptsOf(id)).toBe(1);
		expect(workflow.answers).toEqual(['Done.']);
		return cast.model.questions[0]?.tools?.map((tool) => tool.function.name).sort() ?? [];
	},
	'mcp-tools': async ({ n8n, sandbox, mcpToken }, workflow) => {
		const { nodes } = await workflow.read();
		const server = nodes.find(({ type }) => type.endsWith('.mcpTrigger'));
		const url = `${n8n.origin}/mcp/${String(server?.parameters.path)}`;
		const client = await McpClient.connectToPublished(url, mcpToken);
		const { id } = sandbox.requestOffer(partner);
		const answer = await client.call('Try_rules', { partners: 'partner.example' });
		expect(answer.text).toContain('"outcome":"wouldAccept"');
		expect(sandbox.books.acceptsOf(id)).toBe(0);
		return (await client.tools()).map(({ name }) => name).sort();
	},
	'events-by-webhook': async (cast, workflow) => {
		const before = cast.called.executions().length;
		const url = await cast.n8n.webhookUrl(workflow.id);
		cast.sandbox.setWebhook({ url, secret: webhookSecret });
		const { id } = cast.sandbox.requestOffer();
		cast.sandbox.alert();
		cast.sandbox.accept(id);
		await expect.poll(() => calls(cast, before)).toHaveLength(3);
		cast.sandbox.setWebhook(undefined);
		return calls(cast, before).sort();
	},
	'webhook-and-polling': async (cast, workflow) => {
		const before = cast.called.executions().length;
		const url = await cast.n8n.webhookUrl(workflow.id);
		cast.sandbox.setWebhook({ url, secret: webhookSecret });
		// The newest event by the second, which is what polling finds when somebody tries it out.
		await sleep(1100);
		cast.sandbox.requestOffer();
		await expect.poll(() => calls(cast, before)).toHaveLength(1);
		await expect.poll(() => workflow.status).toBe('success');
		cast.sandbox.setWebhook(undefined);
		// The same event, found by polling: it is done.
		await workflow.execute('Event found');
		return calls(cast, before);
	},
	'notify-failures': async ({ editor, slack }, workflow) => {
		const unknown = { __rl: true, mode: 'id', value: 'exc_none' };
		const everySecond = { rule: { interval: [{ field: 'seconds', secondsInterval: 1 }] } };
		const failing = [
			node('Every second', 'scheduleTrigger', 1.2, everySecond),
			serviceNode({ resource: 'exchange', operation: 'get', exchangeId: unknown }),
		];
		const settings = { errorWorkflow: workflow.id };
		const failed = await editor.create(chain('My workflow', failing, settings));
		await failed.publish();
		await expect.poll(() => slack.messages.length).toBeGreaterThan(0);
		await failed.unpublish();
		return [slack.messages[0]?.text.replace(/https?:\S+/, '') ?? ''];
	},
};
