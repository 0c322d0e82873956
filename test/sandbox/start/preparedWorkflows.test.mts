/**
 * Changes of `npm start` to the ready-made workflows: emails go to the sandbox, and no published
 * workflow spends credits or needs anything else. Only a live copy accepts offers by itself.
 */
import { expect, test } from 'vitest';

import {
	isPublished,
	liveWorkflow,
	prepareNode,
	prepareWorkflows,
} from '../../../sandbox/start/n8n/preparedWorkflows.mts';
import {
	readWorkflow,
	workflowNames,
	type WorkflowNode,
} from '../../../sandbox/start/n8n/workflowFiles.mts';

const credentials = {
	backlinkExchangeApi: { id: 'abc', name: 'Backlink Exchange (sandbox)' },
	smtp: { id: 'def', name: 'Mail server (sandbox)' },
};
const workflows = prepareWorkflows(credentials, false);
const nodes = workflows.flatMap((workflow) => workflow.nodes);
const isEmail = (type: string) => /\.emailSend(HitlTool)?$/.test(type);

test('deactivates the Slack nodes of each workflow, and activates its email nodes', () => {
	const getDisabled = (pattern: RegExp) =>
		nodes.filter(({ type }) => pattern.test(type)).map((node) => node.disabled);
	expect(new Set(getDisabled(/\.slack/))).toEqual(new Set([true]));
	expect(new Set(getDisabled(/\.emailSend$/))).toEqual(new Set([false]));
});

test('leaves no active node of a published workflow that needs Slack or another workflow', () => {
	const prepared = workflows.filter(isPublished);
	expect(prepared).toHaveLength(2);
	for (const node of prepared.flatMap((workflow) => workflow.nodes)) {
		const isNeeded = /\.(slack|executeWorkflow)$/.test(node.type);
		expect(node.disabled ?? false, node.name).toBe(isNeeded);
	}
});

test('changes only the addresses of emails, and no other parameter, schedule or note', () => {
	expect(workflows.map(({ id }) => id)).toEqual(workflowNames);
	for (const { id, name, nodes: prepared } of workflows) {
		const file = readWorkflow(id);
		expect(name).toBe(file.name);
		expect(prepared).toHaveLength(file.nodes.length);
		for (const [index, { type, parameters }] of prepared.entries()) {
			if (isEmail(type)) continue;
			expect(parameters).toEqual(file.nodes[index]?.parameters);
		}
	}
});

test('adds a live copy of Scheduled auto-accept on request, which says so on its canvas', () => {
	const [live, ...others] = prepareWorkflows(credentials, true).filter(
		({ id }) => !workflowNames.includes(id),
	);
	expect(others).toEqual([]);
	expect(live).toMatchObject({ id: liveWorkflow, name: 'Scheduled auto-accept (live)' });
	const find = (type: string) => live?.nodes.find((node) => node.type.endsWith(type));
	expect(find('.backlinkExchange')?.parameters).toMatchObject({
		acceptFrom: 'anyone',
		dryRun: false,
		limits: {},
	});
	const rule = { interval: [{ field: 'seconds', secondsInterval: 10 }] };
	expect(find('.scheduleTrigger')?.parameters).toEqual({ rule });
	const notes = live?.nodes.filter(({ type }) => type.endsWith('.stickyNote')) ?? [];
	expect(notes).toHaveLength(1);
	expect(notes[0]?.parameters.content).toMatch(/spends the sandbox's credits[^]*every 10 seconds/);
});

test('sets the credential on each node of this package and each email node, and on no other', () => {
	for (const { type, credentials: own } of nodes) {
		const isOfPackage = type.startsWith('n8n-nodes-backlink-exchange.');
		const name = isOfPackage ? 'backlinkExchangeApi' : isEmail(type) && 'smtp';
		expect(own, type).toEqual(name ? { [name]: credentials[name] } : undefined);
	}
});

test('fills in the addresses of emails that are empty', () => {
	const isExpression = ({ parameters }: WorkflowNode) => /^=/.test(String(parameters.toEmail));
	const allEmails = nodes.filter(({ type }) => isEmail(type));
	expect(allEmails.filter(isExpression).map(({ name }) => name)).toEqual(['Email client']);
	const emails = allEmails.filter((node) => !isExpression(node));
	expect(emails.length).toBeGreaterThan(0);
	for (const { parameters } of emails) {
		expect(parameters).toMatchObject({ fromEmail: 'n8n@example.com', toEmail: 'you@example.com' });
	}
	const [email] = emails;
	if (email === undefined) throw new Error('There is no email node.');
	const parameters = { fromEmail: 'me@mine.example', toEmail: '' };
	expect(prepareNode({ ...email, parameters }, credentials).parameters).toEqual({
		fromEmail: 'me@mine.example',
		toEmail: 'you@example.com',
	});
});

test("publishes nothing that spends credits, and not the workflow of README's first lesson", () => {
	const published = workflows.filter(isPublished);
	expect(published.map(({ id }) => id)).not.toContain('watchdog-alerts');
	expect(published.length).toBeGreaterThan(0);
	for (const workflow of published) {
		for (const { parameters } of workflow.nodes) {
			expect(String(parameters.operation)).not.toMatch(/^accept/);
		}
	}
});
