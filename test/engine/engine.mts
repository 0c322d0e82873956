/** Runs the built package in n8n's real engine (n8n-core), without a server. */
import { createRequire } from 'node:module';
import path from 'node:path';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	NodeExecutionHint,
} from 'n8n-workflow';

import { TestCredentials } from './credentials.mts';
import { n8nCore, n8nWorkflow } from './n8n.mts';
import { ProcessedData } from './processedData.mts';

const require = createRequire(import.meta.url);
const { NodeConnectionTypes, Workflow } = n8nWorkflow;

export const packageName = 'n8n-nodes-backlink-exchange';
export const actionType = `${packageName}.backlinkExchange`;
export const webhookType = `${packageName}.backlinkExchangeWebhookTrigger`;
export const pollingType = `${packageName}.backlinkExchangeTrigger`;
const itemsType = 'test.items';

const root = path.resolve(import.meta.dirname, '../..');
const loader = new n8nCore.PackageDirectoryLoader(root);
// Only once per process: each call adds poll times to the description of the polling trigger.
await loader.loadAll();

/** The package's node types as n8n loads them, one for each version. */
export const descriptions = loader.types.nodes;

/** Stand-in for n8n's table of processed data, one database for all tests of this process. */
export const processedData = ProcessedData.install(n8nCore.DataDeduplicationService);

/** Loads the action node as a process does that has just started. */
export function reloadActionNode(): INodeType {
	return freshNode('BacklinkExchange');
}

/** Loads the polling trigger as a process does that has just started. */
export function reloadPollingNode(): INodeType {
	return freshNode('BacklinkExchangeTrigger');
}

/**
 * Creates the node types of a workflow: the package's nodes, the items node, and optionally one of
 * n8n's own nodes for comparison.
 */
export function nodeTypes(
	items: IDataObject[] = [{}],
	other?: INodeType,
	actionNode?: INodeType,
): INodeTypes {
	const find = (type: string): INodeType => {
		if (type === itemsType) return itemsNode(items);
		if (type === actionType && actionNode) return actionNode;
		if (other && type === builtInNodeType(other)) return other;
		return loader.getNode(type.replace(`${packageName}.`, '').replace(/Tool$/, ''))
			.type as INodeType;
	};
	return {
		getByName: find,
		getByNameAndVersion: find,
		getKnownTypes: () => ({}),
	};
}

/** The credential type as n8n loads it. */
export const credentialType = loader.getCredential('backlinkExchangeApi').type;

export function additionalDataFor(credentials: TestCredentials): IWorkflowExecuteAdditionalData {
	const url = 'http://127.0.0.1:5678/';
	return {
		credentialsHelper: credentials,
		restApiUrl: `${url}rest`,
		instanceBaseUrl: url,
		formBaseUrl: `${url}form`,
		formWaitingBaseUrl: `${url}form-waiting`,
		formTestBaseUrl: `${url}form-test`,
		webhookBaseUrl: `${url}webhook`,
		webhookWaitingBaseUrl: `${url}webhook-waiting`,
		webhookTestBaseUrl: `${url}webhook-test`,
		mcpBaseUrl: `${url}mcp`,
		mcpTestBaseUrl: `${url}mcp-test`,
		variables: {},
		currentNodeExecutionIndex: 0,
		logAiEvent: () => undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}

export interface NodeRunOptions {
	parameters: INodeParameters;
	credential: ICredentialDataDecryptedObject;
	/** Input items; one empty item by default. */
	items?: IDataObject[];
	/** Sets On Error: Continue. */
	continueOnFail?: boolean;
	/** Sets On Error: Continue (using error output). */
	hasErrorOutput?: boolean;
	/** More than one: Retry On Fail, with a second in between. */
	maxTries?: number;
	/** Runs this node of n8n's own instead of the action node. */
	type?: INodeType;
	typeVersion?: number;
	/** The action node of another process, from `reloadActionNode`. */
	actionNode?: INodeType;
	/**
	 * How many times the node runs in this execution, as in a loop; each time with all items. 1 by
	 * default.
	 */
	loopIterations?: number;
	/** Replaces the credentials made from `credential`. */
	credentials?: TestCredentials;
	/** Execution mode; `manual` by default. */
	mode?: 'manual' | 'trigger';
	/** Cancels the execution after this many milliseconds, as a user would. */
	cancelAfter?: number;
}

export interface NodeRun {
	/** Output items of the node, in order. */
	items: INodeExecutionData[];
	/** Items of the error output, with onError continueErrorOutput. */
	errorItems: INodeExecutionData[];
	error:
		| (Error & { description?: string | null; httpCode?: string | null; context?: IDataObject })
		| undefined;
	hints: NodeExecutionHint[];
	run: IRun;
}

let executions = 0;

/** Executes the action node with these items, through n8n's real engine and request stack. */
export async function runNode(options: NodeRunOptions): Promise<NodeRun> {
	const nodes: INode[] = [
		newNode('Items', itemsType, {}),
		{
			...newNode(
				'Backlink Exchange',
				options.type ? builtInNodeType(options.type) : actionType,
				options.parameters,
			),
			...(options.typeVersion !== undefined && { typeVersion: options.typeVersion }),
			...(options.continueOnFail && { onError: 'continueRegularOutput' }),
			...(options.hasErrorOutput && { onError: 'continueErrorOutput' }),
			...(options.maxTries && {
				retryOnFail: true,
				maxTries: options.maxTries,
				waitBetweenTries: 1000,
			}),
		},
	];
	const workflow = new Workflow({
		id: 'test',
		nodes,
		connections: {
			Items: {
				main: [
					Array.from({ length: options.loopIterations ?? 1 }, () => ({
						node: 'Backlink Exchange',
						type: NodeConnectionTypes.Main,
						index: 0,
					})),
				],
			},
		},
		active: false,
		nodeTypes: nodeTypes(options.items, options.type, options.actionNode),
		settings: { executionOrder: 'v1' },
	});
	const credentials =
		options.credentials ?? new TestCredentials(credentialType, options.credential);
	const additionalData = additionalDataFor(credentials);
	const executionId = String(++executions);
	additionalData.executionId = executionId;
	const mode = options.mode ?? 'manual';
	const workflowData = { id: 'test', name: 'test', nodes, connections: {} } as IWorkflowBase;
	additionalData.hooks = new n8nCore.ExecutionLifecycleHooks(mode, executionId, workflowData);
	const execution = startExecution(
		new n8nCore.WorkflowExecute(additionalData, mode),
		workflow,
		nodes[0],
	);
	const timer =
		options.cancelAfter === undefined
			? undefined
			: setTimeout(() => {
					execution.cancel();
				}, options.cancelAfter);
	const run = await execution.finally(() => {
		clearTimeout(timer);
	});
	const task = run.data.resultData.runData['Backlink Exchange']?.at(-1);
	return {
		items: task?.data?.main?.[0] ?? [],
		errorItems: task?.data?.main?.[1] ?? [],
		error: (task?.error ?? run.data.resultData.error) as NodeRun['error'],
		hints: task?.hints ?? [],
		run,
	};
}

/** Creates a node with the credential. */
export function newNode(name: string, type: string, parameters: INodeParameters): INode {
	const credentials = { backlinkExchangeApi: { id: '1', name: 'Test' } };
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters, credentials };
}

