/**
 * MCP tools: an assistant outside n8n asks and tries rules; it spends only what the owner of the
 * workflow allows.
 */
import { beforeAll, describe, expect, it } from 'vitest';

import { McpClient } from '../mcp/client.mts';
import { useWorld } from './environment.mts';

const world = useWorld();
const token = 'a token for this test';

const url = () => `${world.n8n.origin}/mcp/backlink-exchange`;

beforeAll(async () => {
	await world.editor.addCredential('httpBearerAuth', { token });
});

describe('as imported', () => {
	let client: McpClient;

	beforeAll(async () => {
		await (await world.editor.importWorkflow('mcp-tools')).publish();
		client = await McpClient.connectToPublished(url(), token);
	});

	it('has described tools that read, and none that accepts, for any client with the token', async () => {
		await expect(McpClient.connect(url(), 'another token')).rejects.toThrow('403');
		const tools = await client.tools();
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'Get_alerts',
			'Get_exchanges',
			'Get_sites',
			'Get_summary',
			'Try_rules',
		]);
		for (const { description, inputSchema } of tools) {
			expect(description.split(' ').length).toBeGreaterThan(3);
			expect(description).not.toContain('(spends credits)');
			for (const parameter of Object.values(inputSchema.properties ?? {})) {
				expect(parameter.description).toMatch(/^[A-Z].+ .+\.$/);
			}
		}
	});

	it('answers about credits, sites, offers and alerts', async () => {
		const { id } = world.sandbox.requestOffer();
		const { url: site } = world.sandbox.addSite({ url: 'https://tea.example', niche: 'tea' });
		world.sandbox.alert({ exchangeId: id, detail: 'The link is gone' });
		const answers = {
			Get_summary: '"balance":100',
			Get_sites: site,
			Get_exchanges: id,
			Get_alerts: 'The link is gone',
		};
		for (const [tool, part] of Object.entries(answers)) {
			const args = tool === 'Get_exchanges' ? { status: 'pending', limit: 50 } : {};
			expect((await client.call(tool, args)).text).toContain(part);
		}
	});
});

describe('with the accept tool activated, and a Minimum Balance', () => {
	let client: McpClient;

	const accept = async (id: string) =>
		(await client.call('Accept_offer', { exchange_id: id })).text;

	beforeAll(async () => {
		const workflow = await world.editor.importWorkflow(
			'mcp-tools',
			{ 'MCP server': { authentication: 'bearerAuth', path: 'spending' } },
			{ activate: ['Accept offer'] },
		);
		await workflow.publish();
		const address = `${world.n8n.origin}/mcp/spending`;
		client = await McpClient.connectToPublished(address, token);
	});

	it('accepts an offer only once, and explains what to do about an unknown ID', async () => {
		const { id } = world.sandbox.requestOffer();
		expect(await accept(id)).toContain('"outcome":"accepted"');
		expect(await accept(id)).toContain('"outcome":"accepted"');
		expect(world.sandbox.books.acceptCount(id)).toBe(1);
		const text = await accept('exc_none');
		expect(text).toMatch(/exc_none[^]*Take the ID from/);
		expect(text).not.toContain('"outcome"');
	});

	it('accepts as many offers as requested, down to the Minimum Balance', async () => {
		world.sandbox.setCredits(75);
		const messages = [];
		for (let count = 0; count < 4; count++) {
			messages.push(await accept(world.sandbox.requestOffer({ cost: 10 }).id));
		}
		const outcomes = messages.map((text) => /"outcome":"(\w+)"/.exec(text)?.[1]);
		expect(outcomes).toEqual(['accepted', 'accepted', 'skipped', 'skipped']);
		expect(messages[3]).toContain('could fall below the minimum of 50');
	});
});
