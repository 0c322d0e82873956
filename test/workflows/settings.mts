import { readWorkflow } from '../../playground/n8n/workflowFiles.mts';

/** Values of the node Settings of a ready-made workflow, as the file has them. */
export function settingsOf(workflow: string): Record<string, unknown> {
	const node = readWorkflow(workflow).nodes.find(({ name }) => name === 'Settings');
	if (node === undefined) throw new Error(`${workflow} has no node "Settings"`);
	const { assignments } = node.parameters.assignments as {
		assignments: Array<{ name: string; value: unknown }>;
	};
	return Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
}
