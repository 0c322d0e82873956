/**
 * Events by webhook: several workflows behind one webhook URL. Webhook and polling: each event only
 * once.
 */
import { createHmac } from 'node:crypto';

import { expect, test } from 'vitest';

import { chain, node, serviceNode } from '../nodes.mts';
import { type Imported, output } from './editor.mts';
import { useWorld, webhookSecret } from './environment.mts';

const world = useWorld({ isReset: false });

const minute = 60_000;

const choose = (workflow: Imported) => ({
	workflowId: { __rl: true, mode: 'id', value: workflow.id },
	options: {},
});

/**
 * Creates a workflow that others call. It fetches the balance, so it fails while the service
 * doesn't return one.
 */
async function called(name: string): Promise<Imported> {
	const workflow = await world.editor.create(
		chain(name, [
			node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
			serviceNode({ resource: 'credit', operation: 'getBalance' }),
		]),
	);
	await workflow.publish();
	return workflow;
}

/** Returns the event keys of its successful executions. */
const getKeys = (workflow: Imported) =>
	workflow
		.executions()
		.filter(({ status }) => status === 'success')
		.flatMap((execution) => output(execution, 'Called').map(({ eventKey }) => String(eventKey)));

test('events by webhook: each kind of event calls its workflow', async () => {
	const [alerts, offers, others] = [
		await called('Alerts'),
		await called('Offers'),
		await called('Others'),
	];
	const workflow = await world.editor.importWorkflow(
		'events-by-webhook',
		{
			'Handle alerts': choose(alerts),
			'Handle new offers': choose(offers),
			'Handle other events': choose(others),
		},
		{ activate: ['Handle other events'] },
	);
	await workflow.publish();
	world.sandbox.change({
		webhook: { url: await world.n8n.webhookUrl(workflow.id), secret: webhookSecret },
	});
	const { id } = world.sandbox.requestOffer();
	const alert = world.sandbox.alert();
	world.sandbox.accept(id);
	await expect.poll(() => workflow.executions().length, { timeout: 30_000 }).toBe(3);
	expect(workflow.executions().map(({ status }) => status)).toEqual(Array(3).fill('success'));
	expect(getKeys(alerts)).toEqual([expect.stringContaining(`watchdog.alert:${alert.exchangeId}:`)]);
	expect(getKeys(offers)).toEqual([`exchange.requested:${id}`]);
	expect(getKeys(others)).toEqual([expect.stringContaining(`exchange.accepted:${id}:`)]);
	await workflow.unpublish();
});

/** Publishes the workflow, with a table of its own for processed events. */
async function webhookAndPolling(table: string, target: Imported): Promise<Imported> {
	const { id } = await world.editor.createTable(table, ['eventKey']);
	const chosen = { dataTableId: { __rl: true, mode: 'id', value: id } };
	const workflow = await world.editor.importWorkflow('webhook-and-polling', {
		'Start your workflow': choose(target),
		'Skip processed events': chosen,
		'Save as processed': chosen,
	});
	await world.asked(1, () => workflow.publish());
	return workflow;
}

test('webhook and polling: polling emits only events whose delivery or workflow failed', async () => {
	const target = await called('My workflow');
	const workflow = await webhookAndPolling('Events that are done', target);
	world.sandbox.change({
		webhook: { url: await world.n8n.webhookUrl(workflow.id), secret: webhookSecret },
	});

	const delivered = world.sandbox.requestOffer().id;
	await expect.poll(() => getKeys(target)).toEqual([`exchange.requested:${delivered}`]);
	// One delivery whose workflow fails, and one that doesn't arrive.
	world.sandbox.addFault({ kind: 'error-before-commit', path: '/api/credits', times: 1000 });
	const failing = world.sandbox.requestOffer().id;
	await expect.poll(() => workflow.status, { timeout: minute }).toBe('error');
	world.sandbox.clearFaults();
	world.sandbox.change({ webhook: null });
	const missed = world.sandbox.requestOffer().id;
	await world.restart();
	for (let poll = 0; poll < 2; poll++) {
		await world.asked();
		await world.clock.pass(6 * minute);
	}
	await expect
		.poll(() => getKeys(target).sort(), { timeout: 3 * minute })
		.toEqual([delivered, failing, missed].map((id) => `exchange.requested:${id}`).sort());
}, 600_000);

test('webhook and polling: each event of a delivery comes once, for any output of the workflow', async () => {
	const target = await world.editor.create(
		chain('Returns nothing', [
			node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' }),
			// The item has no such field, so the node emits no item.
			node('Nothing', 'splitOut', 1, { fieldToSplitOut: 'entries', options: {} }),
		]),
	);
	await target.publish();
	const workflow = await webhookAndPolling('Several events', target);
	const url = await world.n8n.webhookUrl(workflow.id);
	const delivery = ['a', 'b', 'c'].map((id) => ({ event: 'exchange.requested', data: { id } }));
	for (const events of [delivery, delivery.toReversed()]) {
		const body = JSON.stringify(events);
		const signature = createHmac('sha256', webhookSecret).update(body).digest('hex');
		const headers = { 'content-type': 'application/json', 'x-pb-signature': signature };
		const before = workflow.executions().length;
		expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(200);
		await expect.poll(() => workflow.executions().length, { timeout: minute }).toBe(before + 1);
		await expect.poll(() => workflow.status, { timeout: minute }).toBe('success');
	}
	expect(getKeys(target)).toEqual(['a', 'b', 'c'].map((id) => `exchange.requested:${id}`));
	await workflow.unpublish();
}, 300_000);
