/** From a release's file to the first event, on a self-hosted n8n and without a clone of this repository: with the commands of the README. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { packPackage } from '../../playground/n8n/packedPackage.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { runCommand } from '../../scripts/command.mjs';
import { sharedFolder } from '../untilTheTestEnds.mts';
import { triggerWorkflow } from './nodes.mts';
import { RealN8n } from './realN8n.mts';
import { Editor } from './workflows/editor.mts';

const secret = 'the webhook secret';
const folder = sharedFolder();
let tarball: string;
let n8n: RealN8n;
let sandbox: Sandbox;

beforeAll(async () => {
	tarball = await packPackage(join(folder, 'release'), new AbortController().signal);
	n8n = await RealN8n.prepareEmpty();
	sandbox = await startSandbox({});
});

afterAll(async () => {
	await n8n.remove();
	await sandbox.close();
});

// It starts an n8n with a new database.
const timeout = 600_000;

it(
	'release file, npm install, credential, published trigger, first event',
	{ timeout },
	async () => {
		const nodes = join(n8n.userFolder, '.n8n', 'nodes');
		mkdirSync(nodes, { recursive: true });
		// Offline: the release file is all that it takes, n8n has the rest.
		const env = {
			...process.env,
			npm_config_offline: 'true',
			npm_config_cache: join(folder, 'npm'),
		};
		const { code, output } = await runCommand('npm', ['install', tarball], { cwd: nodes, env });
		expect({ code, output }).toMatchObject({ code: 0 });
		const installed = readdirSync(join(nodes, 'node_modules')).filter(
			(name) => !name.startsWith('.'),
		);
		expect(installed).toEqual(['n8n-nodes-backlink-exchange']);

		await n8n.start();
		const editor = await Editor.open(n8n);
		const { baseUrl, apiKey } = sandbox;
		await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey, webhookSecret: secret });
		const created = await editor.create(triggerWorkflow('first'));
		await created.publish();
		sandbox.setWebhook({ url: await n8n.webhookUrl(created.id), secret });

		const { id } = sandbox.requestOffer();
		await sandbox.settled();
		const execution = await created.finished(0);
		expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
		expect(execution.nodes.find(({ name }) => name === 'Trigger')?.items).toMatchObject([
			{ event: 'exchange.requested', data: { id }, source: 'webhook' },
		]);
	},
);
