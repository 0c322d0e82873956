import { randomUUID } from 'node:crypto';

import {
	readWorkflow,
	type WorkflowFile,
	workflowNames,
	type WorkflowNode,
} from './workflowFiles.mts';

/** Nodes that need Slack, a mail server, or a workflow that doesn't exist here. */
const externalNodeTypes = ['slack', 'emailSend', 'executeWorkflow'].map(
	(name) => `n8n-nodes-base.${name}`,
);

/** Replaces the hourly schedule of the workflow that accepts offers. */
const scheduleSeconds = 10;

/**
 * Workflows that are published, because they need only the sandbox and spend nothing.
 *
 * The workflow of README's first lesson isn't among them, so that only the reader's own copy runs.
 */
const published = ['events-by-webhook', 'news'];

/** The workflow that accepts offers. It spends credits, so it is published only on request. */
export const spendingWorkflow = 'scheduled-auto-accept';

export function isPublished({ id }: { id: string }): boolean {
	return published.includes(id);
}

/** Returns the ready-made workflows, prepared for the sandbox. */
export function prepareWorkflows(credential: { id: string; name: string }): WorkflowFile[] {
	return workflowNames.map(readWorkflow).map((workflow) => {
		const runsInSandbox = isPublished(workflow) || workflow.id === spendingWorkflow;
		const prepare = (node: WorkflowNode) => {
			const prepared = withCredential(node, credential);
			return runsInSandbox ? adaptToSandbox(prepared) : prepared;
		};
		return { ...workflow, nodes: workflow.nodes.map(prepare) };
	});
}

/** Deactivates nodes that need other services, and runs schedules more often. */
export function adaptToSandbox(node: WorkflowNode): WorkflowNode {
	if (externalNodeTypes.includes(node.type)) {
		return { ...node, disabled: true, notes: 'Deactivated here', notesInFlow: true };
	}
	if (node.parameters.operation === 'acceptMany') {
		return { ...node, parameters: acceptFromAnyone(node.parameters) };
	}
	if (node.type === 'n8n-nodes-base.scheduleTrigger') {
		const rule = { interval: [{ field: 'seconds', secondsInterval: scheduleSeconds }] };
		const notes = `Here: every ${scheduleSeconds} seconds`;
		return { ...node, parameters: { ...node.parameters, rule }, notes, notesInFlow: true };
	}
	return node;
}

/**
 * Adds the credential to this package's nodes, and a webhook ID to every node, as the editor does.
 */
function withCredential(
	node: WorkflowNode,
	credential: { id: string; name: string },
): WorkflowNode {
	// n8n's import command adds no webhook ID. The path then contains the node's name, and can't be
	// reached if the name has a space. Nodes without a webhook ignore the ID.
	const withId = { ...node, webhookId: randomUUID() };
	if (!node.type.startsWith('n8n-nodes-backlink-exchange.')) return withId;
	return { ...withId, credentials: { backlinkExchangeApi: credential } };
}

/**
 * Returns parameters of Accept Many that accept offers from anyone, without a dry run.
 *
 * The sandbox's credits aren't real.
 */
function acceptFromAnyone(parameters: WorkflowNode['parameters']): WorkflowNode['parameters'] {
	return { ...parameters, acceptFrom: 'anyone', dryRun: false };
}
