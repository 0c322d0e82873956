/**
 * Changes of `npm start` to the ready-made workflows before it publishes them: no node spends
 * credits or needs Slack.
 */
import { expect, test } from 'vitest';

import {
	adaptToSandbox,
	isPublished,
	prepareWorkflows,
	spendingWorkflow,
} from '../../../sandbox/start/n8n/preparedWorkflows.mts';

const credential = { id: 'abc', name: 'Backlink Exchange (sandbox)' };
const workflows = prepareWorkflows(credential);
const nodes = workflows.flatMap((workflow) => workflow.nodes);

test.each([
	['slack', true],
	['emailSend', true],
	['executeWorkflow', true],
	['set', false],
])('deactivates a node of the type %s: %s', (type, isDeactivated) => {
	const node = { name: 'Any', type: `n8n-nodes-base.${type}`, parameters: {} };
	const adapted = adaptToSandbox(node as unknown as Parameters<typeof adaptToSandbox>[0]);
	expect(adapted.disabled ?? false).toBe(isDeactivated);
});

test('leaves no active node that needs Slack, a mail server or another workflow', () => {
	const prepared = workflows.filter((each) => isPublished(each) || each.id === spendingWorkflow);
	expect(prepared).toHaveLength(3);
	for (const node of prepared.flatMap((workflow) => workflow.nodes)) {
		const isNeeded = /\.(slack|emailSend|executeWorkflow)$/.test(node.type);
		expect(node.disabled ?? false, node.name).toBe(isNeeded);
	}
});

test("sets the sandbox's credential on each node of this package, and on no other", () => {
	const own = nodes.filter(({ type }) => type.startsWith('n8n-nodes-backlink-exchange.'));
	expect(own.length).toBeGreaterThan(0);
	for (const node of nodes) {
		expect(node.credentials?.backlinkExchangeApi).toEqual(
			own.includes(node) ? credential : undefined,
		);
	}
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
