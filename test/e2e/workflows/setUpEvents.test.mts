/**
 * A user sets up ready-made workflows that wait for events, chats or assistants: step by step as
 * the note on the canvas describes, in the browser only, with the clicks counted.
 */
import { beforeAll, expect, test } from 'vitest';

import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { field, go, press } from '../dashboardPage.mts';
import { N8nScreen } from '../editorPage.mts';
import { McpClient } from '../mcp/client.mts';
import { clickButton } from './approval.mts';
import { output } from './editor.mts';
import { useWorld } from './environment.mts';
import { useLanguageModel } from './languageModel.mts';
import {
	askInChat,
	chooseCredential,
	chooseErrorWorkflow,
	chooseFromList,
	copyProductionUrl,
	createCalledWorkflow,
	enterSecret,
	openWorkflow,
	setUpSlack,
	toggleNode,
} from './setUpSteps.mts';

const world = useWorld({ isReset: false });
const model = useLanguageModel(world);
const n8n = N8nScreen.useIn(world);

const minute = 60_000;

/** Names of the credentials that the user already has. */
const service = 'backlinkExchangeApi';
const slack = 'slackApi';
const openAi = 'openAiApi';

beforeAll(() => {
	world.sandbox.addSite({ url: 'https://your-site.example', niche: 'tea' });
});

const offer = () => world.sandbox.requestOffer({ toSite: 'https://your-site.example' });

/** Returns the IDs of workflows with this name, newest first. */
const ids = (name: string) =>
	world.n8n
		.query(`SELECT id FROM workflow_entity WHERE name = '${name}' ORDER BY createdAt DESC`)
		.map(({ id }) => String(id));

/** Returns the newest workflow with this name as n8n has saved it. */
function saved(name: string): { active: boolean; nodes: string } {
	const [row] = world.n8n.query(
		`SELECT nodes, active FROM workflow_entity WHERE name = '${name}' ORDER BY createdAt DESC`,
	);
	return { active: row?.active === 1, nodes: String(row?.nodes) };
}

/**
 * Creates and publishes a workflow that others can start.
 *
 * @returns its name, which n8n chooses
 */
async function createTarget(): Promise<string> {
	await createCalledWorkflow(n8n);
	const [newest] = world.n8n.query('SELECT name FROM workflow_entity ORDER BY createdAt DESC');
	return String(newest?.name);
}

/** Returns the event keys with which a workflow was started by others. */
const keys = (name: string) =>
	world.n8n.executions
		.filter(({ workflowId }) => ids(name).includes(workflowId))
		.flatMap((execution) => output(execution, 'When Executed by Another Workflow'))
		.map(({ eventKey }) => String(eventKey));

const texts = () => world.slack.messages.map(({ text }) => text);

/** Begins to count clicks, imports a workflow, and waits until n8n has saved it. */
async function importFile(name: string): Promise<void> {
	n8n.person.done();
	await n8n.importFile(name);
	await expect.poll(() => ids(readWorkflow(name).name)).not.toEqual([]);
}

/** Publishes the workflow with this name. */
async function publish(name: string): Promise<void> {
	await n8n.publish();
	await n8n.confirmPublished();
	await expect.poll(() => saved(name).active).toBe(true);
}

