/**
 * Runs a real n8n with the packed package installed, in a temporary folder, for tests and
 * benchmarks.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { runCommand } from '../../sandbox/start/n8n/command.mts';
import { n8nEnvironment } from '../../sandbox/start/n8n/environment.mts';
import { installN8n } from '../../sandbox/start/n8n/installation.mts';
import type { Execution } from '../../sandbox/start/n8n/messages.mts';
import { installPackage } from '../../sandbox/start/n8n/packedPackage.mts';
import { findFreePort } from '../../sandbox/start/n8n/ports.mts';
import { n8nProgram, type N8nServer, startN8n } from '../../sandbox/start/n8n/process.mts';
import { openDataFolder } from '../../sandbox/start/n8n/secrets.mts';
import { WorkflowsInN8n } from '../../sandbox/start/n8n/triggers.mts';
import type { WorkflowFile } from '../../sandbox/start/n8n/workflowFiles.mts';

const signal = new AbortController().signal;

/** Environment variable with the data folder of an n8n that has been started once. Optional. */
export const templateVariable = 'BACKLINK_EXCHANGE_N8N_TEMPLATE';

/** Data with which a user opens the editor. */
export interface Login {
	editorUrl: string;
	email: string;
	password: string;
}

export class RealN8n {
	readonly executions: Execution[] = [];

	readonly origin: string;

	#server: N8nServer | undefined;

	/** Further processes of the same n8n, in queue mode. */
	readonly #others: N8nServer[] = [];

	readonly #data: string;

	readonly #installation: string;

	readonly #environment: NodeJS.ProcessEnv;

	private constructor(
		data: string,
		installation: string,
		environment: NodeJS.ProcessEnv,
		port: number,
	) {
		this.#data = data;
		this.#installation = installation;
		this.#environment = environment;
		this.origin = `http://127.0.0.1:${port}`;
	}

