/** n8n is killed while the service has a request to accept: the claim in n8n's database outlives it. */
import { setTimeout as pause } from 'node:timers/promises';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { onRequest } from './nodes.mts';
import { RealN8n } from './realN8n.mts';

let sandbox: Sandbox;
let n8n: RealN8n;

beforeAll(async () => {
	// The worst that a service can do: it is late, and charges a second accept as well.
	const dialect = {
		settlement: 'later',
		// Longer than a start of n8n takes on a busy machine.
		settlementSeconds: 120,
		acceptAgain: '200-charged-again',
	} as const;
	sandbox = await startSandbox({ credits: 100, dialect, delivery: { backoffMilliseconds: [] } });
	n8n = await RealN8n.prepare();
	const { baseUrl, apiKey } = sandbox;
	await n8n.importCredential('account', { baseUrl, apiKey, webhookSecret: 'x' });
	const exchangeId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
	const accept = { resource: 'exchange', operation: 'accept', exchangeId, options: {} };
	await n8n.importWorkflows([onRequest('accept', accept)], 'account');
	await n8n.start();
});

afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
});

async function start(id: string): Promise<void> {
	const request = async () =>
		await fetch(`${n8n.origin}/webhook/accept`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify([{ id }]),
		});
	// n8n publishes its workflows a moment after it has started.
	await expect.poll(async () => (await request()).status, { timeout: 60_000 }).toBe(200);
}

/** What came of a further execution: the item, or the message of the error. */
async function accept(id: string): Promise<{ outcome?: unknown; error?: string }> {
	const known = new Set(n8n.executions.map((each) => each.id));
	await start(id);
	const fresh = () => n8n.executions.find((each) => !known.has(each.id));
	await expect.poll(fresh, { timeout: 60_000 }).toBeDefined();
	const execution = fresh();
	const item = execution?.nodes.find(({ name }) => name === 'Service')?.items[0];
	return item === undefined ? { error: execution?.error ?? '' } : { outcome: item.outcome };
}

it('is paid once, and reported as its own when it shows', { timeout: 400_000 }, async () => {
	const { id } = sandbox.requestOffer({ cost: 10 });
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds: 60_000 });
	await start(id);
	// The list has been read, and the request is on its way.
	await expect.poll(() => sandbox.books.requests({ method: 'GET' }).length).toBe(1);
	await pause(3000);
	await n8n.kill();
	await n8n.start();

	// The list still shows it as pending.
	expect(await accept(id)).toMatchObject({
		error: expect.stringContaining('as pending') as unknown,
	});
	expect(sandbox.books.balance()).toBe(100);
	await expect.poll(() => sandbox.books.acceptsOf(id), { timeout: 150_000 }).toBe(1);
	expect(await accept(id)).toEqual({ outcome: 'accepted' });
	expect(await accept(id)).toEqual({ outcome: 'alreadyAccepted' });
	expect(sandbox.books.acceptsOf(id)).toBe(1);
	expect(sandbox.books.balance()).toBe(90);
});
