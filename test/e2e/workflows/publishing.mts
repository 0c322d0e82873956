/**
 * Creates what ready-made workflows need for publishing besides credentials: a workflow to call,
 * and a data table.
 */
import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { chain, node } from '../nodes.mts';
import type { Editor, Imported } from './editor.mts';

/** Values that a user chooses in ready-made workflows. */
export interface Targets {
	/** A workflow that others call. */
	called: Imported;
	/** ID of a data table with the column eventKey. */
	table: string;
}

/**
 * Creates the targets.
 *
 * @returns a function that imports a ready-made workflow and sets all values
 */
export async function preparePublishing(
	editor: Editor,
): Promise<(name: string) => Promise<Imported>> {
	const targets = await prepareTargets(editor);
	await editor.addCredential('httpHeaderAuth', { name: 'API-OPR', value: 'none' });
	await editor.addCredential('httpBearerAuth', { token: 'none' });
	await editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	return async (name) => await editor.importWorkflow(name, choicesIn(name, targets));
}

async function prepareTargets(editor: Editor): Promise<Targets> {
	const trigger = node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const called = await editor.create(chain('Called', [trigger]));
	await called.publish();
	const table = await editor.createTable('Events that are done', ['eventKey']);
	return { called, table: table.id };
}

/** Returns the parameters that use these targets in a ready-made workflow, by node name. */
function choicesIn(name: string, { called, table }: Targets): Record<string, object> {
	const byParameter = {
		workflowId: { __rl: true, mode: 'id', value: called.id },
		dataTableId: { __rl: true, mode: 'id', value: table },
	};
	const choices = readWorkflow(name).nodes.map(({ name: node, parameters }) => {
		const chosen = Object.entries(byParameter).filter(([parameter]) => parameter in parameters);
		return [node, Object.fromEntries(chosen)];
	});
	return Object.fromEntries(choices) as Record<string, object>;
}
