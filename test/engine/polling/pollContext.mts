/** n8n's own PollContext, and what n8n 2.41 does around it. */
import { AsyncLocalStorage } from 'node:async_hooks';

import type { IDataObject, IPollFunctions, Workflow, WorkflowActivateMode } from 'n8n-workflow';

import type { TestCredentials } from '../credentials.mts';
import { additionalDataFor } from '../engine.mts';
import { n8nCore } from '../n8n.mts';

/** What n8n keeps for one node, where it has durable cursors. */
export interface Cursor {
	state: IDataObject;
	/** Writes the state down, if it has changed. */
	commit: () => void;
}

interface PollContextSettings {
	credentials: TestCredentials;
	nodeName: string;
	mode: WorkflowActivateMode;
	/** Milliseconds that n8n allows for a poll; its own number if left out. */
	budget: number | undefined;
	emit: IPollFunctions['__emit'];
	cursor: Cursor | undefined;
	emitError: IPollFunctions['__emitError'];
	warn: (message: string) => void;
}

/** `within` runs a poll: a node is given its static data only within a poll of the same context, and what that has started. */
export function newPollContext(workflow: Workflow, settings: PollContextSettings) {
	const { credentials, nodeName, mode, budget, emit, cursor, emitError, warn } = settings;
	const node = workflow.getNode(nodeName);
	if (node === null) throw new Error('the node is missing');
	const context = new n8nCore.PollContext(
		workflow,
		node,
		additionalDataFor(credentials),
		mode === 'manual' ? 'manual' : 'trigger',
		mode,
		emit,
		emitError,
	) as IPollFunctions;
	const set = (name: keyof IPollFunctions, value: unknown) =>
		Object.defineProperty(context, name, { value, configurable: true });
	set('logger', { warn });
	if (budget !== undefined) set('getPollBudgetMs', () => budget);
	const scope = new AsyncLocalStorage<true>();
	const getStaticData = context.getWorkflowStaticData.bind(context);
	set('getWorkflowStaticData', (type: string) => {
		if (type === 'node' && cursor !== undefined) return cursor.state;
		if (type === 'node' && scope.getStore() === undefined) {
			throw new Error('Poll node read its static data outside of a poll');
		}
		return getStaticData(type);
	});
	const commit = async () => {
		cursor?.commit();
		await Promise.resolve();
	};
	if (cursor !== undefined) set('__commitCursor', commit);
	const within = <Result,>(poll: () => Result): Result => scope.run(true, poll);
	return { context, within };
}