/**
 * Creates a workflow of one node.
 *
 * @returns both of them
 */
export function createWorkflow(
	node: INode,
	{
		id = 'test',
		staticData,
		timeZone = 'UTC',
	}: { id?: string; staticData?: IDataObject; timeZone?: string } = {},
): { workflow: InstanceType<typeof Workflow>; node: INode } {
	const workflow = new Workflow({
		id,
		nodes: [node],
		connections: {},
		active: true,
		nodeTypes: nodeTypes(),
		settings: { timezone: timeZone },
		...(staticData && { staticData }),
	});
	return { workflow, node: workflow.getNode(node.name) ?? node };
}

type WorkflowExecute = InstanceType<typeof n8nCore.WorkflowExecute>;

/** Starts an execution. n8n before 2.20 takes the workflow and the node as separate arguments. */
function startExecution(
	engine: WorkflowExecute,
	workflow: InstanceType<typeof Workflow>,
	startNode: INode | undefined,
): ReturnType<WorkflowExecute['run']> {
	if (engine.run.length < 2) return engine.run({ workflow, startNode });
	const run = engine.run.bind(engine) as unknown as (
		...inOrder: unknown[]
	) => ReturnType<WorkflowExecute['run']>;
	return run(workflow, startNode);
}

/** Creates a node that outputs the test's items, in place of the preceding nodes of a workflow. */
function itemsNode(items: IDataObject[]): INodeType {
	return {
		description: {
			displayName: 'Items',
			name: itemsType,
			group: ['input'],
			version: 1,
			description: '',
			defaults: {},
			inputs: [],
			outputs: [NodeConnectionTypes.Main],
			properties: [],
		},
		execute: () =>
			Promise.resolve([
				items.map((json, item): INodeExecutionData => ({ json, pairedItem: { item } })),
			]),
	};
}

/**
 * Loads a node as a process does that has just started: its modules are loaded again, so the
 * package's memory is empty. Previously loaded nodes are unaffected.
 */
function freshNode(name: string): INodeType {
	const dist = path.join(root, 'dist');
	const loaded = Object.keys(require.cache).filter((file) => file.startsWith(dist + path.sep));
	for (const file of loaded) Reflect.deleteProperty(require.cache, file);
	const file = path.join(dist, `nodes/${name}/${name}.node.js`);
	const classes = require(file) as Record<string, new () => INodeType>;
	const Node = classes[name];
	if (Node === undefined) throw new Error(`${file} has no ${name}`);
	return new Node();
}

/**
 * Returns the type name of one of n8n's own nodes. By this name n8n recognizes the HTTP Request
 * node, which may use any credential.
 */
function builtInNodeType({ description }: INodeType): string {
	return `n8n-nodes-base.${description.name}`;
}
