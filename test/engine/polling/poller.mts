import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IPollFunctions,
	IRun,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { TestCredentials } from '../credentials.mts';
import {
	additionalDataFor,
	credentialType,
	freshPollingNode,
	newNode,
	nodeTypes,
	workflowOf,
} from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';

const { sleep } = n8nWorkflow;

export const pollingType = 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger';
/** A node whose method poll can be called directly. */
type PollingNode = INodeType & {
	poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null>;
};

const allEvents = [
	'exchange.requested',
	'exchange.accepted',
	'exchange.published',
	'exchange.broken',
	'watchdog.alert',
];

/** How an execution ends; `silent`: n8n never says. */
export type Ending = IRun['status'] | 'silent' | 'not started';

/** What a kind of n8n does with the state and with polls. */
export interface PollerOptions {
	/** n8n keeps the state by the node's id, in one transaction with an execution, and after each poll that an activation did not make. */
	hasDurableCursors?: boolean;
	/** n8n's scheduler polls, and reads for each poll what is saved. */
	isScheduled?: boolean;
	/** Another trigger of the same workflow. n8n keeps the static data for each of them, and saves it whole. */
	beside?: Poller;
	/** The workflow is a copy of this one's. */
	copyOf?: Poller;
}

/**
 * An active workflow with the polling trigger, the way n8n runs it: the real PollContext and the real static data, which is
 * written down when the workflow has been activated and when an execution is started, and lives in memory otherwise.
 */
export class Poller {
	readonly #credentials: TestCredentials;

	readonly #id: string;

	readonly #nodeId: string;

	hasDurableCursors: boolean;

	readonly #isScheduled: boolean;

	/** The process, and what n8n has written down of the workflow. */
	readonly #n8n: { node: PollingNode; staticData: string };

	#savedCursor: IDataObject | undefined;

	#workflow: Workflow | undefined;

	#context: IPollFunctions | undefined;

	/** How often the workflow was published, or n8n started. */
	#publications = 0;

	parameters: INodeParameters;

	/** Milliseconds that n8n allows for a poll; its own number if left out. */
	budget: number | undefined;

	/** Milliseconds that n8n takes to write the static data down. */
	saveTakes = 0;

	/** How the executions end that are started from now on; the items of each are given. */
	ending: (items: IDataObject[]) => Ending = () => 'success';

	/** Milliseconds that such an execution takes; without any it ends at once. */
	takes: (items: IDataObject[]) => number = () => 0;

	/** Called when n8n tells how an execution has ended. */
	onEnd: (items: IDataObject[], ending: Ending) => void = () => undefined;

	/** How many executions n8n runs at once; the others wait for their turn, and n8n does not wait for them when it stops. */
	limit = Infinity;

	/** Executions that are running, and end by themselves. */
	readonly #running = new Set<Promise<unknown>>();

	/** What starts the executions that wait for their turn, in order. */
	readonly #waiting: Array<() => void> = [];

	/** Goes up when the process is gone: what it still does has no effect. */
	#life = 0;

	/** Called before an execution starts, in the middle of the poll. */
	onExecution: (() => void) | undefined;

	/** What was written to n8n's log. */
	readonly warnings: string[] = [];

	/** Failed executions that were recorded. */
	readonly errors: Error[] = [];

	/** The items of each execution that was started. */
	readonly executions: IDataObject[][] = [];

	nodeName = 'Poll';

	/** Changes the context before it is used. */
	adjust: (context: IPollFunctions) => void = () => undefined;

	constructor(
		credential: ICredentialDataDecryptedObject,
		parameters: INodeParameters = {},
		{ hasDurableCursors = false, isScheduled = false, beside, copyOf }: PollerOptions = {},
	) {
		this.#credentials = new TestCredentials(credentialType, credential);
		this.#id = beside === undefined ? crypto.randomUUID() : beside.#id;
		this.#nodeId = beside === undefined ? 'the node' : 'another node';
		const node = nodeTypes().getByNameAndVersion(pollingType, 1) as PollingNode;
		const staticData = copyOf === undefined ? '{}' : copyOf.#n8n.staticData;
		this.#n8n = beside === undefined ? { node, staticData } : beside.#n8n;
		this.hasDurableCursors = hasDurableCursors;
		this.#isScheduled = isScheduled;
		this.parameters = { events: allEvents, filters: {}, options: {}, ...parameters };
	}

