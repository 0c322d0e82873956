import { randomUUID } from 'node:crypto';

import {
	readWorkflow,
	type WorkflowFile,
	workflowNames,
	type WorkflowNode,
} from './workflowFiles.mts';

/** Nodes that need a Slack, a mail server or a workflow that the playground does not have. */
const callsOthers = ['slack', 'emailSend', 'executeWorkflow'].map(
	(name) => `n8n-nodes-base.${name}`,
);

/** How often the workflow that accepts offers runs in the playground once it is published, in seconds; in its file it is every hour. */
const scheduleSeconds = 10;

/**
 * The workflows that are published, because they need nothing but the sandbox and spend nothing. Not among them is the one that
 * README's first lesson builds: what runs then is the reader's own.
 */
const published = ['events-by-webhook', 'exchange-news'];

/** The workflow that accepts every offer that fits its rules; so it is published only when somebody asks for it. */
export const spendingWorkflow = 'scheduled-auto-accept';

export function isPublished({ id }: { id: string }): boolean {
	return published.includes(id);
}

/** The ready-made workflows, as the playground imports them. */
export function prepareWorkflows(credential: { id: string; name: string }): WorkflowFile[] {
	return workflowNames.map(readWorkflow).map((workflow) => {
		const isTried = isPublished(workflow) || workflow.id === spendingWorkflow;
		const prepare = (node: WorkflowNode) => {
			const prepared = withCredential(node, credential);
			return isTried ? forTheSandbox(prepared) : prepared;
		};
		return { ...workflow, nodes: workflow.nodes.map(prepare) };
	});
}

/** Gives our nodes the credential, and each node the webhook id that the editor gives it when it imports a workflow. */
function withCredential(
	node: WorkflowNode,
	credential: { id: string; name: string },
): WorkflowNode {
	// n8n's command line gives no webhook id. The path that n8n then registers has the node's name in it, and cannot be
	// reached when the name has a blank. Nodes without a webhook ignore the id.
	const withId = { ...node, webhookId: randomUUID() };
	if (!node.type.startsWith('n8n-nodes-backlink-exchange.')) return withId;
	return { ...withId, credentials: { backlinkExchangeApi: credential } };
}

/** Lets a workflow run without Slack and without other workflows, and often enough to watch it. */
function forTheSandbox(node: WorkflowNode): WorkflowNode {
	if (callsOthers.includes(node.type)) {
		return { ...node, disabled: true, notes: 'Deactivated here', notesInFlow: true };
	}
	if (node.parameters.operation === 'acceptMany') {
		return { ...node, parameters: acceptingOfAnyone(node.parameters) };
	}
	if (node.type === 'n8n-nodes-base.scheduleTrigger') {
		const rule = { interval: [{ field: 'seconds', secondsInterval: scheduleSeconds }] };
		const notes = `Here: every ${scheduleSeconds} seconds`;
		return { ...node, parameters: { ...node.parameters, rule }, notes, notesInFlow: true };
	}
	return node;
}

/** The parameters of Accept Many for the sandbox, where it spends nothing real: it accepts of anyone, and is no dry run. */
function acceptingOfAnyone(parameters: WorkflowNode['parameters']): WorkflowNode['parameters'] {
	return { ...parameters, acceptFrom: 'anyone', dryRun: false };
}
