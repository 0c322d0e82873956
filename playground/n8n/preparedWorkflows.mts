import { randomUUID } from 'node:crypto';

import { simpleAutoAccept } from './simpleAutoAccept.mts';
import { newestN8n } from './versions.mts';
import {
	readWorkflow,
	type WorkflowFile,
	workflowNames,
	type WorkflowNode,
} from './workflowFiles.mts';
import { fits } from './workflowVersions.mts';

interface Assignments {
	assignments: Array<{ name: string; value: unknown }>;
}

/** How often the workflow that accepts offers runs in the playground once it is published, in seconds; in its file it is every hour. */
const scheduleSeconds = 10;

/** These need nothing but the sandbox and spend nothing, so they are published; the others wait for credentials of Slack, mail and so on. */
const published = ['watchdog-alert'];

/** Accepts every offer that fits its rules, so it is published only when somebody asks for it. */
export const spendingWorkflow = 'scheduled-auto-accept';

/** What the playground enters in the node "Settings". It spends nothing real, so auto-accept is no dry run here. */
const settings: Record<string, Record<string, unknown>> = {
	[spendingWorkflow]: { dryRun: false, allowedPartners: '*' },
};

export function isPublished({ id }: { id: string }): boolean {
	return published.includes(id);
}

/** The ready-made workflows that work on that n8n, as the playground imports them. */
export function prepareWorkflows(
	credential: { id: string; name: string },
	n8nVersion = newestN8n,
): WorkflowFile[] {
	const fitting = workflowNames.map(readWorkflow).filter((each) => fits(each, n8nVersion));
	const accepts = fitting.some(({ id }) => id === spendingWorkflow);
	const workflows = accepts ? fitting : [...fitting, simpleAutoAccept(spendingWorkflow)];
	return workflows.map((workflow) => ({
		...workflow,
		nodes: workflow.nodes
			.map((node) => fillIn(node, settings[workflow.id] ?? {}))
			.map((node) => prepareNode(node, credential, workflow.id === spendingWorkflow)),
	}));
}

/** Sets values of the node "Settings", by their names. */
function fillIn(node: WorkflowNode, values: Record<string, unknown>): WorkflowNode {
	if (node.name !== 'Settings') return node;
	const { assignments } = node.parameters.assignments as Assignments;
	const filled = assignments.map((each) => ({ ...each, value: values[each.name] ?? each.value }));
	return { ...node, parameters: { ...node.parameters, assignments: { assignments: filled } } };
}

/** Gives our nodes the credential, and lets the workflow that accepts offers run often enough to watch it. */
function prepareNode(
	original: WorkflowNode,
	credential: { id: string; name: string },
	isQuick: boolean,
): WorkflowNode {
	// The editor gives each webhook an id when it imports a workflow; n8n's command line does not, and what it registers
	// then, a path with the node's name in it, cannot be reached when the name has a blank. Other nodes ignore it.
	const node = { ...original, webhookId: randomUUID() };
	if (node.type.startsWith('n8n-nodes-backlink-exchange.')) {
		const credentials = { ...node.credentials, backlinkExchangeApi: credential };
		return { ...node, credentials };
	}
	if (isQuick && node.type === 'n8n-nodes-base.scheduleTrigger') {
		const rule = { interval: [{ field: 'seconds', secondsInterval: scheduleSeconds }] };
		const notes = `Here: every ${scheduleSeconds} seconds`;
		return { ...node, parameters: { ...node.parameters, rule }, notes, notesInFlow: true };
	}
	return node;
}
