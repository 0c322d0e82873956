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

const noteType = 'n8n-nodes-base.stickyNote';

/** How often the live copy of the workflow that accepts offers runs, instead of each hour. */
const scheduleSeconds = 10;

/**
 * Workflows that are published, because they need only the sandbox and spend nothing.
 *
 * The workflow of README's first lesson isn't among them, so that only the reader's own copy runs.
 */
const published = ['events-by-webhook', 'news'];

/** ID of the live copy of Scheduled auto-accept, which spends credits. */
export const liveWorkflow = 'scheduled-auto-accept-live';

export function isPublished({ id }: { id: string }): boolean {
	return published.includes(id);
}

/**
 * Returns the ready-made workflows, prepared for the sandbox.
 *
 * Their nodes have credentials, their emails go to the sandbox, and Slack's nodes are deactivated.
 * Everything else is as in the files.
 *
 * @param acceptOffers adds the live copy of Scheduled auto-accept
 */
export function prepareWorkflows(credentials: Credentials, acceptOffers: boolean): WorkflowFile[] {
	const workflows = workflowNames.map(readWorkflow);
	if (acceptOffers) workflows.push(createLiveWorkflow());
	return workflows.map((workflow) => ({
		...workflow,
		nodes: workflow.nodes.map((node) => prepareNode(node, credentials)),
	}));
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
	// The nodes that start other workflows have none to start.
	if (/^n8n-nodes-base\.(slack|executeWorkflow)/.test(node.type)) return deactivate(withId);
	if (!node.type.startsWith('n8n-nodes-base.emailSend')) return withId;
	const { parameters } = node;
	return {
		...withId,
		parameters: {
			...parameters,
			fromEmail: parameters.fromEmail === '' ? fromEmail : parameters.fromEmail,
			toEmail: parameters.toEmail === '' ? toEmail : parameters.toEmail,
		},
		credentials: { smtp },
		// The approval of a tool is activated together with the tool.
		disabled: node.type.endsWith('HitlTool'),
	};
}

/** Returns the copy of Scheduled auto-accept that accepts offers, with a note that says so. */
function createLiveWorkflow(): WorkflowFile {
	const { nodes, name, ...workflow } = readWorkflow('scheduled-auto-accept');
	const steps = nodes.filter(({ type }) => type !== noteType);
	const note = nodes.find((node) => node.name === 'About this workflow');
	if (note === undefined) throw new Error(`${name} has no overview note.`);
	const title = `${name} (live)`;
	const content = `## ${title}
This copy of **${name}** spends the sandbox's credits. It's here because you started \`npm start\` with \`--accept-offers\`.

### Changed in this copy
- It runs every ${scheduleSeconds} seconds.
- **Accept by rules** accepts offers from anyone, without a dry run and without limits per day.

To stop it, unpublish this workflow.`;
	const liveNote = { ...note, parameters: { ...note.parameters, content, height: 250 } };
	return { ...workflow, id: liveWorkflow, name: title, nodes: [liveNote, ...steps.map(makeLive)] };
}

/** Makes a node accept offers from anyone and often. The sandbox's credits aren't real. */
function makeLive(node: WorkflowNode): WorkflowNode {
	const { parameters } = node;
	if (parameters.operation === 'acceptMany') {
		const live = { ...parameters, acceptFrom: 'anyone', dryRun: false, limits: {} };
		return { ...node, parameters: live };
	}
	if (node.type !== 'n8n-nodes-base.scheduleTrigger') return node;
	const rule = { interval: [{ field: 'seconds', secondsInterval: scheduleSeconds }] };
	const notes = `Every ${scheduleSeconds} seconds in this copy`;
	return { ...node, parameters: { ...parameters, rule }, notes, notesInFlow: true };
}

function deactivate(node: WorkflowNode): WorkflowNode {
	return { ...node, disabled: true, notes: 'Deactivated at first', notesInFlow: true };
}