	get credential(): ICredentialDataDecryptedObject {
		return this.#credentials.values;
	}

	set credential(values: ICredentialDataDecryptedObject) {
		this.#credentials.values = values;
	}

	/** Bytes of what n8n keeps in its database. */
	get savedBytes(): number {
		const cursor = this.#savedCursor;
		return Buffer.byteLength(cursor ? JSON.stringify(cursor) : this.#n8n.staticData);
	}

	/** Activates the workflow, or n8n starts again: what was not written down is gone. The first poll comes with it. */
	async start(mode: WorkflowActivateMode = 'activate'): Promise<IDataObject[]> {
		this.#publications++;
		const workflow = this.#newWorkflow();
		const context = this.#newContext(workflow, mode);
		const items = await this.#pollWith(context, true);
		this.#workflow = workflow;
		this.#context = context;
		this.#save(workflow);
		return items;
	}

	/** The next poll: all items of the executions that it started. */
	async poll(): Promise<IDataObject[]> {
		if (this.#workflow === undefined || this.#context === undefined) {
			throw new Error('start it first');
		}
		// A scheduler reads the workflow again for each poll.
		const context = this.#hasScheduler
			? this.#newContext(this.#newWorkflow(), 'update', this.budget ?? 36_000)
			: this.#context;
		return await this.#pollWith(context, false);
	}

	get #hasScheduler(): boolean {
		return this.hasDurableCursors || this.#isScheduled;
	}

	/** What "Fetch Test Event" shows. */
	async test(): Promise<IDataObject[]> {
		const context = this.#newContext(this.#newWorkflow(), 'manual');
		const output = await this.#runPoll(context);
		return output?.[0]?.map(({ json }) => json) ?? [];
	}

	/**
	 * n8n was killed: what the package kept in memory is gone. Or another process is the leader now, until the one is again
	 * that the result goes back to.
	 */
	forgetProcess(): () => void {
		const { node } = this.#n8n;
		this.#n8n.node = freshPollingNode() as PollingNode;
		return () => {
			this.#n8n.node = node;
		};
	}

	/** n8n was killed, with all that is running. */
	kill(): void {
		this.#life++;
		this.#running.clear();
		this.#waiting.length = 0;
		this.forgetProcess();
	}

