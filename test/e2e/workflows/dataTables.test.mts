/**
 * Items of both triggers and of Accept Many in n8n's Data Table node: inserted by automatic mapping
 * into a table that has a column for each field, without an expression.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import type { WorkflowNode } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { root } from '../../repository.mts';
import { chain, node, serviceNode } from '../nodes.mts';
import { useWorld, webhookSecret } from './environment.mts';

const world = useWorld();

interface Schema {
	properties: Record<string, { type: string }>;
}

/** Creates a table with a column for each field of a schema, without the service's record. */
async function createTableFor(schema: string): Promise<string> {
	const file = path.join(root, 'nodes', schema);
	const { properties } = JSON.parse(readFileSync(file, 'utf8')) as Schema;
	const columns = Object.entries(properties)
		.filter(([, { type }]) => type !== 'object')
		.map(([name, { type }]) => ({ name, type: type === 'integer' ? 'number' : type }));
	const { id } = await world.editor.createTable(schema, columns);
	return id;
}

function insert(table: string): WorkflowNode {
	return node('Insert', 'dataTable', 1, {
		resource: 'row',
		operation: 'insert',
		dataTableId: { __rl: true, mode: 'id', value: table },
		columns: { mappingMode: 'autoMapInputData', value: null },
		options: {},
	});
}

const getRows = (table: string) => world.n8n.query(`SELECT * FROM data_table_user_${table}`);

test('inserts the decisions of Accept Many', async () => {
	const table = await createTableFor('BacklinkExchange/__schema__/v1.0.0/exchange/acceptMany.json');
	const accepted = world.sandbox.requestOffer({ fromSite: 'https://a.example', cost: 10 });
	const blocked = world.sandbox.requestOffer({ anchor: '=IMPORTXML("casino")' });
	const parameters = { resource: 'exchange', operation: 'acceptMany', dryRun: false };
	const workflow = await world.editor.create(
		chain('Decisions', [
			node('Start', 'manualTrigger', 1),
			serviceNode({ ...parameters, acceptFrom: 'anyone' }),
			insert(table),
		]),
	);
	expect((await workflow.execute('Start')).status).toBe('success');
	expect(getRows(table)).toMatchObject([
		{
			exchangeId: accepted.id,
			outcome: 'accepted',
			alreadyAccepted: 0,
			creditsSpent: 10,
			partner: 'https://a.example',
		},
		{ exchangeId: blocked.id, outcome: 'blocked', anchor: '=IMPORTXML("casino")' },
	]);
});

test('inserts the events of the polling trigger', async () => {
	const table = await createTableFor('BacklinkExchangeTrigger/__schema__/v1.0.0.json');
	const { sandbox } = world;
	const events = [
		...['credits.low', 'exchange.accepted', 'exchange.published'],
		...['exchange.requested', 'watchdog.alert'],
	];
	const trigger = 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger';
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const workflow = await world.editor.create(
		chain('Polled events', [
			node('Trigger', trigger, 1, { pollTimes, events, lowCreditThreshold: 50 }),
			insert(table),
		]),
	);
	// The first poll only records what is there.
	await world.asked(1, () => workflow.publish());
	sandbox.setCredits(5);
	const { id } = sandbox.requestOffer({ cost: 1 });
	sandbox.accept(id);
	sandbox.publish(id);
	sandbox.alert({ exchangeId: id, severity: 'critical' });
	await world.clock.pass(15 * 60_000);
	// The node inserts one row after another.
	await expect
		.poll(() => getRows(table).map(({ event }) => event), { timeout: 120_000 })
		.toEqual(expect.arrayContaining(events));
	expect(workflow.executions().map(({ status }) => status)).not.toContain('error');
	const rows = getRows(table);
	const alert = rows.find(({ event }) => event === 'watchdog.alert');
	expect(alert).toMatchObject({ exchangeId: id, severity: 'critical' });
	expect(rows.find(({ event }) => event === 'credits.low')).toMatchObject({ balance: 4 });
	await workflow.unpublish();
}, 240_000);

test('inserts the events of the webhook trigger', async () => {
	const table = await createTableFor('BacklinkExchangeWebhookTrigger/__schema__/v2.0.0.json');
	const trigger = 'n8n-nodes-backlink-exchange.backlinkExchangeWebhookTrigger';
	const events = ['exchange.requested', 'watchdog.alert'];
	const workflow = await world.editor.create(
		chain('Delivered events', [node('Trigger', trigger, 2, { events }), insert(table)]),
	);
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.change({ webhook: { url, secret: webhookSecret } });
	const { id } = world.sandbox.requestOffer({ fromSite: 'https://b.example' });
	world.sandbox.alert({ exchangeId: id, severity: 'warning' });
	await expect.poll(() => getRows(table).length, { timeout: 60_000 }).toBe(2);
	expect(getRows(table).find(({ event }) => event === 'exchange.requested')).toMatchObject({
		exchangeId: id,
		partner: 'https://b.example',
		receivedAt: expect.any(String) as unknown,
	});
	world.sandbox.change({ webhook: null });
	await workflow.unpublish();
}, 120_000);
