/**
 * A language model on loopback that implements OpenAI's APIs (chat completions and responses) with
 * scripted answers.
 */
import Fastify from 'fastify';
import { afterAll, beforeAll, beforeEach } from 'vitest';

import type { TestEnvironment } from './environment.mts';

/** Request to the model (https://platform.openai.com/docs/api-reference/chat). */
export interface Question {
	messages: Array<{ role: string; content: string | null; tool_call_id?: string }>;
	tools?: Array<{ function: { name: string; description: string } }>;
}

/** A scripted answer: a text, or a call of the first tool whose name contains `tool`. */
export type Answer = string | { tool: string; arguments: Record<string, unknown> };

export interface LanguageModel {
	/** Base URL for n8n's OpenAI credential. */
	baseUrl: string;
	questions: Question[];
	/** Scripted answers to the next requests, in order. */
	answers: Answer[];
	close(): Promise<void>;
}

/**
 * Starts a model for the tests of a file, reset before each of them, and adds its credential to
 * n8n.
 */
export function useLanguageModel(world: TestEnvironment): LanguageModel {
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
	/** Returns the next answer, with the tool's full name in this request. */
	const answerTo = (question: Question): Answer => {
		questions.push(question);
		const answer = answers.shift() ?? 'I have nothing to say.';
		if (typeof answer === 'string') return answer;
		const tool = question.tools?.find((each) => each.function.name.includes(answer.tool));
		return { ...answer, tool: tool?.function.name ?? answer.tool };
	};
	app.post('/v1/chat/completions', (request, reply) => {
		const answer = answerTo(request.body as Question);
		return reply.send(completion(answer, questions.length));
	});
	app.post('/v1/responses', (request, reply) => {
		const answer = answerTo(getQuestion(request.body as ResponseRequest));
		return reply
			.header('content-type', 'text/event-stream')
			.send(responseEvents(answer, questions.length));
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

/** Builds a response for the AI Agent node. */
function completion(answer: Answer, number: number): object {
	const isText = typeof answer === 'string';
	const call = isText || {
		id: `call_${number}`,
		type: 'function',
		function: { name: answer.tool, arguments: JSON.stringify(answer.arguments) },
	};
	const message = isText ? { content: answer } : { content: null, tool_calls: [call] };
	return {
		id: `chatcmpl-${number}`,
		object: 'chat.completion',
		created: 0,
		model: 'gpt-5-mini',
		usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		choices: [
			{
				index: 0,
				message: { role: 'assistant', ...message },
				finish_reason: isText ? 'stop' : 'tool_calls',
			},
		],
	};
}

/** Request of n8n's agents (https://platform.openai.com/docs/api-reference/responses). */
interface ResponseRequest {
	input: Array<{ role?: string; content?: unknown; output?: string }>;
	tools?: Array<{ name: string; description: string }>;
}

function getQuestion({ input, tools = [] }: ResponseRequest): Question {
	return {
		messages: input.map(({ role = 'tool', content, output }) => ({
			role,
			content: output ?? JSON.stringify(content),
		})),
		tools: tools.map((tool) => ({ function: tool })),
	};
}

/** Builds a response for n8n's agents: the events of a stream. */
function responseEvents(answer: Answer, number: number): string {
	const isText = typeof answer === 'string';
	const item = isText
		? {
				type: 'message',
				id: `msg_${number}`,
				role: 'assistant',
				status: 'completed',
				content: [{ type: 'output_text', text: answer, annotations: [] }],
			}
		: {
				type: 'function_call',
				id: `fc_${number}`,
				call_id: `call_${number}`,
				name: answer.tool,
				arguments: JSON.stringify(answer.arguments),
				status: 'completed',
			};
	const usage = {
		input_tokens: 1,
		output_tokens: 1,
		total_tokens: 2,
		input_tokens_details: { cached_tokens: 0 },
		output_tokens_details: { reasoning_tokens: 0 },
	};
	const response = {
		id: `resp_${number}`,
		object: 'response',
		created_at: 0,
		model: 'gpt-5-mini',
		status: 'completed',
		output: [item],
		usage,
	};
	const begun = isText ? { ...item, content: [] } : { ...item, arguments: '' };
	const where = { item_id: item.id, output_index: 0 };
	const events: Array<[string, object]> = [
		['response.created', { response: { ...response, status: 'in_progress', output: [] } }],
		['response.output_item.added', { output_index: 0, item: { ...begun, status: 'in_progress' } }],
		isText
			? ['response.output_text.delta', { ...where, content_index: 0, delta: answer }]
			: ['response.function_call_arguments.delta', { ...where, delta: item.arguments }],
		['response.output_item.done', { output_index: 0, item }],
		['response.completed', { response }],
	];
	return events
		.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
		.join('');
}
