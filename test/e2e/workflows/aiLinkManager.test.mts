import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { clickButton } from './approval.mts';
import { type Imported, output } from './editor.mts';
import { type Answer, type LanguageModel, startLanguageModel } from './languageModel.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let model: LanguageModel;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld({ credits: 100 });
	model = await startLanguageModel();
	await world.editor.addCredential('openAiApi', { apiKey: 'for this test', url: model.baseUrl });
	workflow = await world.editor.importWorkflow('ai-link-manager');
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
	await model.close();
});

beforeEach(() => {
	world.sandbox.setCredits(100);
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	model.questions.length = 0;
	model.answers.length = 0;
});

/** How a language model calls a tool that a person has to approve. */
function accept(id: string): Answer {
	return {
		tool: 'Accept_offer',
		arguments: { toolParameters: { Exchange_ID: id }, hitlParameters: {} },
	};
}

/** What the model was told last by a tool. */
function toolResult(): string {
	return model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

/** The answer in the chat, after a person was waited for. */
async function answer(): Promise<unknown> {
	await expect
		.poll(() => workflow.executions().at(-1)?.status, { timeout: 30_000 })
		.toBe('success');
	const execution = workflow.executions().at(-1);
	return execution && output(execution, 'Link manager')[0]?.output;
}

it('answers from what the tools say', async () => {
	const offer = world.sandbox.requestOffer();
	model.answers.push(
		{ tool: 'Get_credit_balance', arguments: {} },
		{ tool: 'Get_exchanges', arguments: { status: 'pending' } },
		'One offer, 100 credits.',
	);
	const execution = await workflow.chat('Chat', 'What is pending, and what do I have?');
	expect(execution.status).toBe('success');
	expect(output(execution, 'Link manager')).toEqual([{ output: 'One offer, 100 credits.' }]);
	expect(toolResult()).toContain(offer.id);
	expect(model.questions[1]?.messages.at(-1)?.content).toContain('"balance":100');
});

it('accepts only after a person has approved it in Slack', async () => {
	const offer = world.sandbox.requestOffer();
	model.answers.push(accept(offer.id), 'Done.');
	const asked = await workflow.chat('Chat', `Accept ${offer.id}`);
	expect(asked.status).toBe('waiting');
	expect(JSON.stringify(world.slack.messages)).toContain(`Accept the offer ${offer.id}?`);
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');

	await clickButton(world.slack, 'Accept');
	expect(await answer()).toBe('Done.');
	expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
	expect(toolResult()).toContain('"outcome":"accepted"');
});

it('accepts nothing when the person declines, and the model learns of it', async () => {
	const offer = world.sandbox.requestOffer();
	model.answers.push(accept(offer.id), 'It was declined.');
	await workflow.chat('Chat', `Accept ${offer.id}`);
	await clickButton(world.slack, 'Decline');
	expect(await answer()).toBe('It was declined.');
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	expect(toolResult()).not.toContain('accepted');
});

it('tells the model that the credits do not suffice', async () => {
	world.sandbox.setCredits(2);
	const offer = world.sandbox.requestOffer({ cost: 10 });
	model.answers.push(accept(offer.id), 'Too few credits.');
	await workflow.chat('Chat', `Accept ${offer.id}`);
	await clickButton(world.slack, 'Accept');
	expect(await answer()).toBe('Too few credits.');
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	expect(toolResult()).toMatch(/credits/i);
});

it('accepts nothing when nobody can be asked because Slack is down', async () => {
	world.slack.state = 'down';
	const offer = world.sandbox.requestOffer();
	model.answers.push(accept(offer.id), 'Slack is down.');
	const execution = await workflow.chat('Chat', `Accept ${offer.id}`);
	expect(output(execution, 'Link manager')).toEqual([{ output: 'Slack is down.' }]);
	expect(execution.nodes.map(({ name }) => name)).toContain('Approve in Slack');
	expect(toolResult()).not.toContain('outcome');
	expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	expect(world.sandbox.books.balance()).toBe(100);
});
