/** A real n8n with the event inbox in it: one process with SQLite, or queue mode with everything twice. */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { WorkflowFile } from '../../../playground/n8n/workflowFiles.mts';
import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { type QueueServices, startQueueServices } from '../queueServices.mts';
import { RealN8n } from '../realN8n.mts';
import { type Books, openBooks } from './books.mts';
import { inboxId, type InboxOptions, inboxWorkflow, receiver } from './workflows.mts';

export type Mode = 'single' | 'queue';

const secret = 'the webhook secret';

/** A row of the inbox's table. */
export interface Row {
	id: number;
	eventKey: string;
	state: string;
	tries: number;
	source: string;
	note: string | null;
}

export interface Event {
	event: string;
	data: Record<string, unknown>;
}

type Process = Awaited<ReturnType<RealN8n['startAnother']>>;

/** One that can be killed and started again. */
interface Seat {
	kind: 'main' | 'worker' | 'webhook';
	process?: Process;
}

export class Rig {
	readonly mode: Mode;
	readonly n8n: RealN8n;
	readonly sandbox: Sandbox;
	readonly books: Books;
	readonly #services: QueueServices | undefined;
	readonly #webhookId: string;
	/** The processes beside the main one; none in single mode. */
	readonly #seats: Seat[];

	private constructor(
		mode: Mode,
		n8n: RealN8n,
		sandbox: Sandbox,
		books: Books,
		services: QueueServices | undefined,
		webhookId: string,
	) {
		this.mode = mode;
		this.n8n = n8n;
		this.sandbox = sandbox;
		this.books = books;
		this.#services = services;
		this.#webhookId = webhookId;
		const kinds = ['worker', 'worker', 'webhook', 'webhook'] as const;
		this.#seats = mode === 'single' ? [] : kinds.map((kind) => ({ kind }));
	}

	/**
	 * Starts everything, with a workflow `receiver` that all kinds of events are handed on to.
	 * @param more further settings of n8n, and further workflows, which may need the address of the books
	 */
	static async start(
		mode: Mode,
		options: Omit<InboxOptions, 'webhookId'>,
		more: {
			environment?: Record<string, string>;
			workflows?: (booksUrl: string) => WorkflowFile[];
		} = {},
	): Promise<Rig> {
		const services = mode === 'queue' ? await startQueueServices() : undefined;
		const sandbox = await startSandbox({ credits: 1000, delivery: { backoffMilliseconds: [] } });
		const books = await openBooks();
		const n8n = await RealN8n.prepare({
			...services?.environment,
			// How soon the work of a worker that has died is given up; n8n's defaults are 60 and 30 seconds.
			QUEUE_WORKER_LOCK_DURATION: '4000',
			QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
			QUEUE_WORKER_STALLED_INTERVAL: '2000',
			N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
			...more.environment,
		});
		const webhookId = crypto.randomUUID();
		const rig = new Rig(mode, n8n, sandbox, books, services, webhookId);
		const { baseUrl, apiKey } = sandbox;
		await n8n.importCredential('account', { baseUrl, apiKey, webhookSecret: secret });
		const kinds = ['exchangeRequested', 'exchangeAccepted', 'exchangePublished', 'exchangeBroken'];
		const settings = Object.fromEntries(
			[...kinds, 'watchdogAlert'].map((kind) => [kind, 'receiver']),
		);
		const inbox = inboxWorkflow({
			...options,
			settings: { ...settings, ...options.settings },
			webhookId,
		});
		const others = more.workflows?.(books.url) ?? [];
		await n8n.importWorkflows([inbox, receiver('receiver', books.url), ...others], 'account');
		await n8n.start();
		await Promise.all(
			rig.#seats.map(async (seat) => {
				await rig.#fill(seat);
			}),
		);
		return rig;
	}

	/** Where deliveries can go: the webhook processors, or the only process. */
	get origins(): string[] {
		const processors = this.#seats.filter(({ kind }) => kind === 'webhook');
		if (this.#seats.length === 0) return [this.n8n.origin];
		return processors.flatMap(({ process }) => (process === undefined ? [] : [process.origin]));
	}

	/** Delivers events, signed, as one request; several are an array. */
	async deliver(origin: string, events: Event[], webhookId = this.#webhookId): Promise<number> {
		const body = JSON.stringify(events.length === 1 ? events[0] : events);
		const signature = createHmac('sha256', secret).update(body).digest('hex');
		const response = await fetch(`${origin}/webhook/${webhookId}/webhook`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'x-pb-signature': signature },
			body,
		});
		await response.body?.cancel();
		return response.status;
	}

	/** The inbox's table, as n8n's database has it; empty before the first event. */
	rows(condition = 'TRUE', id = inboxId): Row[] {
		const table = this.table(id);
		if (table === undefined) return [];
		const columns = '"id", "eventKey", "state", "tries", "source", "note"';
		return this.query(
			`SELECT ${columns} FROM "${table}" WHERE ${condition} ORDER BY "id"`,
		) as unknown as Row[];
	}

	/** Changes rows as a person could in the editor. */
	change(assignments: string, condition = 'TRUE', id = inboxId): void {
		this.execute(`UPDATE "${this.table(id) ?? ''}" SET ${assignments} WHERE ${condition}`);
	}

	/** How many rows are in each state. */
	states(): Record<string, number> {
		const states: Record<string, number> = {};
		for (const { state } of this.rows()) states[state] = (states[state] ?? 0) + 1;
		return states;
	}

	query(sql: string): Array<Record<string, unknown>> {
		return this.#services === undefined ? this.n8n.query(sql) : this.#services.query(sql);
	}

	execute(sql: string): void {
		if (this.#services !== undefined) {
			this.#services.execute(sql);
			return;
		}
		const file = join(this.n8n.userFolder, '.n8n', 'database.sqlite');
		const database = new DatabaseSync(file, { timeout: 20_000 });
		try {
			database.exec(sql);
		} finally {
			database.close();
		}
	}

	/** The name of the inbox's table in n8n's database. */
	table(id = inboxId): string | undefined {
		const [found] = this.query(
			`SELECT "id" FROM "data_table" WHERE "name" = 'Backlink Exchange inbox (${id})'`,
		);
		return typeof found?.id === 'string' ? `data_table_user_${found.id}` : undefined;
	}

	/** The processes that can be killed, by number. */
	get processes(): string[] {
		return ['main', ...this.#seats.map(({ kind }) => kind)];
	}

	/** Kills a process (-9) and starts it again. */
	async killAndRestart(index: number): Promise<void> {
		if (index === 0) {
			await this.n8n.kill();
			await this.n8n.start();
			return;
		}
		const seat = this.#seats[index - 1];
		if (seat === undefined) throw new Error(`there is no process ${index}`);
		seat.process?.kill();
		seat.process = undefined;
		await this.#fill(seat);
	}

	async close(): Promise<void> {
		await this.n8n.remove();
		await this.sandbox.close();
		await this.books.close();
		await this.#services?.close();
	}

	async #fill(seat: Seat): Promise<void> {
		const command = seat.kind === 'worker' ? ['worker', '--concurrency=5'] : ['webhook'];
		seat.process = await this.n8n.startAnother(command);
	}
}
