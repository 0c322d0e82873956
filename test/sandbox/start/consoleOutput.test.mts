/** The output of `npm start` about n8n's executions. */
import { expect, it } from 'vitest';

import { describeExecution } from '../../../sandbox/start/consoleOutput.mts';

/** Creates an execution of one node, whose output items have these messages. */
function finished(messages: string[], isDeactivated = false) {
	const items = messages.map((message) => ({ message }));
	const nodes = [{ name: 'Send', isDeactivated, items }];
	const execution = { id: '1', workflowId: 'news', workflowName: 'News', mode: 'trigger' };
	return describeExecution({ ...execution, status: 'success', lastNode: 'Send', nodes });
}

it('counts the items of the last node, and shows a list in one line', () => {
	expect(finished(['- Link live\n- Link broken', 'Credits low'])).toBe(
		'"News" finished: success; Send: 2 items (“Link live | Link broken | Credits low”)',
	);
});

it("doesn't claim an action of a deactivated node", () => {
	expect(finished(['Link live'], true)).toBe(
		'"News" finished: success; Send is deactivated and would have had 1 item (“Link live”)',
	);
});

it('truncates between words', () => {
	expect(finished(['seven77 '.repeat(20)])).toMatch(/\(“(seven77 ){12}…”\)$/);
});
