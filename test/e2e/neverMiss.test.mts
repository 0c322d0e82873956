import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { readWorkflow } from '../../playground/n8n/workflowFiles.mts';
import { RealN8n } from './realN8n.mts';

const secret = 'the webhook secret';
let n8n: RealN8n;
let sandbox: Sandbox;

beforeAll(async () => {
	sandbox = await startSandbox({ credits: 1000, delivery: { backoffMilliseconds: [] } });
	n8n = await RealN8n.prepare();
	const { baseUrl, apiKey } = sandbox;
	await n8n.importCredential('account', { baseUrl, apiKey, webhookSecret: secret });
	await n8n.importWorkflows([readWorkflow('never-miss-an-event')], 'account');
});

afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
});

/** The keys that came out at the end of the workflow, in the order of their executions. */
function processed(): string[] {
	return n8n.executions.flatMap(({ nodes }) =>
		nodes
			.filter(({ name }) => name === 'Your steps from here')
			.flatMap(({ items }) => items.map(({ eventKey }) => eventKey as string)),
	);
}

it('processes every event exactly once, also what happened while n8n was off', async () => {
	await n8n.start();
	sandbox.setWebhook({ url: await n8n.webhookUrl('never-miss-an-event'), secret });
	const first = sandbox.requestOffer();
	sandbox.accept(first.id);
	await sandbox.settled();
	await expect.poll(() => processed().length, { timeout: 20_000 }).toBe(2);

	await n8n.stop();
	const second = sandbox.requestOffer();
	sandbox.publish(first.id);
	sandbox.accept(second.id);
	sandbox.alert({ exchangeId: first.id });
	await sandbox.settled();
	expect(sandbox.books.deliveries().filter(({ state }) => state === 'delivered')).toHaveLength(2);

	await n8n.start();
	await expect.poll(() => processed().length, { timeout: 20_000 }).toBe(6);
	// And by webhook again, with the events from before delivered once more.
	await n8n.webhookUrl('never-miss-an-event');
	for (const { id } of sandbox.books.deliveries()) sandbox.redeliver(id);
	sandbox.publish(second.id);
	await sandbox.settled();
	await expect.poll(() => processed().length, { timeout: 20_000 }).toBe(7);
	await expect
		.poll(() => n8n.executions.filter(({ mode }) => mode === 'webhook').length, { timeout: 20_000 })
		.toBe(2 + 6 + 1);

	expect(new Set(processed()).size).toBe(7);
	expect(
		processed()
			.map((key) => key.split(':').slice(0, 2).join(':'))
			.sort(),
	).toEqual(
		[
			`exchange.requested:${first.id}`,
			`exchange.accepted:${first.id}`,
			`exchange.published:${first.id}`,
			`watchdog.alert:${first.id}`,
			`exchange.requested:${second.id}`,
			`exchange.accepted:${second.id}`,
			`exchange.published:${second.id}`,
		].sort(),
	);
	expect(n8n.executions.map(({ status }) => status)).not.toContain('error');
});
