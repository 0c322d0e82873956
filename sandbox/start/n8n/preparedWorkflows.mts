import { randomUUID } from 'node:crypto';

import {
	readWorkflow,
	type WorkflowFile,
	workflowNames,
	type WorkflowNode,
} from './workflowFiles.mts';

interface Reference {
	id: string;
	name: string;
}

/** Credentials in n8n, by their type. */
export interface Credentials {
	backlinkExchangeApi: Reference;
	smtp: Reference;
}

/** Addresses for email nodes whose own ones are empty. */
const fromEmail = 'n8n@example.com';
const toEmail = 'you@example.com';

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

/**
 * Returns the ready-made workflows, prepared for the sandbox.
 *
 * Their nodes have credentials, their emails go to the sandbox, and Slack's nodes are deactivated.
 */
export function prepareWorkflows(credentials: Credentials): WorkflowFile[] {
	return workflowNames.map(readWorkflow).map((workflow) => {
		const runsInSandbox = isPublished(workflow) || workflow.id === spendingWorkflow;
		const prepare = (node: WorkflowNode) => {
			const prepared = prepareNode(node, credentials);
			return runsInSandbox ? adaptToSandbox(prepared) : prepared;
		};
		return { ...workflow, nodes: workflow.nodes.map(prepare) };
	});
}

/** Adds credentials, and a webhook ID to every node, as the editor does. */
export function prepareNode(
	node: WorkflowNode,
	{ backlinkExchangeApi, smtp }: Credentials,
): WorkflowNode {
	// n8n's import command adds no webhook ID. The path then contains the node's name, and can't be
	// reached if the name has a space. Nodes without a webhook ignore the ID.
	const withId = { ...node, webhookId: randomUUID() };
	if (node.type.startsWith('n8n-nodes-backlink-exchange.')) {
		return { ...withId, credentials: { backlinkExchangeApi } };
	}
	if (node.type.startsWith('n8n-nodes-base.slack')) return deactivate(withId);
	if (node.type !== 'n8n-nodes-base.emailSend') return withId;
	const { parameters } = node;
	return {
		...withId,
		parameters: {
			...parameters,
			fromEmail: parameters.fromEmail === '' ? fromEmail : parameters.fromEmail,
			toEmail: parameters.toEmail === '' ? toEmail : parameters.toEmail,
		},
		credentials: { smtp },
		disabled: false,
	};
}

/** Deactivates nodes that need other workflows, and runs schedules more often. */
function adaptToSandbox(node: WorkflowNode): WorkflowNode {
	if (node.type === 'n8n-nodes-base.executeWorkflow') return deactivate(node);
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

function deactivate(node: WorkflowNode): WorkflowNode {
	return { ...node, disabled: true, notes: 'Deactivated here', notesInFlow: true };
}

/**
 * Returns parameters of Accept Many that accept offers from anyone, without a dry run.
 *
 * The sandbox's credits aren't real.
 */
function acceptFromAnyone(parameters: WorkflowNode['parameters']): WorkflowNode['parameters'] {
	return { ...parameters, acceptFrom: 'anyone', dryRun: false };
}
