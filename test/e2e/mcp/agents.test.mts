/**
 * n8n's own agents, built and called over its MCP server, with the node as their tool and human
 * approval before it spends credits.
 */
import { beforeAll, describe, expect, test } from 'vitest';

import { useWorld } from '../workflows/environment.mts';
import { useLanguageModel } from '../workflows/languageModel.mts';
import { type Builder, connectToBuilder } from './builder.mts';

const world = useWorld();
const model = useLanguageModel(world);
let builder: Builder;
let agentId: string;

interface CallAnswer {
	status: string;
	response: string;
	approvals?: Array<{ toolName: string; args: object; continuation: object }>;
}

/** Configures a tool as docs/ai.md describes it. */
function tool(name: string, description: string, nodeParameters: object, more: object = {}) {
	const { id } = world.editor.credential('backlinkExchangeApi');
	return {
		type: 'node',
		name,
		description,
		node: {
			nodeType: 'n8n-nodes-backlink-exchange.backlinkExchangeTool',
			nodeTypeVersion: 1,
			nodeParameters,
			credentials: { backlinkExchangeApi: { id, name: 'backlinkExchangeApi' } },
		},
		...more,
	};
}

const exchangeId = {
	__rl: true,
	mode: 'id',
	value:
		"={{ $fromAI('exchange_id', 'The ID of a pending exchange that the user named.', 'string') }}",
};

async function ask(tool: string, args: object): Promise<Record<string, unknown>> {
	return JSON.parse(await builder.ask(tool, args)) as Record<string, unknown>;
}

async function call(request: object): Promise<CallAnswer> {
	return (await ask('call_agent', { agentId, request })) as unknown as CallAnswer;
}

/** Sends a user's decision about the accept that the agent proposes. */
async function decide({ approvals = [] }: CallAnswer, approved: boolean): Promise<CallAnswer> {
	const continuation = approvals[0]?.continuation;
	return await call({ type: 'approval', approved, continuation });
}

/** Returns the latest tool result that the model received. */
const toolResult = () =>
	model.questions.at(-1)?.messages.findLast(({ role }) => role === 'tool')?.content ?? '';

beforeAll(async () => {
	builder = await connectToBuilder(world);
	const { data } = (await ask('search_projects', {})) as unknown as { data: [{ id: string }] };
	const config = {
		model: 'openai/gpt-5-mini',
		credential: world.editor.credential('openAiApi').id,
		instructions: 'Answer from what the tools say. Accept an offer only when the user names it.',
		tools: [
			tool('get_summary', 'Credits, exchanges by state, and alerts of the last 7 days.', {
				resource: 'account',
				operation: 'getSummary',
			}),
			tool(
				'accept_offer',
				'Accepts one pending offer. Spends credits.',
				{ resource: 'exchange', operation: 'accept', exchangeId, options: { maxAccepts: 1 } },
				{ requireApproval: true },
			),
		],
	};
	const created = await ask('create_agent', {
		projectId: data[0].id,
		name: 'Link manager',
		config,
	});
	agentId = (created.agent as { id: string }).id;
});

test('the configuration is valid', async () => {
	expect(await ask('validate_agent', { agentId })).toMatchObject({ valid: true, errors: [] });
});

test('the agent answers from the result of a tool', async () => {
	model.answers.push({ tool: 'get_summary', arguments: {} }, '100 credits.');
	const answer = await call({ type: 'message', message: 'How many credits?' });
	expect(answer).toMatchObject({ status: 'completed', response: '100 credits.' });
	expect(toolResult()).toContain('100 credits left');
});

describe('human approval before an accept', () => {
	const accept = (id: string) => ({ tool: 'accept_offer', arguments: { exchange_id: id } });

	test('accepts the offer only once after an approval, even if the agent calls again', async () => {
		const { id } = world.sandbox.requestOffer();
		for (let time = 0; time < 2; time++) {
			model.answers.push(accept(id), 'Done.');
			const asked = await call({ type: 'message', message: `Accept ${id}` });
			expect(asked).toMatchObject({ status: 'suspended' });
			expect(asked.approvals).toMatchObject([{ args: { exchange_id: id } }]);
			expect(world.sandbox.books.acceptCount(id)).toBe(time);
			expect(await decide(asked, true)).toMatchObject({ status: 'completed' });
			expect(toolResult()).toContain('accepted');
		}
		expect(world.sandbox.books.acceptCount(id)).toBe(1);
	});

	test('accepts nothing after a denial', async () => {
		const { id } = world.sandbox.requestOffer();
		model.answers.push(accept(id), 'It was declined.');
		const asked = await call({ type: 'message', message: `Accept ${id}` });
		expect(await decide(asked, false)).toMatchObject({ status: 'completed' });
		expect(world.sandbox.books.acceptCount(id)).toBe(0);
		expect(toolResult()).not.toContain('ccepted');
	});
});
