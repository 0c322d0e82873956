import type { IWebhookFunctions } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';

/** The log of a process that has just started, with what n8n's own log then shows. */
async function freshLog() {
	vi.resetModules();
	const { log } = await import('../../../nodes/shared/triggerLog.ts');
	const lines: string[] = [];
	const context = {
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ name: 'Node' }),
		logger: { warn: (line: string) => lines.push(line) },
	} as unknown as IWebhookFunctions;
	return {
		lines,
		say: (what: string) => {
			log(context, what);
		},
	};
}

test('reasons that come by turns are each said once', async () => {
	const { lines, say } = await freshLog();
	for (const reason of ['one', 'other', 'one', 'other']) say(reason);
	expect(lines).toHaveLength(2);
});

test('of a thousand reasons each is remembered; then all are forgotten', async () => {
	const reasons = Array.from({ length: 1000 }, (_, index) => `reason ${index}`);
	const { lines, say } = await freshLog();
	for (const reason of [...reasons, ...reasons]) say(reason);
	expect(lines).toHaveLength(1000);
	say('a further one');
	for (const reason of reasons.slice(0, 10)) say(reason);
	expect(lines).toHaveLength(1011);
});
