/** AI link manager: a model answers from tool results, and accepts only after human approval. */
import { beforeAll, describe, expect, test } from 'vitest';

import { browserHeaders, clickButton, clickInEmail, questionAddresses } from './approval.mts';
import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { type Answer, useLanguageModel } from './languageModel.mts';
import { getBody } from './mailbox.mts';

const world = useWorld();
const model = useLanguageModel(world);
let workflow: Imported;

/** Returns a language model's call of a tool that needs human approval. */
function accept(id: string): Answer {
	return {
		tool: 'Accept_offer',
		arguments: { toolParameters: { Exchange_ID: id }, hitlParameters: {} },
	};
}

/** Returns the latest tool result that the model received. */
function toolResult(): string {
	return model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

/** Returns the message in the chat after the wait for a human. */
async function answer(): Promise<string | undefined> {
	await expect
		.poll(() => workflow.executions().at(-1)?.status, { timeout: 30_000 })
		.toBe('success');
	return workflow.answers.at(-1);
}

describe('as imported', () => {
	beforeAll(async () => {
		workflow = await world.editor.importWorkflow('ai-link-manager');
		await workflow.publish();
	});

	test('answers from tool results, and has no tool that accepts', async () => {
		const { id } = world.sandbox.requestOffer();
		model.answers.push(
			{ tool: 'Get_summary', arguments: {} },
			{ tool: 'Get_exchanges', arguments: { status: 'pending' } },
			accept(id),
			'One offer, 100 credits.',
		);
		const execution = await workflow.chat('Chat', 'What is pending, and what do I have?');
		expect(execution.status).toBe('success');
		expect(workflow.answers).toEqual(['One offer, 100 credits.']);
		expect(model.questions[0]?.messages.at(-1)?.content).toContain('What is pending');
		expect(model.questions[1]?.messages.at(-1)?.content).toContain('"balance":100');
		expect(model.questions[2]?.messages.at(-1)?.content).toContain(id);
		const tools = model.questions[0]?.tools?.map((each) => each.function.name) ?? [];
		expect(tools).toHaveLength(5);
		expect(tools.join()).not.toMatch(/accept|approve/i);
		expect(world.sandbox.books.acceptCount(id)).toBe(0);
	});
});

describe('with approval in Slack', () => {
	beforeAll(async () => {
		const activate = ['Approve in Slack', 'Accept offer'];
		workflow = await world.editor.importWorkflow('ai-link-manager', {}, { activate });
		await workflow.publish();
	});

	test('accepts only after an approval', async () => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id), 'Done.');
		const asked = await workflow.chat('Chat', `Accept ${offer.id}`);
		expect(asked.status).toBe('waiting');
		const [, section] = world.slack.messages[0]?.blocks as Array<{ text?: object }>;
		expect(section?.text).toMatchObject({
			type: 'plain_text',
			text: `The link manager wants to accept the offer ${offer.id}. Accepting spends credits.`,
		});
		expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');

		await clickButton(world.slack, 'Accept');
		expect(await answer()).toBe('Done.');
		expect(world.sandbox.books.acceptCount(offer.id)).toBe(1);
		expect(toolResult()).toContain('"outcome":"accepted"');
	});

	test('accepts nothing after a denial, and the model receives the denial', async () => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id), 'It was declined.');
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await clickButton(world.slack, 'Decline');
		expect(await answer()).toBe('It was declined.');
		expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
		expect(toolResult()).not.toContain('accepted');
	});

	test('a kill of n8n while an approval is pending voids it, and the next one works', async () => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id));
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await expect.poll(() => workflow.executions().at(-1)?.status).toBe('waiting');
		await world.restart();
		// If n8n is killed while an agent waits, it shows the agent as crashed.
		const [late = ''] = questionAddresses(world.slack, 'Accept');
		expect((await fetch(late, { headers: browserHeaders })).status).toBe(409);
		expect(world.sandbox.books.acceptCount(offer.id)).toBe(0);
		model.answers.push(accept(offer.id), 'Done.');
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await clickButton(world.slack, 'Accept');
		expect(await answer()).toBe('Done.');
		expect(world.sandbox.books.acceptCount(offer.id)).toBe(1);
	});
});

describe('with approval by email', () => {
	beforeAll(async () => {
		const activate = ['Approve by email', 'Accept offer'];
		workflow = await world.editor.importWorkflow('ai-link-manager', {}, { activate });
		await workflow.publish();
	});

	test.each([
		['Accept', 1],
		['Decline', 0],
	])('after %s in the email, %i offers are accepted', async (label, count) => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id), 'Done.');
		const asked = await workflow.chat('Chat', `Accept ${offer.id}`);
		expect(asked.status).toBe('waiting');
		expect(world.mailbox.mails).toHaveLength(1);
		expect(getBody(world.mailbox.mails[0])).toContain(`accept the offer ${offer.id}.`);
		expect(world.sandbox.books.acceptCount(offer.id)).toBe(0);
		await clickInEmail(world.mailbox.mails[0], label);
		expect(await answer()).toBe('Done.');
		expect(world.sandbox.books.acceptCount(offer.id)).toBe(count);
		expect(world.slack.messages).toEqual([]);
	});
});
