import { expect, it } from 'vitest';

import { isPublished, prepareWorkflows } from '../../../playground/n8n/preparedWorkflows.mts';

const credential = { id: 'abc', name: 'Backlink Exchange (sandbox)' };
const workflows = prepareWorkflows(credential);
const nodes = workflows.flatMap((workflow) => workflow.nodes);

it('imports the two workflows that the check waits for, under the names of their files', () => {
	expect(workflows.map(({ id }) => id)).toEqual(
		expect.arrayContaining(['scheduled-auto-accept', 'watchdog-alert']),
	);
});

it("sets the sandbox's credential on each node of this package, and on no other", () => {
	const own = nodes.filter(({ type }) => type.startsWith('n8n-nodes-backlink-exchange.'));
	expect(own.length).toBeGreaterThan(0);
	for (const node of nodes) {
		expect(node.credentials?.backlinkExchangeApi).toEqual(
			own.includes(node) ? credential : undefined,
		);
	}
});

it('runs the schedule of a published workflow every ten seconds, and leaves the others at their own pace', () => {
	const every10 = { interval: [{ field: 'seconds', secondsInterval: 10 }] };
	const scheduled = workflows.filter(({ nodes }) =>
		nodes.some(({ type }) => type === 'n8n-nodes-base.scheduleTrigger'),
	);
	expect(scheduled.some(isPublished)).toBe(true);
	expect(scheduled.every(isPublished)).toBe(false);
	for (const workflow of scheduled) {
		const rules = workflow.nodes.flatMap(({ type, parameters }) =>
			type === 'n8n-nodes-base.scheduleTrigger' ? [parameters.rule] : [],
		);
		for (const rule of rules) {
			if (isPublished(workflow)) expect(rule).toEqual(every10);
			else expect(rule).not.toEqual(every10);
		}
	}
});

it('gives the webhook trigger an id, without which n8n registers an address that nobody can reach', () => {
	const triggers = nodes.filter(({ type }) => type.endsWith('.backlinkExchangeTrigger'));
	expect(triggers.length).toBeGreaterThan(0);
	for (const { webhookId } of triggers) expect(webhookId).toMatch(/^[0-9a-f-]{36}$/);
});
