/** Runs an active workflow with the polling trigger as n8n does; a test triggers each poll. */
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IPollFunctions,
	IRun,
	Workflow,
	WorkflowActivateMode,
} from 'n8n-workflow';

import { TestCredentials } from '../credentials.mts';
import {
	additionalDataFor,
	createWorkflow,
	credentialType,
	newNode,
	nodeTypes,
	pollingType,
	reloadPollingNode,
} from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';

export { pollingType };

type PollingNode = INodeType & {
	poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null>;
};

/** The process of n8n, and the workflow's data in its database. */
interface N8n {
	node: PollingNode;
	/** Incremented when the process ends: later effects of the old process are ignored. */
	generation: number;
	staticData: string;
}

/** The workflow as it was published, or as n8n's scheduler read it for one poll. */
interface Published {
	workflow: Workflow;
	context: IPollFunctions;
}

export class Poller {
	readonly #id: string;
	readonly #nodeId: string;
	readonly #n8n: N8n;
	readonly #credentials: TestCredentials;
	readonly #running = new Set<Promise<void>>();
	#published: Published | undefined;

	parameters: INodeParameters;
	nodeName = 'Poll';
	timeZone = 'UTC';
	credentialId = '1';
	/** Milliseconds that n8n allows for a poll. */
	budget = 300_000;
	/** Whether n8n's scheduler polls: it reads the workflow from the database for each poll. */
	isScheduled = false;

	/** The items of each execution that was started. */
	readonly executions: IDataObject[][] = [];
	/** Messages in n8n's log. */
	readonly warnings: string[] = [];
	/** Failed executions that the trigger has recorded. */
	readonly errors: Error[] = [];
	/** Status with which new executions end. */
	executionStatus: (items: IDataObject[]) => IRun['status'] = () => 'success';
	executionDurationMs = 0;

	/**
	 * Creates an unpublished workflow.
	 *
	 * @param sibling another trigger in the same workflow
	 */
	constructor(
		credential: ICredentialDataDecryptedObject,
		parameters: INodeParameters = {},
		sibling?: Poller,
	) {
		this.#credentials = new TestCredentials(credentialType, credential);
		this.#id = sibling === undefined ? crypto.randomUUID() : sibling.#id;
		this.#nodeId = sibling === undefined ? 'one' : 'other';
		const node = nodeTypes().getByNameAndVersion(pollingType, 1) as PollingNode;
		this.#n8n = sibling === undefined ? { node, generation: 0, staticData: '{}' } : sibling.#n8n;
		const events = ['requested', 'accepted', 'published', 'broken'].map((it) => `exchange.${it}`);
		this.parameters = {
			events: [...events, 'watchdog.alert'],
			filters: {},
			options: {},
			...parameters,
		};
	}

	get credential(): ICredentialDataDecryptedObject {
		return this.#credentials.values;
	}

	set credential(values: ICredentialDataDecryptedObject) {
		this.#credentials.values = values;
	}

	/**
	 * Publishes the workflow, or starts n8n, which saves the state after this first poll.
	 *
	 * @returns the items of the executions that it started
	 */
	async start(mode: WorkflowActivateMode = 'activate'): Promise<IDataObject[]> {
		const published = this.#open(mode);
		const items = await this.#run(published);
		this.#published = published;
		this.#save(published.workflow);
		return items;
	}

	/**
	 * Runs the next poll.
	 *
	 * @returns the items of all executions that it started
	 */
	async poll(): Promise<IDataObject[]> {
		if (this.#published === undefined) throw new Error('start it first');
		return await this.#run(this.isScheduled ? this.#open('update', 36_000) : this.#published);
	}

	/** Returns the items that Fetch Test Event shows. */
	async test(): Promise<IDataObject[]> {
		const output = await this.#n8n.node.poll.call(this.#open('manual').context);
		return output?.[0]?.map(({ json }) => json) ?? [];
	}

	/** Replaces each saved state of a trigger by this text, like a user who edits n8n's database. */
	corruptState(text: string): void {
		const staticData = JSON.parse(this.#n8n.staticData) as Record<
			string,
			Record<string, IDataObject>
		>;
		for (const state of Object.values(staticData.global ?? {})) state.json = text;
		this.#n8n.staticData = JSON.stringify(staticData);
	}

	/** Kills n8n, which loses unsaved data. */
	kill(): void {
		this.#n8n.generation++;
		this.#n8n.node = reloadPollingNode() as PollingNode;
		this.#running.clear();
	}

	/** Stops n8n, which first waits for running executions. */
	async stop(): Promise<void> {
		while (this.#running.size > 0) await Promise.race(this.#running);
		for (let microtask = 0; microtask < 20; microtask++) await Promise.resolve();
		this.kill();
	}

	#open(mode: WorkflowActivateMode, budget = this.budget): Published {
		const node = {
			...newNode(this.nodeName, pollingType, this.parameters),
			id: this.#nodeId,
			credentials: { backlinkExchangeApi: { id: this.credentialId, name: 'Test' } },
		};
		const staticData = JSON.parse(this.#n8n.staticData) as IDataObject;
		const { workflow } = createWorkflow(node, {
			id: this.#id,
			staticData,
			timeZone: this.timeZone,
		});
		const { generation } = this.#n8n;
		const emit: IPollFunctions['__emit'] = (data, _response, done) => {
			if (generation !== this.#n8n.generation) return;
			this.#save(workflow);
			const items = data[0]?.map(({ json }) => json) ?? [];
			this.executions.push(items);
			const running = this.#execute(this.executionStatus(items), done, generation);
			this.#running.add(running);
			void running.then(() => this.#running.delete(running));
		};
		const context = new n8nCore.PollContext(
			workflow,
			node,
			additionalDataFor(this.#credentials),
			mode === 'manual' ? 'manual' : 'trigger',
			mode,
			emit,
			(error) => this.errors.push(error),
		);
		const logger = { warn: (message: string) => this.warnings.push(message) };
		Object.defineProperty(context, 'logger', { value: logger });
		Object.defineProperty(context, 'getPollBudgetMs', { value: () => budget });
		return { workflow, context };
	}

	async #run({ context }: Published): Promise<IDataObject[]> {
		const before = this.executions.length;
		await this.#n8n.node.poll.call(context);
		return this.executions.slice(before).flat();
	}

	async #execute(
		status: IRun['status'],
		done: Parameters<IPollFunctions['__emit']>[2],
		generation: number,
	): Promise<void> {
		if (this.executionDurationMs > 0) await n8nWorkflow.sleep(this.executionDurationMs);
		if (generation !== this.#n8n.generation) return;
		done?.resolve({ status } as IRun);
	}

	/** Saves static data as n8n does: only if n8n has noticed a change. */
	#save({ staticData }: Workflow): void {
		if (staticData.__dataChanged !== true) return;
		this.#n8n.staticData = JSON.stringify(staticData);
		staticData.__dataChanged = false;
	}
}
