/** AI link manager: a model answers from what the tools say, and accepts only what a person has approved. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { browserHeaders, clickButton, openAddress, questionAddresses } from './approval.mts';
import type { Imported } from './editor.mts';
import { type Answer, useLanguageModel } from './languageModel.mts';
import { useWorld } from './world.mts';

const world = useWorld();
const model = useLanguageModel(world);
let workflow: Imported;

/** How a language model calls a tool that a person has to approve. */
function accept(id: string): Answer {
	return {
		tool: 'Accept_offer',
		arguments: { toolParameters: { Exchange_ID: id }, hitlParameters: {} },
	};
}

/** What the model last got by a tool. */
function toolResult(): string {
	return model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content ?? '';
}

/** What the chat shows after a person was waited for. */
async function answer(): Promise<string | undefined> {
	await expect
		.poll(() => workflow.executions().at(-1)?.status, { timeout: 30_000 })
		.toBe('success');
	return workflow.answers.at(-1);
}

describe('as it comes', () => {
	beforeAll(async () => {
		workflow = await world.editor.importWorkflow('ai-link-manager');
		await workflow.publish();
	});

	it('answers from what the tools say, and has no tool that accepts', async () => {
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
		expect(tools).toHaveLength(4);
		expect(tools.join()).not.toMatch(/accept|approve/i);
		expect(world.sandbox.books.acceptsOf(id)).toBe(0);
	});

	it('of a long list, passes on as much as the model asks for', async () => {
		for (let count = 0; count < 120; count++) world.sandbox.requestOffer({ cost: 1 });
		model.answers.push(
			{ tool: 'Get_exchanges', arguments: { status: 'pending' } },
			{ tool: 'Get_exchanges', arguments: { status: 'pending', limit: 500 } },
			'120 offers.',
		);
		await workflow.chat('Chat', 'How many offers are pending?');
		expect(workflow.answers.at(-1)).toBe('120 offers.');
		const results = model.questions.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
		const counts = results.map(({ content }) => content?.match(/"status":"pending"/g)?.length);
		// Of earlier questions in the same chat, the memory has results, too.
		expect(counts.slice(-2)).toEqual([50, 120]);
	});
});