/** Checks the number of clicks since the last call. */
function expectClicks(name: string, maxClicks: number): void {
	const { clicks } = n8n.person.done();
	console.log(`${name}: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(maxClicks);
}

/**
 * Enters the production URL of an open trigger in the dashboard.
 *
 * @returns the webhook secret that the dashboard shows
 */
async function enterUrl(): Promise<string> {
	const url = await copyProductionUrl(n8n);
	const dashboard = await n8n.person.open(world.sandbox.origin);
	await go(dashboard, 'Webhooks');
	await field(dashboard, 'URL').fill(url);
	await press(dashboard, 'Save webhook');
	const secret = await dashboard.locator('code#secret').innerText();
	expect(world.sandbox.settings.webhook).toEqual({ url, secret });
	await dashboard.close();
	return secret;
}

test('News reports an offer after the setup', { timeout: 5 * minute }, async () => {
	await importFile('news');
	await n8n.openStep('New events');
	await n8n.chooseCredential(service);
	await n8n.fill('Low Credit Threshold', '40');
	await n8n.closeStep();
	await setUpSlack(n8n, 'Send to Slack', slack);
	await world.asked(3, () => publish('News'));
	expectClicks('News', 20);
	expect(saved('News').nodes).toContain('"lowCreditThreshold":40');
	const { id } = offer();
	await expect
		.poll(texts, { timeout: 2 * minute })
		.toEqual([expect.stringMatching(/^New offer: .+ a link to your-site\.example /)]);
	expect(world.sandbox.books.exchange(id).status).toBe('pending');
});

test('Notify failures reports a workflow that fails', { timeout: 5 * minute }, async () => {
	const everyFiveSeconds = { rule: { interval: [{ field: 'seconds', secondsInterval: 5 }] } };
	const watched = await world.editor.importWorkflow('weekly-report', {
		'Every Monday': everyFiveSeconds,
	});
	await watched.publish();
	world.slack.messages.length = 0;
	await importFile('notify-failures');
	await setUpSlack(n8n, 'Send to Slack', slack);
	await publish('Notify failures');
	await chooseErrorWorkflow(n8n, 'Weekly report', 'Notify failures');
	expectClicks('Notify failures', 25);
	world.sandbox.addFault({ kind: 'error-before-commit', path: '/api/credits', times: 1000 });
	const isFailure = (text: string) => text.startsWith('The workflow "Weekly report" failed: ');
	await expect.poll(() => texts().find(isFailure), { timeout: minute }).toBeDefined();
	await watched.unpublish();
	world.sandbox.clearFaults();
	expect(texts().find(isFailure)).toContain(
		`${world.n8n.origin}/workflow/${watched.id}/executions/`,
	);
});

test('Events by webhook starts the workflow for an event', { timeout: 5 * minute }, async () => {
	await importFile('events-by-webhook');
	const target = await createTarget();
	await openWorkflow(n8n, 'Events by webhook');
	await n8n.openStep('Receive event');
	await n8n.chooseCredential(service);
	await enterSecret(n8n, await enterUrl());
	await n8n.closeStep();
	await chooseFromList(n8n, 'Handle alerts', target);
	await toggleNode(n8n, 'Handle new offers');
	await publish('Events by webhook');
	expectClicks('Events by webhook', 45);
	offer();
	const { exchangeId } = world.sandbox.alert();
	await expect
		.poll(() => keys(target))
		.toEqual([expect.stringContaining(`watchdog.alert:${exchangeId}:`)]);
	expect(world.sandbox.books.deliveries().map(({ state }) => state)).not.toContain('failed');
});

test('AI link manager answers, and accepts after approval', { timeout: 5 * minute }, async () => {
	await importFile('ai-link-manager');
	for (const tool of ['summary', 'pending offers', 'exchanges', 'sites', 'alerts']) {
		await chooseCredential(n8n, `Get ${tool}`, service);
	}
	await chooseCredential(n8n, 'Accept offer', service);
	await chooseCredential(n8n, 'Language model', openAi);
	model.answers.push({ tool: 'Get_summary', arguments: {} }, 'You have 100 credits.');
	await askInChat(n8n, 'How many credits do I have?', 'You have 100 credits.');
	expect(model.questions.at(-1)?.messages.at(-1)?.content).toContain('"balance":100');
	await setUpSlack(n8n, 'Approve in Slack', slack);
	await toggleNode(n8n, 'Approve in Slack');
	await toggleNode(n8n, 'Accept offer');
	await publish('AI link manager');
	expectClicks('AI link manager', 85);
	const { id } = offer();
	model.answers.push(
		{
			tool: 'Accept_offer',
			arguments: { toolParameters: { Exchange_ID: id }, hitlParameters: {} },
		},
		'The offer was accepted.',
	);
	const before = world.slack.messages.length;
	const answered = askInChat(n8n, `Accept ${id}`, 'The offer was accepted.');
	await expect.poll(() => world.slack.messages.length).toBe(before + 1);
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
	await clickButton(world.slack, 'Accept');
	await answered;
	expect(world.sandbox.books.acceptCount(id)).toBe(1);
});

test('MCP tools serves an assistant', { timeout: 5 * minute }, async () => {
	await importFile('mcp-tools');
	for (const tool of [
		'Get summary',
		'Get pending offers',
		'Get exchanges',
		'Get sites',
		'Get alerts',
		'Try rules',
	]) {
		await chooseCredential(n8n, tool, service);
	}
	await n8n.openStep('MCP server');
	const token = 'a long random token';
	await n8n.createCredential({ token });
	await n8n.closeStep();
	await publish('MCP tools');
	await n8n.openStep('MCP server');
	const url = await copyProductionUrl(n8n);
	await n8n.closeStep();
	expectClicks('MCP tools', 60);
	const { id } = offer();
	const client = await McpClient.connectToPublished(url, token);
	expect((await client.call('Get_pending_offers', { limit: 50 })).text).toContain(id);
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
});