	/**
	 * Installs the package; `start` starts n8n.
	 *
	 * @param settings further environment variables of n8n
	 */
	static async prepare(settings: Record<string, string> = {}): Promise<RealN8n> {
		const n8n = await RealN8n.prepareEmpty(settings);
		await installPackage(join(n8n.#data, 'data'), n8n.userFolder, signal);
		return n8n;
	}

	/** Creates an n8n without the package. */
	static async prepareEmpty(settings: Record<string, string> = {}): Promise<RealN8n> {
		const data = mkdtempSync(join(tmpdir(), 'backlink-exchange-e2e-'));
		const folder = join(data, 'data');
		const template = process.env[templateVariable];
		if (template !== undefined) cpSync(template, folder, { recursive: true });
		const secrets = openDataFolder(folder);
		const installation = await installN8n(signal);
		const userFolder = join(folder, 'n8n');
		mkdirSync(userFolder, { recursive: true });
		const port = await findFreePort();
		const brokerPort = await findFreePort();
		const environment = n8nEnvironment({ installation, userFolder, port, brokerPort, secrets });
		return new RealN8n(data, installation, { ...environment, ...settings }, port);
	}

	/** The files of n8n and the package, and the secrets. */
	get dataFolder(): string {
		return join(this.#data, 'data');
	}

	get userFolder(): string {
		return join(this.dataFolder, 'n8n');
	}

	/** URL of the editor and login of the owner. */
	get login(): Login {
		const { email, password } = openDataFolder(this.dataFolder);
		return { editorUrl: `${this.origin}/signin`, email, password };
	}

	get logFile(): string {
		return join(this.#data, 'n8n.log');
	}

	get log(): string {
		return readFileSync(this.logFile, 'utf8');
	}

	/** Runs one of n8n's own commands. */
	async command(...args: string[]): Promise<string> {
		const { code, output } = await runCommand(
			process.execPath,
			[n8nProgram(this.#installation), ...args],
			{ cwd: this.#data, env: this.#environment, signal },
		);
		if (code !== 0) throw new Error(`n8n ${args.join(' ')}: ${output}`);
		return output;
	}

	async importCredential(id: string, values: Record<string, string>): Promise<void> {
		await this.#import('credentials', [
			{ id, name: id, type: 'backlinkExchangeApi', data: values },
		]);
	}

	/**
	 * Imports workflows, with the credential on the nodes of this package, and publishes them. n8n
	 * must not be running.
	 */
	async importWorkflows(workflows: WorkflowFile[], credentialId: string): Promise<void> {
		const prepared = workflows.map((workflow) => ({
			...workflow,
			nodes: workflow.nodes.map((node) => ({
				webhookId: crypto.randomUUID(),
				...(node.type.startsWith('n8n-nodes-backlink-exchange.') && {
					credentials: { backlinkExchangeApi: { id: credentialId, name: credentialId } },
				}),
				...node,
			})),
		}));
		await this.#import('workflow', prepared);
		for (const { id } of workflows) await this.command('publish:workflow', `--id=${id}`);
	}

	async start(): Promise<void> {
		this.#server = await this.#startProcess(['start'], {}, 'n8n.log');
	}

	/**
	 * Starts another process of the same n8n, as in queue mode: a worker, or a webhook processor.
	 *
	 * @returns its URL, its log so far, and a function that kills it with SIGKILL
	 */
	async startAnother(
		command: string[],
		settings: Record<string, string> = {},
	): Promise<{ origin: string; log: () => string; kill: () => void }> {
		const port = String(await findFreePort());
		const logName = `${command[0] ?? ''}-${this.#others.length}.log`;
		const own = {
			N8N_PORT: port,
			N8N_RUNNERS_BROKER_PORT: String(await findFreePort()),
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: port,
			...settings,
		};
		const server = await this.#startProcess(command, own, logName);
		this.#others.push(server);
		return {
			origin: `http://127.0.0.1:${port}`,
			log: () => readFileSync(join(this.#data, logName), 'utf8'),
			// The whole process group: n8n starts another process for its JavaScript runner.
			kill: () => process.kill(-server.processId, 'SIGKILL'),
		};
	}

	/** Stops the process of `start`; others keep running. */
	async stop(): Promise<void> {
		await this.#server?.stop();
		this.#server = undefined;
	}

	/** Kills the process of `start` with SIGKILL; others keep running. */
	async kill(): Promise<void> {
		if (this.#server === undefined) return;
		// The whole process group: n8n starts another process for its JavaScript runner.
		process.kill(-this.#server.processId, 'SIGKILL');
		await this.#server.ended;
		this.#server = undefined;
	}

	/** Returns the production URL of a workflow's webhook. */
	async webhookUrl(workflowId: string): Promise<string> {
		const workflows = new WorkflowsInN8n(this.userFolder, this.origin);
		const url = await workflows.webhookUrl(workflowId, signal);
		workflows.close();
		if (url === undefined) {
			throw new Error(`the workflow ${workflowId} has no webhook\n${this.log}`);
		}
		return url;
	}

	/** Queries n8n's database. */
	query(sql: string): Array<Record<string, unknown>> {
		const database = new DatabaseSync(join(this.userFolder, '.n8n', 'database.sqlite'), {
			readOnly: true,
			timeout: 5000,
		});
		try {
			return database.prepare(sql).all();
		} finally {
			database.close();
		}
	}

	async remove(): Promise<void> {
		await Promise.all([this.stop(), ...this.#others.map((other) => other.stop())]);
		rmSync(this.#data, { recursive: true, force: true });
	}

	async #startProcess(
		command: string[],
		settings: Record<string, string>,
		logName: string,
	): Promise<N8nServer> {
		return await startN8n({
			command,
			installation: this.#installation,
			environment: { ...this.#environment, ...settings },
			folder: this.#data,
			logFile: join(this.#data, logName),
			signal,
			onReady: () => Promise.resolve(),
			onExecution: (execution) => this.executions.push(execution),
		});
	}

	async #import(kind: string, content: unknown): Promise<void> {
		const file = join(this.#data, 'import.json');
		writeFileSync(file, JSON.stringify(content), { mode: 0o600 });
		await this.command(`import:${kind}`, `--input=${file}`);
		rmSync(file);
	}
}