	/** n8n is stopped: it waits for the executions that run, without a limit from now on, and is gone as soon as none does. */
	async stop(): Promise<void> {
		const { limit } = this;
		this.#waiting.length = 0;
		this.limit = Infinity;
		while (this.#running.size > 0) await Promise.race(this.#running);
		for (let microtask = 0; microtask < 50; microtask++) await Promise.resolve();
		this.kill();
		this.limit = limit;
	}

	#takeUp(): void {
		while (this.#running.size < this.limit && this.#waiting.length > 0) this.#waiting.shift()?.();
	}

	#newWorkflow(): Workflow {
		const node = newNode(this.nodeName, pollingType, this.parameters);
		const staticData = JSON.parse(this.#n8n.staticData) as IDataObject;
		return workflowOf({ ...node, id: this.#nodeId }, { id: this.#id, staticData }).workflow;
	}

	#newContext(
		workflow: Workflow,
		mode: WorkflowActivateMode,
		budget = this.budget,
	): IPollFunctions {
		const node = workflow.getNode(this.nodeName);
		if (node === null) throw new Error('the node is missing');
		const additionalData: IWorkflowExecuteAdditionalData = additionalDataFor(this.#credentials);
		const life = this.#life;
		const emit: IPollFunctions['__emit'] = (data, _response, done) => {
			if (life !== this.#life) return;
			const items = data[0]?.map(({ json }) => json) ?? [];
			this.onExecution?.();
			this.#save(workflow);
			this.executions.push(items);
			const status = this.ending(items);
			if (status === 'silent') return;
			const end = () => {
				this.onEnd(items, status);
				if (status === 'not started') done?.reject(new Error('the execution was not started'));
				else done?.resolve({ status } as IRun);
			};
			const milliseconds = this.takes(items);
			if (milliseconds === 0 && this.#running.size < this.limit) {
				end();
				return;
			}
			this.#waiting.push(() => {
				const run = sleep(milliseconds).then(() => {
					this.#running.delete(run);
					if (life !== this.#life) return;
					end();
					this.#takeUp();
				});
				this.#running.add(run);
			});
			this.#takeUp();
		};
		const emitError = (error: Error) => {
			this.errors.push(error);
		};
		const context = new n8nCore.PollContext(
			workflow,
			node,
			additionalData,
			mode === 'manual' ? 'manual' : 'trigger',
			mode,
			emit,
			emitError,
		) as IPollFunctions;
		const warn = (message: string) => this.warnings.push(message);
		Object.defineProperty(context, 'logger', { value: { warn } });
		if (budget !== undefined) {
			Object.defineProperty(context, 'getPollBudgetMs', { value: () => budget });
		}
		const scope = new AsyncLocalStorage<true>();
		this.#scopes.set(context, scope);
		const resolveStaticData = context.getWorkflowStaticData.bind(context);
		const getStaticData = (type: string) => {
			if (type === 'node' && scope.getStore() === undefined) {
				throw new Error('Poll node read its static data outside of a poll');
			}
			return resolveStaticData(type);
		};
		Object.defineProperty(context, 'getWorkflowStaticData', {
			value: getStaticData,
			configurable: true,
		});
		if (this.hasDurableCursors && mode !== 'manual') {
			const own: IDataObject = { ...workflow.getStaticData('node', node) };
			this.#savedCursor ??= structuredClone(own);
			const cursor = structuredClone(this.#savedCursor);
			const getOwn = (type: string) => (type === 'node' ? cursor : getStaticData(type));
			Object.defineProperty(context, 'getWorkflowStaticData', { value: getOwn });
			this.#cursors.set(workflow, cursor);
			this.#seeds.set(cursor, this.#savedCursor);
			const commit = async () => {
				if (life === this.#life) this.#commit(cursor);
				await Promise.resolve();
			};
			Object.defineProperty(context, '__commitCursor', { value: commit });
		}
		this.adjust(context);
		this.#emits.set(context, emit);
		return context;
	}

	/** n8n 2.41 gives a node its static data only within a poll of the same context, and what that has started. */
	readonly #scopes = new WeakMap<IPollFunctions, AsyncLocalStorage<true>>();

	async #runPoll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const poll = async () => await this.#n8n.node.poll.call(context);
		return (await this.#scopes.get(context)?.run(true, poll)) ?? null;
	}

	readonly #cursors = new WeakMap<Workflow, IDataObject>();

	/** What of a cursor is written down: only a change is. */
	readonly #seeds = new WeakMap<IDataObject, IDataObject>();

	readonly #emits = new WeakMap<IPollFunctions, IPollFunctions['__emit']>();

	/** The items of all executions that the poll has started; one without items gives none. */
	async #pollWith(context: IPollFunctions, isActivation: boolean): Promise<IDataObject[]> {
		const before = this.executions.length;
		const publication = this.#publications;
		const output = await this.#runPoll(context);
		// What ends at once has ended, and what had to wait for that has started.
		await sleep(1);
		// n8n 2 drops what a poll returns whose workflow has been published again meanwhile.
		if (publication !== this.#publications) return [];
		if (output !== null) this.#emits.get(context)?.(output);
		else if (!isActivation && this.hasDurableCursors) {
			this.#commit(context.getWorkflowStaticData('node'));
		}
		return this.executions.slice(before).flat();
	}

	#commit(cursor: IDataObject): void {
		if (isDeepStrictEqual(cursor, this.#seeds.get(cursor))) return;
		this.#savedCursor = structuredClone(cursor);
		this.#seeds.set(cursor, this.#savedCursor);
	}

	#save(workflow: Workflow): void {
		const cursor = this.#cursors.get(workflow);
		if (cursor !== undefined) this.#commit(cursor);
		// n8n writes only what it has noticed as a change.
		if (workflow.staticData.__dataChanged !== true) return;
		this.#n8n.staticData = JSON.stringify(workflow.staticData);
		const saved = () => {
			workflow.staticData.__dataChanged = false;
		};
		if (this.saveTakes === 0) saved();
		else setTimeout(saved, this.saveTakes);
	}
}
