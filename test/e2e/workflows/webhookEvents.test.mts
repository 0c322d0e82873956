/**
 * Events by webhook: several workflows behind one webhook URL. Both triggers in one workflow: each
 * event only once.
 */
import { expect, test } from 'vitest';

import { chain, node, serviceNode, to } from '../nodes.mts';
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

/**
 * Creates and publishes the workflow of docs/duplicates.md, "Use both triggers": both triggers,
 * Remove Duplicates, and a node that starts the target.
 */
async function bothTriggers(target: Imported): Promise<Imported> {
	const type = 'n8n-nodes-backlink-exchange.backlinkExchange';
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const events = ['exchange.requested'];
	const operation = 'removeItemsSeenInPreviousExecutions';
	const dedupeValue = '={{ $json.eventKey }}';
	const workflow = await world.editor.create({
		name: 'Both triggers',
		nodes: [
			node('Receive event', `${type}WebhookTrigger`, 2, { events }),
			node('Find missed events', `${type}Trigger`, 1, { pollTimes, events }),
			node('Remove Duplicates', 'removeDuplicates', 2, { operation, dedupeValue, options: {} }),
			node('Start your workflow', 'executeWorkflow', 1.2, choose(target)),
		],
		connections: {
			'Receive event': to('Remove Duplicates'),
			'Find missed events': to('Remove Duplicates'),
			'Remove Duplicates': to('Start your workflow'),
		},
		settings: { executionOrder: 'v1' },
	});
	await world.asked(1, () => workflow.publish());
	return workflow;
}

test('both triggers with Remove Duplicates: an event comes once, also if its delivery is lost', async () => {
	const target = await called('My workflow');
	const workflow = await bothTriggers(target);
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.change({ webhook: { url, secret: webhookSecret } });
	const delivered = world.sandbox.requestOffer().id;
	await expect.poll(() => getKeys(target)).toEqual([`exchange.requested:${delivered}`]);
	world.sandbox.change({ webhook: null });
	const missed = world.sandbox.requestOffer().id;
	await world.asked(2);
	await expect
		.poll(() => getKeys(target), { timeout: 3 * minute })
		.toEqual([delivered, missed].map((id) => `exchange.requested:${id}`));
	await workflow.unpublish();
}, 600_000);
