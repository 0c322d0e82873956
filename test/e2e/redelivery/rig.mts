/** A real n8n with workflows behind the polling trigger: one process with SQLite, or queue mode with two workers. */
import { setTimeout as sleep } from 'node:timers/promises';

import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { Clock } from '../clock.mts';
import { type QueueServices, startQueueServices } from '../queueServices.mts';
import { RealN8n } from '../realN8n.mts';
import { type Books, openBooks } from './books.mts';
import { triggered, type TriggeredOptions } from './workflows.mts';

export type Mode = 'single' | 'queue' | 'durable';

const minute = 60_000;

/** n8n's settings for durable poll cursors and its scheduler. */
const durable = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

type Process = Awaited<ReturnType<RealN8n['startAnother']>>;

export class Rig {
	readonly mode: Mode;
	readonly n8n: RealN8n;
	/** That of n8n. */
	readonly clock: Clock;
	readonly sandbox: Sandbox;
	readonly books: Books;
	readonly workflows: string[];
	/** How many polling triggers there are in all. */
	readonly triggers: number;
	readonly #services: QueueServices | undefined;
	readonly #workers: Array<Process | undefined>;

	private constructor(
		mode: Mode,
		n8n: RealN8n,
		clock: Clock,
		sandbox: Sandbox,
		books: Books,
		services: QueueServices | undefined,
		workflows: Record<string, TriggeredOptions>,
	) {
		this.mode = mode;
		this.n8n = n8n;
		this.clock = clock;
		this.sandbox = sandbox;
		this.books = books;
		this.workflows = Object.keys(workflows);
		this.triggers = Object.values(workflows).reduce((sum, each) => sum + (each.triggers ?? 1), 0);
		this.#services = services;
		this.#workers = mode === 'queue' ? [undefined, undefined] : [];
	}

	/** Imports and publishes these workflows; `start` starts n8n. `settings` are further environment variables of n8n. */
	static async prepare(
		mode: Mode,
		workflows: Record<string, TriggeredOptions> = { events: {} },
		settings: Record<string, string> = {},
	): Promise<Rig> {
		const services = mode === 'queue' ? await startQueueServices() : undefined;
		const limits = { perMinute: 1_000_000, perDay: 1_000_000 };
		const sandbox = await startSandbox({ credits: 1000, limits });
		const books = await openBooks();
		const clock = new Clock();
		const n8n = await RealN8n.prepare({
			...services?.environment,
			...(mode === 'durable' && durable),
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			// As n8n has it, so that what runs may end.
			N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '30',
			...clock.environment,
			...settings,
		});
		const { baseUrl, apiKey } = sandbox;
		await n8n.importCredential('account', { baseUrl, apiKey });
		const files = Object.entries(workflows).map(([id, options]) =>
			triggered(id, books.url, options),
		);
		await n8n.importWorkflows(files, 'account');
		return new Rig(mode, n8n, clock, sandbox, books, services, workflows);
	}

	async start(): Promise<void> {
		await this.n8n.start();
		for (const index of this.#workers.keys()) await this.#startWorker(index);
	}

	/** Requests to the service so far. */
	get requests(): number {
		return this.sandbox.books.requests().length;
	}

	/** Waits until each trigger has polled so many times more, on average. Alerts are the last that a poll reads. */
	async polls(count: number): Promise<void> {
		const polled = () =>
			this.sandbox.books.requests().filter(({ path }) => path.endsWith('/watchdog/events')).length;
		const before = polled();
		await until('polls', polled, before + count * this.triggers);
	}

	/** Executions that n8n has recorded for a workflow, by status. */
	statuses(workflow = 'events'): Record<string, number> {
		const rows = this.query(
			`SELECT "status", COUNT(*) AS "count" FROM "execution_entity" WHERE "workflowId" = '${workflow}' GROUP BY "status"`,
		);
		return Object.fromEntries(rows.map(({ status, count }) => [String(status), Number(count)]));
	}

	query(sql: string): Array<Record<string, unknown>> {
		return this.#services === undefined ? this.n8n.query(sql) : this.#services.query(sql);
	}

	/** The processes that can be killed, by number; the first is the main one. */
	get processCount(): number {
		return 1 + this.#workers.length;
	}

	/** Kills a process (-9) and starts it again. */
	async killAndRestart(index: number): Promise<void> {
		if (index === 0) {
			await this.n8n.kill();
			await this.n8n.start();
			return;
		}
		this.#workers[index - 1]?.kill();
		await this.#startWorker(index - 1);
	}

	async close(): Promise<void> {
		await this.n8n.remove();
		await this.sandbox.close();
		await this.books.close();
		await this.#services?.close();
		this.clock.close();
	}

	async #startWorker(index: number): Promise<void> {
		this.#workers[index] = await this.n8n.startAnother(['worker', '--concurrency=5']);
	}
}

/** Waits for something that takes long, and stops waiting when nothing has moved for some minutes. */
export async function until(what: string, progress: () => number, goal: number): Promise<void> {
	let last = -1;
	let since = performance.now();
	for (;;) {
		const now = progress();
		if (now >= goal) return;
		if (now !== last) since = performance.now();
		last = now;
		if (performance.now() - since >= 5 * minute) {
			throw new Error(`${what}: ${now} of ${goal}, and nothing moves any more`);
		}
		await sleep(250);
	}
}
