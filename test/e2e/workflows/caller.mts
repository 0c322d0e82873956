/** A workflow that calls a ready-made one with one event, and waits until it has finished. */
import type { Execution } from '../../../playground/n8n/messages.mts';
import type { Imported } from './editor.mts';
import type { World } from './world.mts';

/** Calls the workflow with this event, and returns the caller's execution. */
export async function callWorkflow(
	world: World,
	workflow: Imported,
	event: Record<string, unknown>,
): Promise<Execution> {
	return await (await caller(world, workflow, event)).execute('Start');
}

/** Calls the workflow with this event, and does not wait for its end. */
export async function startCall(
	world: World,
	workflow: Imported,
	event: Record<string, unknown>,
): Promise<void> {
	await (await caller(world, workflow, event)).start('Start');
}

async function caller(
	world: World,
	workflow: Imported,
	event: Record<string, unknown>,
): Promise<Imported> {
	const call = {
		id: crypto.randomUUID(),
		name: 'Call',
		type: 'n8n-nodes-base.executeWorkflow',
		typeVersion: 1.3,
		position: [400, 0],
		parameters: {
			workflowId: { __rl: true, mode: 'id', value: workflow.id },
			workflowInputs: { mappingMode: 'defineBelow', value: {}, schema: [] },
		},
	};
	const set = {
		id: crypto.randomUUID(),
		name: 'Event',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		position: [200, 0],
		parameters: { mode: 'raw', jsonOutput: JSON.stringify(event), options: {} },
	};
	const start = {
		id: crypto.randomUUID(),
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const to = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
	return await world.editor.create({
		name: 'Caller',
		nodes: [start, set, call],
		connections: { Start: to('Event'), Event: to('Call') },
		settings: { executionOrder: 'v1' },
	});
}
