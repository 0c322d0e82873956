/** What ready-made workflows need besides credentials before they can be published: a workflow to call, and a data table. */
import { readWorkflow } from '../../../playground/n8n/workflowFiles.mts';
import { chain, node } from '../nodes.mts';
import { testedN8n } from '../realN8n.mts';
import type { Editor, Imported } from './editor.mts';

/** @returns imports a ready-made workflow, with everything filled in */
export async function preparePublishing(
	editor: Editor,
): Promise<(name: string) => Promise<Imported>> {
	const trigger = node('Called', 'executeWorkflowTrigger', 1.1, { inputSource: 'passthrough' });
	const called = await editor.create(chain('Called', [trigger]));
	// n8n 1 neither needs that nor allows it.
	if (!testedN8n.startsWith('1.')) await called.publish();
	const table = await editor.createTable('Events that are done', ['eventKey']);
	await editor.addCredential('httpBearerAuth', { token: 'none' });
	await editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	const anyWorkflow = { workflowId: { __rl: true, mode: 'id', value: called.id } };
	const anyTable = { dataTableId: { __rl: true, mode: 'id', value: table.id } };
	return async (name) => {
		const changes = readWorkflow(name)
			.nodes.filter(({ disabled }) => disabled !== true)
			.filter(({ parameters }) => 'workflowId' in parameters || 'dataTableId' in parameters)
			.map((each) => [each.name, 'workflowId' in each.parameters ? anyWorkflow : anyTable]);
		return await editor.importWorkflow(name, Object.fromEntries(changes) as Record<string, object>);
	};
}
