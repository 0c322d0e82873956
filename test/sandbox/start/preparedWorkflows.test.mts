/**
 * Changes of `npm start` to the ready-made workflows: emails go to the sandbox, and no published
 * workflow spends credits or needs anything else.
 */
import { expect, test } from 'vitest';

import {
	isPublished,
	prepareNode,
	prepareWorkflows,
	spendingWorkflow,
} from '../../../sandbox/start/n8n/preparedWorkflows.mts';

const credentials = {
	backlinkExchangeApi: { id: 'abc', name: 'Backlink Exchange (sandbox)' },
	smtp: { id: 'def', name: 'Mail server (sandbox)' },
};
const workflows = prepareWorkflows(credentials);
const nodes = workflows.flatMap((workflow) => workflow.nodes);

test('deactivates the Slack nodes of each workflow, and activates its email nodes', () => {
	const getDisabled = (pattern: RegExp) =>
		nodes.filter(({ type }) => pattern.test(type)).map((node) => node.disabled);
	expect(new Set(getDisabled(/\.slack/))).toEqual(new Set([true]));
	expect(new Set(getDisabled(/\.emailSend$/))).toEqual(new Set([false]));
});

test('leaves no active node of a published workflow that needs Slack or another workflow', () => {
	const prepared = workflows.filter((each) => isPublished(each) || each.id === spendingWorkflow);
	expect(prepared).toHaveLength(3);
	for (const node of prepared.flatMap((workflow) => workflow.nodes)) {
		const isNeeded = /\.(slack|executeWorkflow)$/.test(node.type);
		expect(node.disabled ?? false, node.name).toBe(isNeeded);
	}
});

test('sets the credential on each node of this package and each email node, and on no other', () => {
	for (const { type, credentials: own } of nodes) {
		const isOfPackage = type.startsWith('n8n-nodes-backlink-exchange.');
		const name = isOfPackage ? 'backlinkExchangeApi' : type.endsWith('.emailSend') && 'smtp';
		expect(own, type).toEqual(name ? { [name]: credentials[name] } : undefined);
	}
});

test('fills in the addresses of emails that are empty', () => {
	const emails = nodes.filter(({ type }) => type.endsWith('.emailSend'));
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
	expect(workflows.some(({ id }) => id === spendingWorkflow)).toBe(true);
});
