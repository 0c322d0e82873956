/** Since which n8n each ready-made workflow works, derived from its nodes. */
import type { WorkflowFile, WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';

/** The newest version of each node in n8n 1.123, of those that are used here. */
const in1123: Record<string, number> = {
	'@n8n/n8n-nodes-langchain.agent': 3,
	'@n8n/n8n-nodes-langchain.chatTrigger': 1.3,
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
	'@n8n/n8n-nodes-langchain.mcpTrigger': 2,
	'@n8n/n8n-nodes-langchain.memoryBufferWindow': 1.3,
	'n8n-nodes-base.dataTable': 1,
	'n8n-nodes-base.emailSend': 2.1,
	'n8n-nodes-base.errorTrigger': 1,
	'n8n-nodes-base.executeWorkflow': 1.3,
	'n8n-nodes-base.extractFromFile': 1.1,
	'n8n-nodes-base.filter': 2.2,
	'n8n-nodes-base.form': 2.3,
	'n8n-nodes-base.formTrigger': 2.3,
	'n8n-nodes-base.if': 2.3,
	'n8n-nodes-base.merge': 3.2,
	'n8n-nodes-base.scheduleTrigger': 1.3,
	'n8n-nodes-base.slack': 2.4,
	'n8n-nodes-base.stickyNote': 1,
	'n8n-nodes-base.summarize': 1.1,
	'n8n-nodes-base.switch': 3.3,
};

/** The versions of n8n that make a difference here, the oldest first. */
const order = ['1.123', '2.41'];

/** The oldest of `order` that the workflow works on. */
export function getSinceVersion({ nodes }: WorkflowFile): string {
	const newest = Math.max(...nodes.map((node) => order.indexOf(sinceNode(node))));
	return order[newest] ?? '';
}

/**
 * The version of n8n that first has this node, as it is used.
 * @throws Error for a node of n8n that is used for the first time, or in a newer version than before
 */
function sinceNode({ type, typeVersion }: WorkflowNode): string {
	if (type.startsWith('n8n-nodes-backlink-exchange.')) return '1.123';
	if (type.endsWith('HitlTool') || type.endsWith('.chat')) return '2.41';
	if ((in1123[type] ?? 0) >= typeVersion) return '1.123';
	throw new Error(`Look up since which n8n there is ${type} in version ${typeVersion}.`);
}
