/** An active workflow with the polling trigger, for tests: it polls when a test says so, and n8n's process can be killed or stopped. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isDeepStrictEqual } from 'node:util';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IPollFunctions,
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
import { StartedExecutions } from './startedExecutions.mts';

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

/** What n8n keeps for one node, where it has durable cursors. */
interface Cursor {
	state: IDataObject;
	/** Writes the state down, if it has changed. */
	commit: () => void;
}

/** The workflow as it was when it was published, or read by a scheduler, and what its polls need. */
interface Polling {
	workflow: Workflow;
	context: IPollFunctions;
	emit: IPollFunctions['__emit'];
	cursor: Cursor | undefined;
	/** A node is given its static data only within a poll of the same context, and what that has started. */
	scope: AsyncLocalStorage<true>;
}

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
export class Poller extends StartedExecutions {
	readonly #credentials: TestCredentials;

	readonly #id: string;

	readonly #nodeId: string;

	hasDurableCursors: boolean;

	readonly #isScheduled: boolean;

	/** The process, and what n8n has written down of the workflow. */
	readonly #n8n: { node: PollingNode; staticData: string };

	#savedCursor: IDataObject | undefined;

	#polling: Polling | undefined;

	/** How often the workflow was published, or n8n started. */
	#publications = 0;

	parameters: INodeParameters;

	/** Milliseconds that n8n allows for a poll; its own number if left out. */
	budget: number | undefined;

	/** Milliseconds that n8n takes to write the static data down. */
	saveTakes = 0;

	/** Called before an execution starts, in the middle of the poll. */
	onExecution: (() => void) | undefined;

	/** What was written to n8n's log. */
	readonly warnings: string[] = [];

	/** Failed executions that were recorded. */
	readonly errors: Error[] = [];

	/** Of the trigger, in the workflow that is published now. */
	nodeName = 'Poll';

	/** Whether no node follows the trigger. */
	isAlone = false;

	/** The items of executions in which no node followed the trigger. */
	readonly inVain: IDataObject[][] = [];

	/** Changes the context before it is used. */
	adjust: (context: IPollFunctions) => void = () => undefined;

	constructor(
		credential: ICredentialDataDecryptedObject,
		parameters: INodeParameters = {},
		{ hasDurableCursors = false, isScheduled = false, beside, copyOf }: PollerOptions = {},
	) {
		super();
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
		const polling = this.#open(mode);
		const items = await this.#pollWith(polling, true);
		this.#polling = polling;
		this.#save(polling);
		return items;
	}

	/** The next poll: all items of the executions that it started. */
	async poll(): Promise<IDataObject[]> {
		if (this.#polling === undefined) throw new Error('start it first');
		// A scheduler reads the workflow again for each poll.
		const hasScheduler = this.hasDurableCursors || this.#isScheduled;
		const polling = hasScheduler ? this.#open('update', this.budget ?? 36_000) : this.#polling;
		return await this.#pollWith(polling, false);
	}

	/** What "Fetch Test Event" shows. */
	async test(): Promise<IDataObject[]> {
		const output = await this.#runPoll(this.#open('manual'));
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

	override kill(): void {
		super.kill();
		this.forgetProcess();
	}

	/** The workflow as it is saved, with n8n's own context for its polls. */
	#open(mode: WorkflowActivateMode, budget = this.budget): Polling {
		const { life, nodeName } = this;
		const staticData = JSON.parse(this.#n8n.staticData) as IDataObject;
		const { workflow, node } = workflowOf(
			{ ...newNode(nodeName, pollingType, this.parameters), id: this.#nodeId },
			{ id: this.#id, staticData },
		);
		const emit: Polling['emit'] = (data, _response, done) => {
			if (life !== this.life) return;
			this.onExecution?.();
			this.#save(polling);
			const items = data[0]?.map(({ json }) => json) ?? [];
			// n8n runs the workflow that is published now, in which nothing follows a name that the node had before.
			const isFollowed = nodeName === this.nodeName && !this.isAlone;
			if (!isFollowed) this.inVain.push(items);
			this.startExecution(items, done, isFollowed ? 'End' : nodeName);
		};
		const context = new n8nCore.PollContext(
			workflow,
			node,
			additionalDataFor(this.#credentials),
			mode === 'manual' ? 'manual' : 'trigger',
			mode,
			emit,
			(error) => this.errors.push(error),
		) as IPollFunctions;
		const isDurable = this.hasDurableCursors && mode !== 'manual';
		const cursor = isDurable ? this.#openCursor(workflow.getStaticData('node', node)) : undefined;
		const polling = { workflow, context, emit, cursor, scope: new AsyncLocalStorage<true>() };
		this.#equip(polling, budget);
		this.adjust(context);
		return polling;
	}

	/** What n8n 2.41 adds to a context. */
	#equip({ context, cursor, scope }: Polling, budget: number | undefined): void {
		const set = (name: keyof IPollFunctions, value: unknown) =>
			Object.defineProperty(context, name, { value, configurable: true });
		set('logger', { warn: (message: string) => this.warnings.push(message) });
		if (budget !== undefined) set('getPollBudgetMs', () => budget);
		const getStaticData = context.getWorkflowStaticData.bind(context);
		set('getWorkflowStaticData', (type: string) => {
			if (type === 'node' && cursor !== undefined) return cursor.state;
			if (type === 'node' && scope.getStore() === undefined) {
				throw new Error('Poll node read its static data outside of a poll');
			}
			return getStaticData(type);
		});
		if (cursor === undefined) return;
		set('__commitCursor', async () => {
			cursor.commit();
			await Promise.resolve();
		});
	}

	#openCursor(staticData: IDataObject): Cursor {
		const { life } = this;
		let saved = (this.#savedCursor ??= structuredClone({ ...staticData }));
		const state = structuredClone(saved);
		const commit = () => {
			if (life !== this.life || isDeepStrictEqual(state, saved)) return;
			saved = structuredClone(state);
			this.#savedCursor = saved;
		};
		return { state, commit };
	}

	async #runPoll({ context, scope }: Polling): Promise<INodeExecutionData[][] | null> {
		return await scope.run(true, async () => await this.#n8n.node.poll.call(context));
	}

	/** The items of all executions that the poll has started; one without items gives none. */
	async #pollWith(polling: Polling, isActivation: boolean): Promise<IDataObject[]> {
		const before = this.executions.length;
		const publication = this.#publications;
		const output = await this.#runPoll(polling);
		// What ends at once has ended, and what had to wait for that has started.
		await sleep(1);
		// n8n 2 drops what a poll returns whose workflow has been published again meanwhile.
		if (publication !== this.#publications) return [];
		if (output !== null) polling.emit(output);
		else if (!isActivation) polling.cursor?.commit();
		return this.executions.slice(before).flat();
	}

	#save({ workflow: { staticData }, cursor }: Polling): void {
		cursor?.commit();
		// n8n writes only what it has noticed as a change.
		if (staticData.__dataChanged !== true) return;
		this.#n8n.staticData = JSON.stringify(staticData);
		const saved = () => {
			staticData.__dataChanged = false;
		};
		if (this.saveTakes === 0) saved();
		else setTimeout(saved, this.saveTakes);
	}
}
