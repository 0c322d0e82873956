/** A language model on loopback that speaks OpenAI's chat completions API and says what the test wants. */
import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach } from 'vitest';

import type { World } from './world.mts';

/** What the model is asked (https://platform.openai.com/docs/api-reference/chat). */
export interface Question {
	messages: Array<{ role: string; content: string | null; tool_call_id?: string }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** Its answer: a text, or a call of the first tool whose name contains this. */
export type Answer = string | { tool: string; arguments: Record<string, unknown> };

interface LanguageModel {
	/** For n8n's OpenAI credential. */
	baseUrl: string;
	questions: Question[];
	/** Answers the next questions, in order. */
	answers: Answer[];
	close(): Promise<void>;
}

/** For a test file whose world it is: a model that has been asked nothing before each test, and n8n's credential for it. */
export function useLanguageModel(world: World): LanguageModel {
	const model = {} as LanguageModel;
	beforeAll(async () => {
		Object.assign(model, await startLanguageModel());
		const data = { apiKey: 'for this test', url: model.baseUrl };
		await world.editor.addCredential('openAiApi', data);
	});
	beforeEach(() => {
		model.questions.length = 0;
		model.answers.length = 0;
	});
	afterAll(() => model.close());
	return model;
}

async function startLanguageModel(): Promise<LanguageModel> {
	const app = Fastify();
	const questions: Question[] = [];
	const answers: Answer[] = [];
	app.post('/v1/chat/completions', (request, reply) => {
		const question = request.body as Question;
		questions.push(question);
		const answer = answers.shift() ?? 'I have nothing to say.';
		const completion = {
			id: `chatcmpl-${questions.length}`,
			object: 'chat.completion',
			created: 0,
			model: 'gpt-5-mini',
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
		if (typeof answer === 'string') {
			const message = { role: 'assistant', content: answer };
			return reply.send({ ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] });
		}
		const tool = question.tools?.find((each) => each.function.name.includes(answer.tool));
		const call = {
			id: `call_${questions.length}`,
			type: 'function',
			function: {
				name: tool?.function.name ?? answer.tool,
				arguments: JSON.stringify(answer.arguments),
			},
		};
		const message = { role: 'assistant', content: null, tool_calls: [call] };
		return reply.send({
			...completion,
			choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
		});
	});
	const origin = await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		baseUrl: `${origin}/v1`,
		questions,
		answers,
		close: async () => {
			await app.close();
		},
	};
}
