/** What ready-made workflows need besides credentials before they can be published: a workflow to call, and a data table. */
import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { chain, node } from '../nodes.mts';
import type { Editor, Imported } from './editor.mts';

/** What a user chooses in ready-made workflows. */
export interface Targets {
	/** A workflow that others call. */
	called: Imported;
	/** The id of a data table with the column eventKey. */
	table: string;
}

/** @returns imports a ready-made workflow, with everything filled in */
export async function preparePublishing(
	editor: Editor,
): Promise<(name: string) => Promise<Imported>> {
	const targets = await prepareTargets(editor);
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

/** The parameters with which a ready-made workflow has these targets, by the name of the node. */
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
