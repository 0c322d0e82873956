/** The action node as a tool of an AI agent without an approval in front of it: the bounds of accepts hold for the whole execution. */
import { beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { type Answer, useLanguageModel } from './languageModel.mts';
import { useWorld } from './world.mts';

const world = useWorld();
const model = useLanguageModel(world);
let workflow: Imported;

const acceptsOf = (id: string): number => world.sandbox.books.acceptsOf(id);

/** The AI link manager as somebody may change it: it accepts by itself, one offer per execution at most. */
beforeAll(async () => {
	workflow = await world.editor.importWorkflow(
		'ai-link-manager',
		{},
		{
			activate: ['Accept offer'],
		},
	);
	const { nodes, connections } = await workflow.read();
	const accept = nodes.find(({ name }) => name === 'Accept offer');
	if (accept === undefined) throw new Error('The workflow has no node "Accept offer".');
	accept.parameters.options = { maxAccepts: 1 };
	const toAgent = { node: 'Link manager', type: 'ai_tool', index: 0 };
	const others = Object.entries(connections).filter(([name]) => name !== 'Approve in Slack');
	await workflow.change({
		nodes: nodes.filter(({ name }) => name !== 'Approve in Slack'),
		connections: { ...Object.fromEntries(others), 'Accept offer': { ai_tool: [[toAgent]] } },
	});
});

function accept(id: string): Answer {
	return { tool: 'Accept_offer', arguments: { Exchange_ID: id } };
}

/** Chats, and returns what the tool returned to the model, in order. */
async function chat(...answers: Answer[]): Promise<string[]> {
	model.answers.push(...answers, 'Done.');
	const { status } = await workflow.chat('Chat', 'Accept what is good.');
	expect(status).toBe('success');
	const messages = model.questions.at(-1)?.messages ?? [];
	const said = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
	return said.slice(-answers.length);
}

it('accepts one per execution, however often it is called, and says the same of it again', async () => {
	const [first, second] = [world.sandbox.requestOffer(), world.sandbox.requestOffer()];
	const said = await chat(accept(first.id), accept(second.id), accept(first.id));
	expect(said[0]).toContain('"outcome":"accepted"');
	expect(said[1]).toContain('"outcome":"skipped"');
	expect(said[2]).toContain('"outcome":"accepted"');
	expect([acceptsOf(first.id), acceptsOf(second.id)]).toEqual([1, 0]);

	const [later] = await chat(accept(second.id));
	expect(later).toContain('"outcome":"accepted"');
	expect(acceptsOf(second.id)).toBe(1);
});

it('says to the model how to correct what it made up', async () => {
	const [said] = await chat({ tool: 'Get_exchanges', arguments: { status: 'waiting' } });
	expect(said).toContain('one of accepted, all, broken, live, pending');
});

it.each(['', '..', 'a/b?c', '__proto__', '😀\ud800', ' '.repeat(50)])(
	'spends nothing when the model makes up the ID %j',
	async (id) => {
		const offer = world.sandbox.requestOffer();
		const balance = world.sandbox.books.balance();
		const [said] = await chat(accept(id));
		expect(said).not.toMatch(/"outcome":"(accepted|alreadyAccepted)"/);
		expect(said).not.toBe('');
		expect(world.sandbox.books.balance()).toBe(balance);
		expect(acceptsOf(offer.id)).toBe(0);
	},
);
