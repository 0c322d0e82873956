/** Since which n8n each ready-made workflow works: derived from its nodes, and said in its note and in the table. */
import { readFileSync } from 'node:fs';

import { expect, it } from 'vitest';

import {
	readWorkflow,
	workflowNames,
	type WorkflowNode,
} from '../../playground/n8n/workflowFiles.mts';

/** The newest version of each node in n8n 1.123, of those that are used here. */
const in1123: Record<string, number> = {
	'@n8n/n8n-nodes-langchain.agent': 3,
	'@n8n/n8n-nodes-langchain.chatTrigger': 1.3,
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
	'@n8n/n8n-nodes-langchain.memoryBufferWindow': 1.3,
	'n8n-nodes-base.code': 2,
	'n8n-nodes-base.dataTable': 1,
	'n8n-nodes-base.emailSend': 2.1,
	'n8n-nodes-base.errorTrigger': 1,
	'n8n-nodes-base.executeWorkflow': 1.3,
	'n8n-nodes-base.executeWorkflowTrigger': 1.1,
	'n8n-nodes-base.extractFromFile': 1.1,
	'n8n-nodes-base.form': 2.3,
	'n8n-nodes-base.formTrigger': 2.3,
	'n8n-nodes-base.if': 2.3,
	'n8n-nodes-base.limit': 1,
	'n8n-nodes-base.merge': 3.2,
	'n8n-nodes-base.scheduleTrigger': 1.3,
	'n8n-nodes-base.set': 3.4,
	'n8n-nodes-base.slack': 2.4,
	'n8n-nodes-base.splitInBatches': 3,
	'n8n-nodes-base.splitOut': 1,
	'n8n-nodes-base.stickyNote': 1,
	'n8n-nodes-base.stopAndError': 1,
	'n8n-nodes-base.switch': 3.4,
};

/** The version of n8n that first has this node with this operation, as it is used. */
function since({ type, typeVersion, parameters }: WorkflowNode): string {
	if (type.startsWith('n8n-nodes-backlink-exchange.')) return '1.123';
	if (type.endsWith('HitlTool')) return '2.41';
	// Making a table: n8n 2.0 has only the rows, and only version 1 of the node.
	if (type === 'n8n-nodes-base.dataTable' && (parameters.resource === 'table' || typeVersion > 1)) {
		return '2.4';
	}
	expect(in1123[type], `${type} in n8n 1.123`).toBeGreaterThanOrEqual(typeVersion);
	return '1.123';
}

function newest(versions: string[]): string {
	const order = ['1.123', '2.4', '2.41'];
	return order[Math.max(...versions.map((version) => order.indexOf(version)))] ?? '';
}

it.each(workflowNames)('%s says since which n8n it works', (name) => {
	const { nodes } = readWorkflow(name);
	const version = newest(nodes.map(since));
	const readme = readFileSync('workflows/README.md', 'utf8');
	const row = readme.split('\n').find((line) => line.startsWith(`| [\`${name}.json\`]`));
	expect(row?.split('|').at(-2)?.trim(), name).toBe(version);
	if (version === '1.123') return;
	const about = nodes.find(({ name: node }) => node === 'About this workflow');
	expect(about?.parameters.content).toContain(`n8n ${version} or newer`);
});
