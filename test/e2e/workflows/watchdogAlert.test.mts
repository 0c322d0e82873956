import { afterAll, beforeAll, expect, it } from 'vitest';

import { testedN8n } from '../realN8n.mts';
import { callWorkflow } from './caller.mts';
import { type Imported, output } from './editor.mts';
import { startWorld, webhookSecret, type World } from './world.mts';

let world: World;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ delivery: { backoffMilliseconds: [] } });
	workflow = await world.editor.importWorkflow('watchdog-alert');
	await workflow.publish();
	const url = await world.n8n.webhookUrl(workflow.id);
	world.sandbox.setWebhook({ url, secret: webhookSecret });
});

afterAll(async () => {
	await world.close();
});

it('makes one readable message of each alert, whatever stands in it', async () => {
	const exchangeId = world.sandbox.requestOffer().id;
	for (const detail of ['the link is nofollow now', '{{ 1 + 1 }} <!channel>\n"x"', '']) {
		const before = workflow.executions().length;
		world.sandbox.alert({ exchangeId, severity: 'warning', type: 'link_changed', detail });
		const execution = await workflow.finished(before);
		expect(output(execution, 'Write message')).toEqual([
			{
				message: `Watchdog (warning): link_changed on exchange ${exchangeId}. ${detail}`,
				eventKey: expect.stringContaining(`watchdog.alert:${exchangeId}:`) as string,
			},
		]);
	}
});

// The helper that calls it starts executions as the editor of n8n 2 does.
it.skipIf(testedN8n.startsWith('1.'))('starts when another workflow calls it', async () => {
	const data = { exchange_id: 'exc_1', severity: 'high', type: 'gone', detail: 'away' };
	const event = { event: 'watchdog.alert', eventKey: 'watchdog.alert:1', data, source: 'poll' };
	const before = workflow.executions().length;
	expect((await callWorkflow(world, workflow, event)).status).toBe('success');
	const execution = await workflow.finished(before);
	expect(output(execution, 'Write message')).toMatchObject([
		{ message: 'Watchdog (high): gone on exchange exc_1. away', eventKey: 'watchdog.alert:1' },
	]);
});
