import { beforeEach, expect, it } from 'vitest';

import type { Execution } from '../../playground/n8n/messages.mts';
import { describeExecution, executionTeller } from '../../playground/narration.mts';

function execution(changes: Partial<Execution> = {}): Execution {
	return {
		id: '1',
		workflowId: 'w',
		workflowName: 'Auto-accept',
		mode: 'trigger',
		status: 'success',
		lastNode: 'Accept',
		nodes: [
			{ name: 'Every hour', items: [{}] },
			{ name: 'Accept', items: [{ id: 'exc_1', outcome: 'accepted', exchange: { id: 'exc_1' } }] },
		],
		...changes,
	};
}

let lines: string[];
let tell: (execution: Execution) => void;
beforeEach(() => {
	lines = [];
	tell = executionTeller((line) => lines.push(line));
});

it('says what came out of each node, and what the last one produced', () => {
	expect(describeExecution(execution())).toBe(
		'"Auto-accept" finished: success; Every hour 1 → Accept 1 (id: exc_1, outcome: accepted)',
	);
});

it('says why an execution failed', () => {
	expect(describeExecution(execution({ status: 'error', error: 'No credits left' }))).toBe(
		'"Auto-accept" finished: error: No credits left',
	);
});

it('tells a schedule that finds the same again only once, until something changes', () => {
	const idle = execution({ nodes: [{ name: 'Every hour', items: [{}] }] });
	for (const each of [idle, idle, execution(), idle, idle]) tell(each);
	expect(lines).toHaveLength(3);
});

it('tells each execution that an event started, be it the same again', () => {
	tell(execution({ mode: 'webhook' }));
	tell(execution({ mode: 'webhook' }));
	expect(lines).toHaveLength(2);
});
