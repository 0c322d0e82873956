import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox/sandbox.mts';
import { withLock } from '../scripts/lock.mjs';
import { InstallationError, requireDiskSpace } from '../scripts/npm.mjs';
import { n8nEnvironment } from './n8n/environment.mts';
import { importIntoN8n } from './n8n/import.mts';
import { installN8n } from './n8n/installation.mts';
import type { Execution } from './n8n/messages.mts';
import { installPackage } from './n8n/packedPackage.mts';
import { findFreePort, requireFreePort } from './n8n/ports.mts';
import { type N8nServer, startN8n } from './n8n/process.mts';
import { openDataFolder, type Secrets } from './n8n/secrets.mts';
import { findWebhookUrl } from './n8n/webhookAddress.mts';

export interface PlaygroundOptions {
	/** The data folder. */
	data: string;
	n8nPort: number;
	sandboxPort: number;
	/** Whether a new sandbox begins with some sites, exchanges and alerts to look at. */
	demoData: boolean;
	/** Stops the start; what is running is then stopped as well. */
	signal: AbortSignal;
	onActivity: NonNullable<SandboxOptions['onActivity']>;
	onExecution: (execution: Execution) => void;
}

export interface Playground {
	editorUrl: string;
	login: Pick<Secrets, 'email' | 'password'>;
	sandbox: Sandbox;
	n8n: N8nServer;
	n8nLogFile: string;
	/** Where the sandbox's deliveries go; undefined when the workflow that takes them is not published. */
	webhookUrl: string | undefined;
}

/** The workflow that the sandbox's webhook deliveries go to. */
const receivingWorkflow = 'watchdog-alert';

/**
 * Prepares and starts the sandbox and n8n, runs `use` with them, and stops both afterwards, whatever happens.
 * @throws InstallationError in plain English, or the signal's reason
 */
export async function withPlayground(
	options: PlaygroundOptions,
	use: (playground: Playground) => Promise<void>,
): Promise<void> {
	const { data, n8nPort, sandboxPort, signal } = options;
	const secrets = openDataFolder(data);
	const busy = (holder: number | string): never => {
		throw new InstallationError(
			`A playground is running on ${data} already (process ${holder}). Use that one, stop it, or choose another folder with --data.`,
		);
	};
	const run = async (): Promise<void> => {
		await requireFreePort(n8nPort, 'n8n', '--n8n-port');
		await requireFreePort(sandboxPort, 'the sandbox', '--sandbox-port');
		const playground = await start(options, secrets);
		try {
			await use(playground);
		} finally {
			await playground.n8n.stop();
			await playground.sandbox.close();
		}
	};
	await withLock(join(data, 'running.lock'), run, { signal, busy });
}

async function start(options: PlaygroundOptions, secrets: Secrets): Promise<Playground> {
	const { data, n8nPort, sandboxPort, signal } = options;
	const userFolder = join(data, 'n8n');
	const logFile = join(data, 'n8n.log');
	requireDiskSpace(data, 0.3e9, 'the playground');
	mkdirSync(userFolder, { recursive: true });
	// Before n8n, whose installation takes minutes: a package that does not build is known in seconds.
	await installPackage(data, userFolder, signal);
	const installation = await installN8n(signal);

	const brokerPort = await findFreePort();
	const environment = n8nEnvironment({
		installation,
		userFolder,
		port: n8nPort,
		brokerPort,
		secrets,
	});
	const baseUrl = `http://127.0.0.1:${sandboxPort}/api`;
	await importIntoN8n({ installation, environment, data, secrets, baseUrl, signal });

	let sandbox: Sandbox | undefined;
	let n8n: N8nServer | undefined;
	try {
		console.log('Starting n8n and the sandbox …');
		n8n = await startN8n({
			installation,
			environment,
			folder: data,
			logFile,
			signal,
			onExecution: options.onExecution,
			// Only now: before n8n is up it answers 200 to deliveries that it then forgets.
			onReady: async () => {
				sandbox = await startSandbox({
					port: sandboxPort,
					data: join(data, 'sandbox.sqlite'),
					apiKey: secrets.apiKey,
					...(options.demoData && { seed: 1 }),
					onActivity: options.onActivity,
				});
			},
		});
		if (sandbox === undefined) throw new Error('n8n is up, and the sandbox is not.');
		const origin = `http://127.0.0.1:${n8nPort}`;
		const webhookUrl = await findWebhookUrl(userFolder, origin, receivingWorkflow, signal);
		if (webhookUrl !== undefined) {
			sandbox.setWebhook({ url: webhookUrl, secret: secrets.webhookSecret });
		}
		return {
			editorUrl: origin,
			login: secrets,
			sandbox,
			n8n,
			n8nLogFile: logFile,
			webhookUrl,
		};
	} catch (error) {
		await n8n?.stop();
		await sandbox?.close();
		throw error;
	}
}
