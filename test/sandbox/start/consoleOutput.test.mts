/** The output of `npm start` about n8n's executions. */
import { expect, test } from 'vitest';

import { describeExecution } from '../../../sandbox/start/consoleOutput.mts';

/** Creates an execution of one node, whose output items have these messages. */
function finished(messages: string[], isDeactivated = false) {
	const items = messages.map((message) => ({ message }));
	const nodes = [{ name: 'Send', isDeactivated, items }];
	const execution = { id: '1', workflowId: 'news', workflowName: 'News', mode: 'trigger' };
	return describeExecution({ ...execution, status: 'success', lastNode: 'Send', nodes });
}

test('counts the items of the last node, and shows a list in one line', () => {
	const line = finished(['- Link live\n- Link broken', 'Credits low']);
	for (const text of ['"News"', '"Send"', '2 items']) expect(line).toContain(text);
	expect(line).toMatch(/: Link live \| Link broken \| Credits low$/);
});

test("doesn't claim an action of a deactivated node", () => {
	const line = finished(['Link live'], true);
	expect(line).toMatch(/"Send", is deactivated and didn't process 1 item: Link live$/);
});

test('truncates between words', () => {
	expect(finished(['seven77 '.repeat(20)])).toMatch(/: (seven77 ){12}…$/);
});

test("doesn't call an execution successful that failed, waits or was canceled", () => {
	const execution = {
		id: '1',
		workflowId: 'news',
		workflowName: 'News',
		mode: 'trigger',
		nodes: [],
	};
	const describeStatus = (status: string, error?: string) =>
		describeExecution({ ...execution, status, error });
	expect(describeStatus('error', 'The service\nis down')).toMatch(/failed: The service is down$/);
	expect(describeStatus('waiting')).toContain('waiting');
	expect(describeStatus('canceled')).toContain('"canceled"');
	expect(describeStatus('success')).toContain('succeeded');
});
