/**
 * An MCP client over HTTP (https://modelcontextprotocol.io/specification), like the one of an
 * assistant.
 */

import { vi } from 'vitest';

/** A tool as the server describes it. */
export interface Tool {
	name: string;
	description: string;
	inputSchema: { properties?: Record<string, { description?: string }> };
}

interface Answer {
	result?: {
		tools?: Tool[];
		content?: Array<{ text?: string }>;
		isError?: boolean;
	};
	error?: { message: string };
}

export class McpClient {
	readonly #url: string;

	readonly #headers: Record<string, string>;

	/** Headers that the server expects in each request. */
	#session: Record<string, string> = {};

	#requests = 0;

	private constructor(url: string, token: string) {
		this.#url = url;
		this.#headers = {
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			authorization: `Bearer ${token}`,
		};
	}

	/** Initializes a connection according to the protocol. */
	static async connect(url: string, token: string): Promise<McpClient> {
		const client = new McpClient(url, token);
		await client.#request('initialize', {
			protocolVersion: '2025-03-26',
			capabilities: {},
			clientInfo: { name: 'a test', version: '1' },
		});
		await client.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
		return client;
	}

	/** Connects as soon as n8n has registered the URL of a workflow that was just published. */
	static async connectToPublished(url: string, token: string): Promise<McpClient> {
		const isRegistered = async () => (await fetch(url, { method: 'POST' })).status !== 404;
		await vi.waitUntil(isRegistered, { timeout: 30_000, interval: 200 });
		return await McpClient.connect(url, token);
	}

	async tools(): Promise<Tool[]> {
		const { tools = [] } = await this.#request('tools/list', {});
		return tools;
	}

	/**
	 * Calls a tool.
	 *
	 * @returns the text of its response
	 */
	async call(name: string, args: object = {}): Promise<{ text: string; isError: boolean }> {
		const result = await this.#request('tools/call', { name, arguments: args });
		const { content = [], isError = false } = result;
		return { text: content.map((part) => part.text ?? '').join('\n'), isError };
	}

	async #request(method: string, params: object): Promise<NonNullable<Answer['result']>> {
		const id = ++this.#requests;
		const response = await this.#send({ jsonrpc: '2.0', id, method, params });
		const text = await response.text();
		if (!response.ok) throw new Error(`${method}: ${response.status} ${text}`);
		const session = response.headers.get('mcp-session-id');
		if (session !== null) this.#session = { 'mcp-session-id': session };
		const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
		const messages = isStream
			? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data)
			: [text];
		const answers = messages.map((message) => JSON.parse(message) as Answer & { id?: number });
		const answer = answers.find((each) => each.id === id);
		if (answer?.result === undefined) {
			throw new Error(`${method}: ${answer?.error?.message ?? `no answer in ${text}`}`);
		}
		return answer.result;
	}

	async #send(message: object): Promise<Response> {
		return await fetch(this.#url, {
			method: 'POST',
			headers: { ...this.#headers, ...this.#session },
			body: JSON.stringify(message),
		});
	}
}
