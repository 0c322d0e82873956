/** What a stranger can make the webhook trigger write to n8n's log: each reason once, in one line, and so many of them. */
import type { IWebhookFunctions } from 'n8n-workflow';
import { expect, test, vi } from 'vitest';

/** The log of a process that has just started, with what n8n's own log then shows. */
async function freshLog(name = 'Node') {
	vi.resetModules();
	const { log } = await import('../../../../nodes/shared/words/triggerLog.ts');
	const lines: string[] = [];
	const context = {
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ name }),
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

test('a thousand reasons are remembered; for a further one the oldest is forgotten', async () => {
	const reasons = Array.from({ length: 1000 }, (_, index) => `reason ${index}`);
	const { lines, say } = await freshLog();
	for (const reason of [...reasons, ...reasons]) say(reason);
	expect(lines).toHaveLength(1000);
	say('a further one');
	for (const reason of reasons.slice(1)) say(reason);
	expect(lines).toHaveLength(1001);
	say('reason 0');
	expect(lines).toHaveLength(1002);
});

test.each([
	['another line', 'a\n2026-11-23T12:00:00Z [info] Backlink Exchange: paid'],
	['a line as on Windows', 'a\r\nb'],
	['colors and a cleared screen', '\u001b[2J\u001b[31mred'],
	['the ends of lines in Unicode', 'a\u2028b\u2029c\u0085d'],
	['a direction', '\u202egnp.exe'],
	['an end of its own', 'a") Backlink Exchange key leaked (workflow "1'],
	['a zero', '\0'],
	['no end', 'x'.repeat(100_000)],
	['nothing', ''],
])('a node or a reason with %s in it stays in its place on one short line', async (_, text) => {
	const { lines, say } = await freshLog(text);
	say(`Trigger: ${text}`);
	say(text);
	expect(lines).toHaveLength(2);
	for (const line of lines) {
		expect(line).toMatch(
			/^Backlink Exchange [^\p{C}\p{Zl}\p{Zp}]* \(workflow workflow, node "(?:[^"\\]|\\.)*"\)$/u,
		);
		expect(line.length).toBeLessThan(1500);
	}
});

test('the beginning of a reason decides which one it is, and it is kept once', async () => {
	const { lines, say } = await freshLog();
	for (const last of ['a', 'b']) say(`${'x'.repeat(5000)}${last}`);
	expect(lines).toHaveLength(1);
});
