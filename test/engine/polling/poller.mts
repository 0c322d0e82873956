import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	IPollFunctions,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { TestCredentials } from '../credentials.mts';
import { additionalDataFor, credentialType, newNode, nodeTypes } from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';

export const pollingType = 'n8n-nodes-backlink-exchange.backlinkExchangePollingTrigger';
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

/**
 * An active workflow with the polling trigger, the way n8n runs it: the real PollContext and the real static data, which is
 * written down when the workflow has been activated and when a poll puts something out, and lives in memory otherwise.
 */
export class Poller {
	readonly #credentials: TestCredentials;

	readonly #id: string;

	#saved: IDataObject = {};

	#workflow: InstanceType<typeof n8nWorkflow.Workflow> | undefined;

	parameters: INodeParameters;

	/** Milliseconds that n8n allows for a poll; its own number if left out. */
	budget: number | undefined;

	/** What was written to n8n's log. */
	readonly warnings: string[] = [];

	constructor(credential: ICredentialDataDecryptedObject, parameters: INodeParameters = {}) {
		this.#credentials = new TestCredentials(credentialType, credential);
		this.#id = crypto.randomUUID();
		this.parameters = { events: allEvents, options: {}, ...parameters };
	}

	set credential(values: ICredentialDataDecryptedObject) {
		this.#credentials.values = values;
	}

	/** Bytes of what n8n keeps in its database. */
	get savedBytes(): number {
		return Buffer.byteLength(JSON.stringify(this.#saved));
	}

	/** Activates the workflow, or n8n starts again: what was not written down is gone. The first poll comes with it. */
	async start(): Promise<IDataObject[]> {
		const workflow = this.#newWorkflow();
		const items = await this.#pollWith(workflow, 'trigger');
		this.#workflow = workflow;
		this.#save(workflow);
		return items;
	}

	async poll(): Promise<IDataObject[]> {
		if (this.#workflow === undefined) throw new Error('start it first');
		return await this.#pollWith(this.#workflow, 'trigger');
	}

	/** What "Fetch Test Event" shows. */
	async test(): Promise<IDataObject[]> {
		return await this.#pollWith(this.#newWorkflow(), 'manual');
	}

	#newWorkflow(): InstanceType<typeof n8nWorkflow.Workflow> {
		const node = {
			...newNode('Poll', pollingType, this.parameters),
			credentials: { backlinkExchangeApi: { id: '1', name: 'Test' } },
		};
		return new n8nWorkflow.Workflow({
			id: this.#id,
			nodes: [node],
			connections: {},
			active: true,
			nodeTypes: nodeTypes(),
			staticData: structuredClone(this.#saved),
		});
	}

	async #pollWith(
		workflow: InstanceType<typeof n8nWorkflow.Workflow>,
		mode: WorkflowExecuteMode,
	): Promise<IDataObject[]> {
		const node = workflow.getNode('Poll');
		if (node === null) throw new Error('the node is missing');
		const additionalData: IWorkflowExecuteAdditionalData = additionalDataFor(this.#credentials);
		const context = new n8nCore.PollContext(workflow, node, additionalData, mode, 'activate');
		const warn = (message: string) => this.warnings.push(message);
		Object.defineProperty(context, 'logger', { value: { warn } });
		const { budget } = this;
		if (budget !== undefined) {
			Object.defineProperty(context, 'getPollBudgetMs', { value: () => budget });
		}
		const type = workflow.nodeTypes.getByNameAndVersion(pollingType, 1) as PollingNode;
		const output = await type.poll.call(context);
		if (output === null) return [];
		const items = output[0]?.map(({ json }) => json) ?? [];
		// n8n would start an execution that has nothing to work on.
		if (items.length === 0) throw new Error('the node gave out a list without items');
		if (mode === 'trigger') this.#save(workflow);
		return items;
	}

	#save(workflow: InstanceType<typeof n8nWorkflow.Workflow>): void {
		// n8n writes only what it has noticed as a change.
		if (workflow.staticData.__dataChanged !== true) return;
		this.#saved = JSON.parse(JSON.stringify(workflow.staticData)) as IDataObject;
		workflow.staticData.__dataChanged = false;
	}
}
