import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { getMailPort } from '../mail/mailServer.mts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../sandbox.mts';
import { findKey } from '../service/keys.mts';
import { Settings, type Webhook } from '../settings.mts';
import { Store } from '../store/store.mts';
import { moveEarlierData } from './n8n/earlierData.mts';
import { n8nEnvironment } from './n8n/environment.mts';
import { importIntoN8n, importSecret } from './n8n/import.mts';
import { installN8n } from './n8n/installation.mts';
import type { Execution } from './n8n/messages.mts';
import { buildAndInstallPackage } from './n8n/packedPackage.mts';
import { findFreePort, requireFreePort } from './n8n/ports.mts';
import { type N8nServer, startN8n } from './n8n/process.mts';
import { openDataFolder, type Secrets } from './n8n/secrets.mts';
import { type FoundTrigger, WorkflowsInN8n } from './n8n/triggers.mts';

export interface PlaygroundOptions {
	data: string;
	n8nPort: number;
	sandboxPort: number;
	/** Whether a new sandbox gets demo data. */
	demoData: boolean;
	/** Publishes a live copy of the workflow that accepts offers. It spends the sandbox's credits. */
	acceptOffers: boolean;
	/** Stops the start, and what has been started. */
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
	/** Where the sandbox sends deliveries. */
	webhookUrl: string | undefined;
	/** Name of the workflow that listens there, if any. */
	receivingWorkflow: string | undefined;
}

/** Workflow that receives deliveries until the user chooses another. */
const defaultReceiver = 'events-by-webhook';

/**
 * Starts the sandbox and n8n, runs `use` with them, and always stops both.
 *
 * @throws {InstallationError}
 * @throws {InvalidSettingError}
 * @throws the reason of the signal
 */
export async function withPlayground(
	options: PlaygroundOptions,
	use: (playground: Playground) => Promise<void>,
): Promise<void> {
	const { data, n8nPort, sandboxPort } = options;
	// A playground that is still running keeps its data.
	await requireFreePort(n8nPort, 'n8n', '--n8n-port');
	await requireFreePort(sandboxPort, 'the sandbox', '--sandbox-port');
	const mailPort = getMailPort(sandboxPort);
	await requireFreePort(mailPort, "the sandbox's mail server", '--sandbox-port');
	const earlierData = moveEarlierData(data);
	if (earlierData !== undefined) {
		console.log(
			`The data in ${data} is from an earlier version of this package and can't be used any longer. It was moved to ${earlierData}, and this start creates new data.`,
		);
	}
	const secrets = openDataFolder(data);
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
	const n8nLogFile = join(data, 'n8n.log');
	const logFile = join(data, 'start.log');
	rmSync(logFile, { force: true });
	const sandboxFile = join(data, 'sandbox.sqlite');
	// Before anything is installed, because a store that can't be used ends the start.
	const previous = readPreviousSettings(sandboxFile, secrets.apiKey);
	mkdirSync(userFolder, { recursive: true });
	await buildAndInstallPackage(data, userFolder, signal, logFile);
	const installation = await installN8n(signal, logFile);

	const brokerPort = await findFreePort();
	const environment = n8nEnvironment({
		installation,
		userFolder,
		port: n8nPort,
		brokerPort,
		secrets,
	});
	const importOptions = {
		installation,
		environment,
		data,
		secrets,
		baseUrl: `http://127.0.0.1:${sandboxPort}/api`,
		webhookSecret: previous.webhook?.secret ?? secrets.webhookSecret,
		mailPort: getMailPort(sandboxPort),
		acceptOffers: options.acceptOffers,
		signal,
		logFile,
	};
	await importIntoN8n(importOptions);

	const origin = `http://127.0.0.1:${n8nPort}`;
	let sandbox: Sandbox | undefined;
	let n8n: N8nServer | undefined;
	let workflows: WorkflowsInN8n | undefined;
	try {
		console.log('Starting n8n …');
		n8n = await startN8n({
			installation,
			environment,
			folder: data,
			logFile: n8nLogFile,
			signal,
			onExecution: options.onExecution,
			// n8n answers 200 to deliveries before it is up, and then forgets them. So the sandbox starts
			// last.
			onReady: async () => {
				console.log('Starting the sandbox …');
				const n8nWorkflows = new WorkflowsInN8n(userFolder, origin);
				workflows = n8nWorkflows;
				const url = getWebhookUrl(previous, n8nWorkflows.triggers());
				const secret = importOptions.webhookSecret;
				sandbox = await startSandbox({
					port: sandboxPort,
					mailPort: importOptions.mailPort,
					data: sandboxFile,
					webhook: url === undefined ? null : { url, secret },
					// Later starts find the key in the store. If the user has revoked it, it stays revoked.
					...(previous.isFirst && { apiKey: secrets.apiKey }),
					...(options.demoData && { seed: 1 }),
					onActivity: options.onActivity,
					receiver: {
						triggers: () => n8nWorkflows.triggers(),
						setSecret: (webhookSecret) => importSecret({ ...importOptions, webhookSecret }),
					},
				});
			},
		});
		if (sandbox === undefined || workflows === undefined) {
			throw new Error('n8n has started without the sandbox.');
		}
		const webhookUrl = sandbox.settings.webhook?.url;
		const receiving = workflows
			.triggers()
			.find(({ productionUrl }) => productionUrl === webhookUrl);
		const listens =
			receiving && (previous.isFirst || receiving.isPublished)
				? await workflows.webhookUrl(receiving.workflowId, signal)
				: undefined;
		const startedWorkflows = workflows;
		return {
			editorUrl: origin,
			login: secrets,
			sandbox,
			n8n: {
				...n8n,
				stop: async () => {
					await n8n?.stop();
					startedWorkflows.close();
				},
			},
			n8nLogFile,
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

/** Settings of an earlier start, from the sandbox's store. */
interface PreviousSettings {
	webhook: Webhook | null;
	/** Whether the store doesn't have n8n's key yet. */
	isFirst: boolean;
}

function readPreviousSettings(file: string, apiKey: string): PreviousSettings {
	if (!existsSync(file)) return { webhook: null, isFirst: true };
	const store = new Store(file);
	try {
		const isFirst = findKey(store, apiKey) === undefined;
		return { webhook: new Settings(store).webhook, isFirst };
	} finally {
		store.close();
	}
}

/**
 * Returns the webhook URL: at first that of a ready-made workflow, later the user's choice.
 *
 * A URL of this n8n is adapted to the current port.
 */
function getWebhookUrl(
	{ webhook, isFirst }: PreviousSettings,
	triggers: FoundTrigger[],
): string | undefined {
	const first = triggers.find(({ workflowId }) => workflowId === defaultReceiver);
	if (isFirst) return first?.productionUrl;
	const getPath = (url: string) => new URL(url).pathname;
	return (
		triggers
			.flatMap(({ productionUrl, testUrl }) => [productionUrl, testUrl])
			.find((url) => webhook && getPath(url) === getPath(webhook.url)) ?? webhook?.url
	);
}
