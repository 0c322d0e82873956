/** The workflows for several workflows behind one webhook address, and for each event once by webhook or by polling. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Sandbox } from '../../../sandbox/sandbox.mts';
import { testedN8n } from '../realN8n.mts';
import { type Imported, output } from './editor.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

let world: World;
let sandbox: Sandbox;

const minute = 60_000;

beforeAll(async () => {
	world = await startWorld({ credits: 100, limits: { perMinute: 100_000 } });
	sandbox = world.sandbox;
});

afterAll(async () => {
	await world.close();
});

const choose = (workflow: Imported) => ({
	workflowId: { __rl: true, mode: 'id', value: workflow.id },
	mode: 'each',
	options: {},
});

/** A workflow that others call; it reads the balance, so it fails while the service does not tell it. */
async function called(name: string): Promise<Imported> {
	const workflow = await world.editor.create({
		name,
		nodes: [
			{
				id: crypto.randomUUID(),
				name: 'Called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				position: [0, 0],
				parameters: { inputSource: 'passthrough' },
			},
			{
				id: crypto.randomUUID(),
				name: 'Get balance',
				type: 'n8n-nodes-backlink-exchange.backlinkExchange',
				typeVersion: 1,
				position: [200, 0],
				parameters: { resource: 'credit', operation: 'getBalance' },
				credentials: { backlinkExchangeApi: world.editor.credential('backlinkExchangeApi') },
			},
		],
		connections: { Called: { main: [[{ node: 'Get balance', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	// n8n 1 neither needs that nor allows it.
	if (!testedN8n.startsWith('1.')) await workflow.publish();
	return workflow;
}

/** What it was called with and finished, by the keys of the events. */
const keysOf = (workflow: Imported) =>
	workflow
		.executions()
		.filter(({ status }) => status === 'success')
		.flatMap((execution) => output(execution, 'Called').map(({ eventKey }) => String(eventKey)));

it('events by webhook: each kind of event calls its workflow', async () => {
	const [alerts, offers, others] = [
		await called('Alerts'),
		await called('Offers'),
		await called('Others'),
	];
	const workflow = await world.editor.importWorkflow(
		'events-by-webhook',
		{
			'Call for alerts': choose(alerts),
			'Call for new offers': choose(offers),
			'Call for all others': choose(others),
		},
		{ activate: ['Call for all others'] },
	);
	await workflow.publish();
	sandbox.setWebhook({ url: await world.n8n.webhookUrl(workflow.id), secret: webhookSecret });
	const { id } = sandbox.requestOffer();
	const alert = sandbox.alert();
	sandbox.accept(id);
	await expect.poll(() => workflow.executions().length, { timeout: 30_000 }).toBe(3);
	expect(workflow.executions().map(({ status }) => status)).toEqual(Array(3).fill('success'));
	expect(keysOf(alerts)).toEqual([expect.stringContaining(`watchdog.alert:${alert.exchangeId}:`)]);
	expect(keysOf(offers)).toEqual([`exchange.requested:${id}`]);
	expect(keysOf(others)).toEqual([expect.stringContaining(`exchange.accepted:${id}:`)]);
	await workflow.unpublish();
});

it('webhook and polling: each event once, by polling when no delivery arrived or its workflow failed', async () => {
	const table = (await world.editor.createTable('Events that are done', ['eventKey'])).id;
	const chosen = { dataTableId: { __rl: true, mode: 'id', value: table } };
	const target = await called('My workflow');
	const workflow = await world.editor.importWorkflow('webhook-and-polling', {
		'Call your workflow': choose(target),
		'Not done yet': chosen,
		Done: chosen,
	});
	const requests = sandbox.books.requests().length;
	await workflow.publish();
	await expect
		.poll(() => sandbox.books.requests().length, { timeout: 30_000 })
		.toBeGreaterThan(requests);
	sandbox.setWebhook({ url: await world.n8n.webhookUrl(workflow.id), secret: webhookSecret });

	const delivered = sandbox.requestOffer().id;
	await expect.poll(() => keysOf(target)).toEqual([`exchange.requested:${delivered}`]);
	// A delivery whose workflow fails, and one that does not arrive.
	sandbox.addFault({ kind: 'error-before-commit', path: '/api/credits', times: 1000 });
	const failing = sandbox.requestOffer().id;
	await expect.poll(() => workflow.status, { timeout: minute }).toBe('error');
	sandbox.clearFaults();
	sandbox.setWebhook(undefined);
	const missed = sandbox.requestOffer().id;
	await world.n8n.kill();
	await world.n8n.start();
	await world.editor.logIn();
	for (let poll = 0; poll < 2; poll++) {
		const before = sandbox.books.requests().length;
		await expect
			.poll(() => sandbox.books.requests().length, { timeout: 2 * minute })
			.toBeGreaterThan(before);
		await world.clock.forward(6 * minute);
	}
	await expect
		.poll(() => keysOf(target).sort(), { timeout: 3 * minute })
		.toEqual([delivered, failing, missed].map((id) => `exchange.requested:${id}`).sort());
}, 600_000);