describe('with approval in Slack', () => {
	beforeAll(async () => {
		workflow = await spending({});
	});

	/** The workflow, published, with these options of Accept. */
	async function spending(options: object): Promise<Imported> {
		const imported = await world.editor.importWorkflow(
			'ai-link-manager',
			{ 'Accept offer': { options } },
			{ activate: ['Approve in Slack', 'Accept offer'] },
		);
		await imported.publish();
		return imported;
	}

	it('accepts only after a person has approved it', async () => {
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
		expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
		expect(toolResult()).toContain('"outcome":"accepted"');
	});

	it('shows words of the model that could format or notify as they are, and says what to do about an ID that does not exist', async () => {
		model.answers.push(accept('<!channel> *urgent*'), 'There is no such offer.');
		await workflow.chat('Chat', 'Accept something');
		const [, section] = world.slack.messages.at(-1)?.blocks as Array<{ text?: object }>;
		expect(section?.text).toMatchObject({ type: 'plain_text' });
		await clickButton(world.slack, 'Accept');
		expect(await answer()).toBe('There is no such offer.');
		expect(toolResult()).toContain('Take the ID from');
		expect(toolResult()).not.toContain('"outcome":"accepted"');
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

	it('keeps the credit floor, and tells the model', async () => {
		const usual = workflow;
		workflow = await spending({ minimumBalance: 50 });
		onTestFinished(() => {
			workflow = usual;
		});
		world.sandbox.setCredits(50);
		const offer = world.sandbox.requestOffer({ cost: 10 });
		model.answers.push(accept(offer.id), 'Too few credits.');
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await clickButton(world.slack, 'Accept');
		expect(await answer()).toBe('Too few credits.');
		expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
		expect(toolResult()).toContain('"outcome":"skipped"');
	});

	it('tells the model that the service is away, and answers', async () => {
		world.sandbox.addFault({ kind: 'error-before-commit', path: '/api/credits', times: 1000 });
		model.answers.push({ tool: 'Get_summary', arguments: {} }, 'It is away.');
		await workflow.chat('Chat', 'What do I have?');
		world.sandbox.clearFaults();
		expect(workflow.answers.at(-1)).toBe('It is away.');
		expect(toolResult()).toContain('not available right now');
	});

	it('pays once when two chats want the same offer, both are approved, and the list lags', async () => {
		const dialect = world.sandbox.dialect();
		const offer = world.sandbox.requestOffer();
		world.sandbox.setDialect({
			acceptAgain: '200-charged-again',
			exchangeList: 'lagging',
			listLagSeconds: 3600,
		});
		model.answers.push(accept(offer.id));
		await workflow.chat('Chat', `Accept ${offer.id}`);
		model.answers.push(accept(offer.id));
		await workflow.chat('Chat', `Accept ${offer.id}`);
		const addresses = questionAddresses(world.slack, 'Accept');
		expect(addresses).toHaveLength(2);
		await Promise.all(addresses.map(openAddress));
		const underWay = () =>
			world.n8n.query(
				"SELECT id FROM execution_entity WHERE status IN ('new', 'running', 'waiting')",
			);
		await expect.poll(underWay).toEqual([]);
		world.sandbox.setDialect(dialect);
		expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	it('n8n killed while the person thinks it over: that question is void, the next one works', async () => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id));
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await expect.poll(() => workflow.executions().at(-1)?.status).toBe('waiting');
		await world.restart();
		// If n8n is killed while an agent waits, it shows the agent as crashed.
		const [late = ''] = questionAddresses(world.slack, 'Accept');
		expect((await fetch(late, { headers: browserHeaders })).status).toBe(409);
		expect(world.sandbox.books.acceptsOf(offer.id)).toBe(0);
		model.answers.push(accept(offer.id), 'Done.');
		await workflow.chat('Chat', `Accept ${offer.id}`);
		await clickButton(world.slack, 'Accept');
		expect(await answer()).toBe('Done.');
		expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});

	it('accepts nothing when nobody can be asked because Slack is down', async () => {
		world.slack.state = 'down';
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id), 'Slack is down.');
		const execution = await workflow.chat('Chat', `Accept ${offer.id}`);
		expect(workflow.answers.at(-1)).toBe('Slack is down.');
		expect(execution.nodes.map(({ name }) => name)).toContain('Approve in Slack');
		expect(toolResult()).not.toContain('outcome');
		expect(world.sandbox.books.exchange(offer.id).status).toBe('pending');
	});

	it('the chat is closed before the person has decided: the offer is accepted, and only the answer waits', async () => {
		const offer = world.sandbox.requestOffer();
		model.answers.push(accept(offer.id), 'Done.');
		await workflow.chat('Chat', `Accept ${offer.id}`);
		workflow.closeChat();
		const before = workflow.executions().length;
		await clickButton(world.slack, 'Accept');
		const execution = await workflow.finished(before);
		expect(execution.status).toBe('waiting');
		expect(execution.nodes.at(-1)?.name).toBe('Answer');
		expect(world.sandbox.books.acceptsOf(offer.id)).toBe(1);
	});
});

describe('as somebody may change it, so that it accepts by itself, one offer per execution at most', () => {
	beforeAll(async () => {
		workflow = await world.editor.importWorkflow(
			'ai-link-manager',
			{ 'Accept offer': { options: { maxAccepts: 1 } } },
			{ activate: ['Accept offer'] },
		);
		const { nodes, connections } = await workflow.read();
		const toAgent = { node: 'Link manager', type: 'ai_tool', index: 0 };
		const others = Object.entries(connections).filter(([name]) => name !== 'Approve in Slack');
		await workflow.change({
			nodes: nodes.filter(({ name }) => name !== 'Approve in Slack'),
			connections: { ...Object.fromEntries(others), 'Accept offer': { ai_tool: [[toAgent]] } },
		});
	});

	it('it does so, however often it is called, and says the same of it again', async () => {
		const [first, second] = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
		const asked = [first, second, first].map((id) => ({
			tool: 'Accept_offer',
			arguments: { Exchange_ID: id },
		}));
		model.answers.push(...asked, 'Done.');
		expect((await workflow.chat('Chat', 'Accept what is good.')).status).toBe('success');
		const messages = model.questions.at(-1)?.messages.filter(({ role }) => role === 'tool') ?? [];
		const said = messages.map(({ content }) => /"outcome":"(\w+)"/.exec(content ?? '')?.[1]);
		expect(said).toEqual(['accepted', 'skipped', 'accepted']);
		expect([first, second].map((id) => world.sandbox.books.acceptsOf(id))).toEqual([1, 0]);
	});
});
