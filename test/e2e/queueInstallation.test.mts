/**
 * The package in queue mode with a folder for each process, as in containers: which processes
 * install it, and how its absence shows.
 */
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { packPackage } from '../../sandbox/start/n8n/packedPackage.mts';
import { sharedFolder } from '../fixtures.mts';
import { chain, node, serviceNode } from './nodes.mts';
import { type NpmRegistry, startNpmRegistry } from './npmRegistry.mts';
import { type QueueServices, startQueueServices } from './queueServices.mts';
import { RealN8n } from './realN8n.mts';
import { Editor } from './workflows/editor.mts';

const name = 'n8n-nodes-backlink-exchange';
/** For tests that start another process of n8n. */
const timeout = 600_000;

type Worker = Awaited<ReturnType<RealN8n['startAnother']>>;

const folder = sharedFolder();
let services: QueueServices;
let registry: NpmRegistry;
let sandbox: Sandbox;
let n8n: RealN8n;
let editor: Editor;
let worker: Worker;
let workers = 0;

beforeAll(async () => {
	registry = await startNpmRegistry(await packPackage(folder, new AbortController().signal));
	services = await startQueueServices();
	sandbox = await startSandbox({});
	n8n = await RealN8n.prepareEmpty({ ...services.environment, ...registry.environment });
	await n8n.start();
	editor = await Editor.open(n8n);
});

afterAll(async () => {
	await n8n.remove();
	await services.close();
	await sandbox.close();
	await registry.close();
});

/** Starts a worker with an empty folder, like a new container's. */
async function startWorker(settings: Record<string, string> = {}): Promise<Worker> {
	const N8N_USER_FOLDER = join(folder, `worker-${workers++}`);
	return await n8n.startAnother(['worker'], { N8N_USER_FOLDER, ...settings });
}

/** Publishes a workflow that fetches the balance when its webhook is called. */
async function publishWorkflow(): Promise<void> {
	const { baseUrl, apiKey } = sandbox;
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
	const webhook = { httpMethod: 'POST', path: 'balance', responseMode: 'onReceived', options: {} };
	const workflow = await editor.create(
		chain('balance', [
			node('Request', 'webhook', 2, webhook, { webhookId: 'balance' }),
			serviceNode({ resource: 'credit', operation: 'getBalance' }),
		]),
	);
	await workflow.publish();
}

/**
 * Calls the webhook.
 *
 * @returns the status and data of the execution, as n8n shows it
 */
async function run(): Promise<{ status: string; data: string }> {
	const last = (): number =>
		Number(services.query('SELECT max(id) AS id FROM execution_entity')[0]?.id ?? 0);
	const before = last();
	await expect
		.poll(async () => (await fetch(`${n8n.origin}/webhook/balance`, { method: 'POST' })).status)
		.toBe(200);
	await expect.poll(last).toBeGreaterThan(before);
	const path = `/rest/executions/${last()}`;
	const read = async () =>
		(await editor.request('GET', path)) as { status: string; data: string; finished: boolean };
	await expect
		.poll(async () => (await read()).status, { timeout: 60_000 })
		.toMatch(/^(success|error|crashed)$/);
	return await read();
}

test(
	'a worker that runs while the package is installed installs it automatically',
	{ timeout },
	async () => {
		worker = await startWorker();
		await editor.request('POST', '/rest/community-packages', { name });
		await expect
			.poll(() => worker.log(), { timeout: 90_000 })
			.toContain(`Community package installed: ${name}`);
		await publishWorkflow();
		expect(await run()).toMatchObject({ status: 'success' });
	},
);

test(
	'a worker without the package logs that, and its executions fail with the missing node',
	{ timeout },
	async () => {
		worker.kill();
		worker = await startWorker();
		expect(worker.log()).toContain('n8n detected that some packages are missing');
		const { status, data } = await run();
		expect(status).toBe('error');
		expect(data).toContain(`Unrecognized node type: ${name}.backlinkExchange`);
	},
);

test(
	'a worker with N8N_REINSTALL_MISSING_PACKAGES=true installs the package when it starts',
	{ timeout },
	async () => {
		worker.kill();
		worker = await startWorker({ N8N_REINSTALL_MISSING_PACKAGES: 'true' });
		expect(worker.log()).toContain('Packages reinstalled successfully');
		expect(await run()).toMatchObject({ status: 'success' });
	},
);
