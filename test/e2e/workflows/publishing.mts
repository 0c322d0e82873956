/** Creates what ready-made workflows need for publishing: credentials, and a workflow to call. */
import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { chain, node } from '../nodes.mts';
import type { Editor, Imported } from './editor.mts';

/**
 * Creates a workflow that others can call.
 *
 * @returns a function that imports a ready-made workflow and sets all values
 */
export async function preparePublishing(
	editor: Editor,
): Promise<(name: string) => Promise<Imported>> {
	const trigger = node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const called = await editor.create(chain('Called', [trigger]));
	await called.publish();
	await editor.addCredential('httpHeaderAuth', { name: 'API-OPR', value: 'none' });
	await editor.addCredential('httpBearerAuth', { token: 'none' });
	await editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	return async (name) => await editor.importWorkflow(name, choicesIn(name, called));
}

/** Returns the parameters that call this workflow in a ready-made workflow, by node name. */
function choicesIn(name: string, called: Imported): Record<string, object> {
	const workflowId = { __rl: true, mode: 'id', value: called.id };
	const calling = readWorkflow(name).nodes.filter(({ parameters }) => 'workflowId' in parameters);
	return Object.fromEntries(calling.map((node) => [node.name, { workflowId }]));
}
