/** Client of n8n's own MCP server, with which a model builds workflows. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect } from 'vitest';

import type { WorkflowNode } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { Imported } from '../workflows/editor.mts';
import type { TestEnvironment } from '../workflows/environment.mts';
import { McpClient } from './client.mts';

/** Reads a workflow as code of n8n's Workflow SDK, written from the responses of the tools. */
export function readCode(name: string): string {
	return readFileSync(path.join(import.meta.dirname, 'code', `${name}.txt`), 'utf8');
}

/** Turns n8n's MCP server on, as its owner does under Settings, and connects to it. */
export async function connectToBuilder({ n8n, editor }: TestEnvironment): Promise<Builder> {
	await editor.request('PATCH', '/rest/mcp/settings', { mcpAccessEnabled: true });
	const key = (await editor.request('GET', '/rest/mcp/api-key')) as { apiKey: string };
	return new Builder(await McpClient.connect(`${n8n.origin}/mcp-server/http`, key.apiKey));
}

export class Builder {
	readonly #client: McpClient;

	constructor(client: McpClient) {
		this.#client = client;
	}

	/**
	 * Calls a tool.
	 *
	 * @returns the text of its response
	 */
	async ask(tool: string, args: object = {}): Promise<string> {
		const { text, isError } = await this.#client.call(tool, args);
		if (isError) throw new Error(`${tool}: ${text}`);
		return text;
	}

	/**
	 * Searches for nodes.
	 *
	 * @returns them, best match first
	 */
	async search(query: string): Promise<string[]> {
		const found = await this.ask('search_nodes', { queries: [query] });
		return [...found.matchAll(/^- (\S+)/gm)].map(([, node = '']) => node);
	}

	/** Fetches what a model reads about a node: its parameters and our hints. */
	async types(nodeId: string): Promise<string> {
		return await this.ask('get_node_types', { nodeIds: [{ nodeId }] });
	}

	/** Validates the code and creates the workflow, with the credentials that n8n chooses itself. */
	async create(world: TestEnvironment, code: string): Promise<Imported> {
		expect(JSON.parse(await this.ask('validate_workflow', { code }))).not.toHaveProperty('errors');
		expect(JSON.parse(await this.ask('validate_workflow', { code }))).toMatchObject({
			valid: true,
		});
		const versionName = 'The first one';
		const created = await this.ask('create_workflow_from_code', { code, versionName });
		const { workflowId: id } = JSON.parse(created) as { workflowId: string };
		const saved = await world.editor.request('GET', `/rest/workflows/${id}`);
		const workflow = saved as { id: string; versionId: string; nodes: WorkflowNode[] };
		return new Imported(world.editor, world.n8n, workflow);
	}
}
