/** What npm start prints of each execution: one line, and the same again only where an event started it. */
import { beforeEach, expect, it } from 'vitest';

import type { Execution } from '../../../sandbox/start/n8n/messages.mts';
import { describeExecution, executionPrinter } from '../../../sandbox/start/narration.mts';

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
let print: (execution: Execution) => void;
beforeEach(() => {
	lines = [];
	print = executionPrinter((line) => lines.push(line));
});

it('says what the last node produced', () => {
	expect(describeExecution(execution())).toBe(
		'"Auto-accept" finished: success; Accept 1 (id: exc_1, outcome: accepted)',
	);
	const message = 'Accepted an offer.';
	const items = [{ id: 1, message }, { message }];
	expect(describeExecution(execution({ nodes: [{ name: 'Accept', items }] }))).toBe(
		`"Auto-accept" finished: success; Accept 2 (${message} | ${message})`,
	);
});

it('stays on one line, however much came out of however many nodes', () => {
	const item = { text: 'line\n'.repeat(500), html: `<p>${'x'.repeat(500)}</p>` };
	const nodes = ['Accept', ...Array.from({ length: 40 }, (_, index) => `Step ${index}`)].map(
		(name) => ({ name, items: Array.from({ length: 50 }, () => item) }),
	);
	for (const each of [execution({ nodes }), execution({ nodes, error: 'Broken.\nFor good.' })]) {
		const line = describeExecution(each);
		expect(line).not.toMatch(/[\r\n]/);
		expect(line.length).toBeLessThan(160);
	}
});

it('tells a schedule that finds the same again only once, until something changes', () => {
	const idle = execution({ nodes: [{ name: 'Every hour', items: [{}] }] });
	for (const each of [idle, idle, execution(), idle, idle]) print(each);
	expect(lines).toHaveLength(3);
});

it('tells each execution that an event started, be it the same again', () => {
	print(execution({ mode: 'webhook' }));
	print(execution({ mode: 'webhook' }));
	expect(lines).toHaveLength(2);
});
