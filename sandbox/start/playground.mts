import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox.mts';
import { findKey } from '../service/keys.mts';
import { Settings, type Webhook } from '../settings.mts';
import { Store } from '../store/store.mts';
import { n8nEnvironment } from './n8n/environment.mts';
import { importIntoN8n, importSecret } from './n8n/import.mts';
import { installN8n } from './n8n/installation.mts';
import type { Execution } from './n8n/messages.mts';
import { installPackage } from './n8n/packedPackage.mts';
import { findFreePort, requireFreePort } from './n8n/ports.mts';
import { type N8nServer, startN8n } from './n8n/process.mts';
import { openDataFolder, type Secrets } from './n8n/secrets.mts';
import { type FoundTrigger, WorkflowsInN8n } from './n8n/triggers.mts';

export interface PlaygroundOptions {
	/** The data folder. */
	data: string;
	n8nPort: number;
	sandboxPort: number;
	/** Whether a new sandbox begins with some sites, exchanges and alerts. */
	demoData: boolean;
	/** Publishes the workflow that accepts offers, which spends the sandbox's credits. */
	acceptOffers: boolean;
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
	/** Names of the published workflows. */
	published: string[];
	/** Where the sandbox's deliveries go, as the user left it. */
	webhookUrl: string | undefined;
	/** The trigger that listens there, if any. */
	receivingWorkflow: string | undefined;
}

/** The workflow that the sandbox's webhook deliveries go to, until the user sends them elsewhere. */
const firstReceiver = 'events-by-webhook';

/**
 * Prepares and starts the sandbox and n8n, runs `use` with them, and stops both afterwards, whatever happens.
 * @throws InstallationError or InvalidSetting in plain English, or the signal's reason
 */
export async function withPlayground(
	options: PlaygroundOptions,
	use: (playground: Playground) => Promise<void>,
): Promise<void> {
	const { data, n8nPort, sandboxPort } = options;
	const secrets = openDataFolder(data);
	await requireFreePort(n8nPort, 'n8n', '--n8n-port');
	await requireFreePort(sandboxPort, 'the sandbox', '--sandbox-port');
	const playground = await start(options, secrets);
	try {
		await use(playground);
	} finally {
		await playground.n8n.stop();
		await playground.sandbox.close();
	}
}

async function start(options: PlaygroundOptions, secrets: Secrets): Promise<Playground> {
	const { data, n8nPort, sandboxPort, signal } = options;
	const userFolder = join(data, 'n8n');
	const logFile = join(data, 'n8n.log');
	const sandboxFile = join(data, 'sandbox.sqlite');
	// First, because it is quick: a store that cannot be used is known before anything is installed.
	const kept = readPreviousSettings(sandboxFile, secrets.apiKey);
	mkdirSync(userFolder, { recursive: true });
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
	const importing = {
		installation,
		environment,
		data,
		secrets,
		baseUrl: `http://127.0.0.1:${sandboxPort}/api`,
		webhookSecret: kept.webhook?.secret ?? secrets.webhookSecret,
		acceptOffers: options.acceptOffers,
		signal,
	};
	await importIntoN8n(importing);

	const origin = `http://127.0.0.1:${n8nPort}`;
	let sandbox: Sandbox | undefined;
	let n8n: N8nServer | undefined;
	let workflows: WorkflowsInN8n | undefined;
	try {
		console.log('Starting n8n and the sandbox …');
		n8n = await startN8n({
			installation,
			environment,
			folder: data,
			logFile,
			signal,
			onExecution: options.onExecution,
			// The sandbox starts only now, because before n8n is up it answers 200 to deliveries that it then forgets.
			onReady: async () => {
				const inN8n = new WorkflowsInN8n(userFolder, origin);
				workflows = inN8n;
				const url = whereEventsGo(kept, inN8n.triggers());
				const secret = importing.webhookSecret;
				sandbox = await startSandbox({
					port: sandboxPort,
					data: sandboxFile,
					webhook: url === undefined ? null : { url, secret },
					// Later starts find the key in the store; if the user has revoked it, it stays revoked.
					...(kept.isFirst && { apiKey: secrets.apiKey }),
					...(options.demoData && { seed: 1 }),
					onActivity: options.onActivity,
					notice: '; workflows that poll notice within two minutes',
					receiver: {
						triggers: () => inN8n.triggers(),
						setSecret: (webhookSecret) => importSecret({ ...importing, webhookSecret }),
					},
				});
			},
		});
		if (sandbox === undefined || workflows === undefined) {
			throw new Error('n8n is up, and the sandbox is not.');
		}
		const webhookUrl = sandbox.settings.webhook?.url;
		const receiving = workflows
			.triggers()
			.find(({ productionUrl }) => productionUrl === webhookUrl);
		const listens =
			receiving && (kept.isFirst || receiving.isPublished)
				? await workflows.webhookUrl(receiving.workflowId, signal)
				: undefined;
		const stopped = workflows;
		return {
			editorUrl: origin,
			login: secrets,
			sandbox,
			n8n: {
				...n8n,
				stop: async () => {
					await n8n?.stop();
					stopped.close();
				},
			},
			n8nLogFile: logFile,
			published: workflows.published(),
			webhookUrl,
			receivingWorkflow: listens === undefined ? undefined : receiving?.workflow,
		};
	} catch (error) {
		await n8n?.stop();
		await sandbox?.close();
		workflows?.close();
		throw error;
	}
}

/** What an earlier start has left in the sandbox's store. */
interface LeftBehind {
	webhook: Webhook | null;
	/** Whether the store does not know n8n's key yet, so that it is not set up. */
	isFirst: boolean;
}

function readPreviousSettings(file: string, apiKey: string): LeftBehind {
	if (!existsSync(file)) return { webhook: null, isFirst: true };
	const store = new Store(file);
	try {
		const isFirst = findKey(store, apiKey) === undefined;
		return { webhook: new Settings(store).webhook, isFirst };
	} finally {
		store.close();
	}
}

/** The webhook URL: at first that of a ready-made workflow, then as the user left it. One of this n8n follows it to another port. */
function whereEventsGo(
	{ webhook, isFirst }: LeftBehind,
	triggers: FoundTrigger[],
): string | undefined {
	const first = triggers.find(({ workflowId }) => workflowId === firstReceiver);
	if (isFirst) return first?.productionUrl;
	const getPath = (url: string) => new URL(url).pathname;
	return (
		triggers
			.flatMap(({ productionUrl, testUrl }) => [productionUrl, testUrl])
			.find((url) => webhook && getPath(url) === getPath(webhook.url)) ?? webhook?.url
	);
}
