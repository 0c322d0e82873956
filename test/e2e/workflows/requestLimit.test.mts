/** What the workflows that ask the service by themselves do while its limit of requests is reached: nothing, and they say so. */
import { expect, it } from 'vitest';

import { clickButton } from './approval.mts';
import type { Imported } from './editor.mts';
import { upload } from './form.mts';
import { useWorld } from './world.mts';

const world = useWorld();

const reached = 'The request limit of the service is reached';

/** The next request is refused, until the end of the sandbox's day by its headers; n8n remembers that until it ends. */
function reachLimit(): void {
	world.sandbox.addFault({ kind: 'answer-before-commit', status: 429, body: '{}' });
}

const rules = { acceptFrom: 'anyone', dryRun: false, options: {} };
const auto = { 'Accept by rules': { resource: 'exchange', operation: 'acceptMany', ...rules } };

it.each([
	['weekly-report', {}, 'Every Monday', 'Get summary', 0],
	['scheduled-auto-accept', auto, 'Every hour', 'Accept by rules', 1],
])('%s fails and sends nothing', async (name, changes, trigger, lastNode, acceptsLater) => {
	const { id } = world.sandbox.requestOffer();
	const workflow = await world.editor.importWorkflow(name, changes);
	reachLimit();
	const limited = await workflow.execute(trigger);
	expect(limited).toMatchObject({ status: 'error', error: reached, lastNode });
	expect(world.slack.messages).toEqual([]);
	expect(world.sandbox.books.acceptsOf(id)).toBe(0);
	await world.restart();
	expect(await workflow.execute(trigger)).toMatchObject({ status: 'success' });
	expect(world.sandbox.books.acceptsOf(id)).toBe(acceptsLater);
});

it('offer approval says that an approved offer was not accepted, and why', async () => {
	const { id } = world.sandbox.requestOffer();
	const workflow = await world.editor.importWorkflow('offer-approval');
	const before = workflow.executions().length;
	await workflow.start('New offer');
	await expect.poll(() => workflow.status, { timeout: 30_000 }).toBe('waiting');
	reachLimit();
	await clickButton(world.slack, 'Accept');
	await workflow.finished(before + 1);
	expect(world.slack.messages.at(-1)?.text).toContain(reached);
	expect(world.sandbox.books.acceptsOf(id)).toBe(0);
	await world.restart();
});

it('bulk add sites says so of each row, and the same file adds them later', async () => {
	const csv = 'url,niche\nhttps://a.example,tea\nhttps://b.example,tea\n';
	const workflow: Imported = await world.editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
	reachLimit();
	const lines = await upload(workflow, csv);
	expect(lines).toEqual([expect.stringContaining(reached), expect.stringContaining(reached)]);
	await world.restart();
	expect(await upload(workflow, csv)).toEqual([
		expect.stringMatching(/^Added a\.example/),
		expect.stringMatching(/^Added b\.example/),
	]);
});
