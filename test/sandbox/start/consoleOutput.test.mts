/** The output of `npm start` about n8n's executions. */
import { expect, test } from 'vitest';

import {
	createExecutionPrinter,
	describeExecution,
} from '../../../sandbox/start/consoleOutput.mts';
import type { Execution } from '../../../sandbox/start/n8n/messages.mts';

type Items = Record<string, unknown>[];

/** Creates an execution whose nodes returned these items, in this order. */
function finished(nodes: Record<string, Items>, changes: Partial<Execution> = {}): Execution {
	return {
		id: '1',
		workflowId: 'news',
		workflowName: 'News',
		mode: 'trigger',
		status: 'success',
		lastNode: Object.keys(nodes).at(-1),
		nodes: Object.entries(nodes).map(([name, items]) => ({ name, items })),
		...changes,
	};
}

test("doesn't call an execution successful that failed, waits or was canceled", () => {
	const describeStatus = (changes: Partial<Execution>) =>
		describeExecution(finished({ Trigger: [{ title: 'New offer' }] }, changes));
	expect(describeStatus({ status: 'error', error: 'The service\nis down' })).toMatch(
		/"News" failed: The service is down$/,
	);
	expect(describeStatus({ status: 'waiting' })).toMatch(/"News" is waiting: New offer$/);
	expect(describeStatus({ status: 'canceled' })).toContain('"canceled"');
});

test('prints a scheduled execution only if its result differs from the previous one', () => {
	const lines: string[] = [];
	const print = createExecutionPrinter((line) => lines.push(line));
	const idle = finished({ Schedule: [{ timestamp: 'now' }], Accept: [] });
	const failed = finished({}, { status: 'error', error: 'down' });
	for (const execution of [idle, idle, failed, failed, idle]) print(execution);
	expect(lines).toHaveLength(3);
});
