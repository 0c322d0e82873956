/** The output of `npm start` about n8n's executions. */
import { describe, expect, test } from 'vitest';

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

const describeNodes = (nodes: Record<string, Items>) => describeExecution(finished(nodes));

describe('the line of an execution', () => {
	test('shows the title of each item, and counts those after the third', () => {
		const items = ['First', 'Second', 'Third'].map((title) => ({ title, message: 'long' }));
		expect(describeNodes({ Trigger: items })).toBe(
			'The workflow "News" ran: First | Second | Third',
		);
		const more = [...items, { title: 'Fourth' }, { title: 'Fifth' }];
		expect(describeNodes({ Trigger: more })).toMatch(/Third \| and 2 more$/);
	});

	test('shows the first sentence of a message without a title', () => {
		const message = 'Accepted: the offer a.example → b.example. It cost 10 credits.\nMore';
		expect(describeNodes({ Accept: [{ message }] })).toMatch(
			/: Accepted: the offer a\.example → b\.example\.$/,
		);
	});

	test('shows what was sent, not the response of what sent it', () => {
		const sent = { accepted: ['you@example.com'], messageId: '<1@example.com>' };
		expect(describeNodes({ Trigger: [{ title: 'New offer' }], Send: [sent] })).toMatch(
			/ran: New offer$/,
		);
	});

	test('shows the values of other items, and truncates them between words', () => {
		expect(describeNodes({ Set: [{ id: 'exc_1', cost: 5, tags: [] }] })).toMatch(
			/: id: exc_1, cost: 5$/,
		);
		const value = 'seven77 '.repeat(40);
		expect(describeNodes({ Set: [{ value }] })).toMatch(/: value: (seven77 )+…$/);
	});

	test('is short if the execution returned nothing', () => {
		expect(describeNodes({ Trigger: [] })).toBe('The workflow "News" ran.');
		expect(describeNodes({})).toBe('The workflow "News" ran.');
	});

	test("doesn't call an execution successful that failed, waits or was canceled", () => {
		const describeStatus = (changes: Partial<Execution>) =>
			describeExecution(finished({ Trigger: [{ title: 'New offer' }] }, changes));
		expect(describeStatus({ status: 'error', error: 'The service\nis down' })).toMatch(
			/"News" failed: The service is down$/,
		);
		expect(describeStatus({ status: 'waiting' })).toMatch(/"News" is waiting: New offer$/);
		expect(describeStatus({ status: 'canceled' })).toContain('"canceled"');
	});
});

describe('the printer', () => {
	/** Returns the number of lines that are printed for these executions. */
	const count = (...executions: Execution[]) => {
		const lines: string[] = [];
		const print = createExecutionPrinter((line) => lines.push(line));
		for (const execution of executions) print(execution);
		return lines.length;
	};
	const alert = (eventKey: string, changes: Partial<Execution> = {}) =>
		finished({ Trigger: [{ title: 'New alert: a.example', eventKey }] }, changes);

	test('prints a scheduled execution only if its result differs from the previous one', () => {
		const idle = finished({ Schedule: [{ timestamp: 'now' }], Accept: [] });
		const failed = finished({}, { status: 'error', error: 'down' });
		expect(count(idle, idle, failed, failed, idle)).toBe(3);
	});

	test('prints each event, although several can have the same title', () => {
		expect(count(alert('1'), alert('2'))).toBe(2);
	});

	test('prints the first execution after a test with the same event', () => {
		expect(count(alert('1', { mode: 'manual' }), alert('1'))).toBe(2);
	});

	test('prints each test', () => {
		const tested = alert('1', { mode: 'manual' });
		expect(count(tested, tested)).toBe(2);
	});
});
