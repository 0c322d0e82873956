import type { IWebhookFunctions } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';

/** The log of a process that has just started, with what n8n's own log then shows. */
async function freshLog() {
	vi.resetModules();
	const { logRefusal, logUnrecognized } = await import(
		'../../../nodes/BacklinkExchangeTrigger/triggerLog.ts'
	);
	const lines: string[] = [];
	const context = {
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ name: 'Node' }),
		logger: { warn: (line: string) => lines.push(line) },
	} as unknown as IWebhookFunctions;
	return {
		lines,
		refuse: (reason: string) => {
			logRefusal(context, reason);
		},
		receive: (json: unknown) => {
			logUnrecognized(context, json);
		},
	};
}

test('reasons that come by turns are each said once', async () => {
	const { lines, refuse } = await freshLog();
	for (const reason of ['one', 'other', 'one', 'other']) refuse(reason);
	expect(lines).toHaveLength(2);
});

test('of a thousand reasons or shapes each is remembered; then it begins anew', async () => {
	const names = Array.from({ length: 1000 }, (_, index) => `name ${index}`);
	for (const kind of ['reason', 'shape']) {
		const { lines, refuse, receive } = await freshLog();
		const say = (name: string) => {
			if (kind === 'reason') refuse(name);
			else receive({ [name]: 1 });
		};
		for (const name of [...names, ...names]) say(name);
		expect(lines).toHaveLength(1000);
		say('a further one');
		for (const name of names.slice(0, 10)) say(name);
		expect(lines).toHaveLength(1011);
	}
});
