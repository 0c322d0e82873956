/** Derives the minimum n8n version of each ready-made workflow from its nodes. */
import type { WorkflowFile, WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';

/** Newest version of each node in n8n 1.123, for the nodes in the workflows. */
const in1123: Record<string, number> = {
	'@n8n/n8n-nodes-langchain.agent': 3,
	'@n8n/n8n-nodes-langchain.chatTrigger': 1.3,
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
	'@n8n/n8n-nodes-langchain.mcpTrigger': 2,
	'@n8n/n8n-nodes-langchain.memoryBufferWindow': 1.3,
	'n8n-nodes-base.aggregate': 1,
	'n8n-nodes-base.dataTable': 1,
	'n8n-nodes-base.emailSend': 2.1,
	'n8n-nodes-base.errorTrigger': 1,
	'n8n-nodes-base.executeWorkflow': 1.3,
	'n8n-nodes-base.extractFromFile': 1.1,
	'n8n-nodes-base.filter': 2.2,
	'n8n-nodes-base.form': 2.3,
	'n8n-nodes-base.formTrigger': 2.3,
	'n8n-nodes-base.httpRequest': 4.3,
	'n8n-nodes-base.if': 2.3,
	'n8n-nodes-base.merge': 3.2,
	'n8n-nodes-base.noOp': 1,
	'n8n-nodes-base.scheduleTrigger': 1.3,
	'n8n-nodes-base.set': 3.4,
	'n8n-nodes-base.slack': 2.4,
	'n8n-nodes-base.splitInBatches': 3,
	'n8n-nodes-base.splitOut': 1,
	'n8n-nodes-base.stickyNote': 1,
	'n8n-nodes-base.stopAndError': 1,
	'n8n-nodes-base.summarize': 1.1,
	'n8n-nodes-base.switch': 3.3,
};

/** Relevant versions of n8n, oldest first. */
const order = ['1.123', '2.41'];

/** Returns the oldest version of `order` with which the workflow works. */
export function getSinceVersion({ nodes }: WorkflowFile): string {
	const newest = Math.max(...nodes.map((node) => order.indexOf(sinceNode(node))));
	return order[newest] ?? '';
}

/**
 * Returns the n8n version that first has this node with this version.
 *
 * @throws {Error} for a node or a node version that isn't in the table
 */
function sinceNode({ type, typeVersion }: WorkflowNode): string {
	if (type.startsWith('n8n-nodes-backlink-exchange.')) return '1.123';
	if (type.endsWith('HitlTool') || type.endsWith('.chat')) return '2.41';
	// Earlier versions of the node return dates as objects.
	if (type.endsWith('.dataTable') && typeVersion === 1.1) return '2.41';
	if ((in1123[type] ?? 0) >= typeVersion) return '1.123';
	throw new Error(`Look up since which n8n there is ${type} in version ${typeVersion}.`);
}
