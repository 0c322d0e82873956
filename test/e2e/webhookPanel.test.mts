/**
 * The webhook trigger in n8n's editor during the setup: the panel, a rejected delivery, an event.
 */
import { createHmac } from 'node:crypto';

import { expect, test, vi } from 'vitest';

import { N8nScreen } from './editorPage.mts';
import { triggerWorkflow } from './nodes.mts';
import { useWorld, webhookSecret } from './workflows/environment.mts';

const world = useWorld();
const n8n = N8nScreen.useIn(world);

const executeButton = () =>
	n8n.page
		.locator('[data-test-id=trigger-execute-button], [data-test-id=node-execute-button]')
		.first();

/** Returns the button while n8n listens for a test event. A click on it then stops that. */
const stopButton = () => n8n.page.getByText('Stop Listening').first();

async function listen(): Promise<void> {
	await stopButton().waitFor({ state: 'hidden' });
	await executeButton().click();
	await stopButton().waitFor();
}

test('the panel explains test events, shows a rejected delivery with its reason, then the event', async () => {
	const { id } = await world.editor.create(triggerWorkflow('try it'));
	await n8n.page.goto(`${world.n8n.origin}/workflow/${id}`);
	await n8n.openStep('Trigger');
	await listen();
	const [webhook] = world.n8n.query(`SELECT nodes FROM workflow_entity WHERE id = '${id}'`);
	const nodes = JSON.parse(String(webhook?.nodes)) as Array<{ webhookId?: string; type: string }>;
	const webhookId = nodes.find(({ type }) => type.endsWith('Trigger'))?.webhookId ?? '';
	const url = `${world.n8n.origin}/webhook-test/${webhookId}/webhook`;
	const body = JSON.stringify({ id: 'exc_1', accepted_at: '2026-07-01T12:00:00Z' });
	const headers = (key: string) => ({
		'content-type': 'application/json',
		'x-pb-signature': createHmac('sha256', key).update(body).digest('hex'),
	});
	// n8n shows "listening" before it has registered the URL; until then, it responds 404.
	const send = async (key: string) =>
		await vi.waitFor(
			async () => {
				const { status } = await fetch(url, { method: 'POST', headers: headers(key), body });
				expect(status).not.toBe(404);
				return status;
			},
			{ timeout: 10_000, interval: 100 },
		);
	expect(await send('another secret')).toBe(401);
	await n8n.page
		.getByText("A delivery was rejected: the signature doesn't match")
		.first()
		.waitFor();
	await listen();
	expect(await send(webhookSecret)).toBe(200);
	await n8n.page.getByText('exchange.accepted').first().waitFor();
});
