/** MCP tools: an assistant outside n8n reads the account and tries rules, and can't spend. */
import { beforeAll, expect, test } from 'vitest';

import { McpClient } from '../mcp/client.mts';
import { useWorld } from './environment.mts';

const world = useWorld();
const token = 'a token for this test';

const url = () => `${world.n8n.origin}/mcp/backlink-exchange`;

let client: McpClient;

beforeAll(async () => {
	await world.editor.addCredential('httpBearerAuth', { token });
	await (await world.editor.importWorkflow('mcp-tools')).publish();
	client = await McpClient.connectToPublished(url(), token);
});

test('has described tools that read, and none that accepts, for any client with the token', async () => {
	await expect(McpClient.connect(url(), 'another token')).rejects.toThrow('403');
	const tools = await client.tools();
	expect(tools.map(({ name }) => name).sort()).toEqual([
		'Get_alerts',
		'Get_exchanges',
		'Get_pending_offers',
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

test('answers about credits, sites, offers and alerts', async () => {
	const { id } = world.sandbox.requestOffer();
	const { url: site } = world.sandbox.addSite({ url: 'https://tea.example', niche: 'tea' });
	world.sandbox.alert({ exchangeId: id, detail: 'The link is gone' });
	const answers = {
		Get_summary: '"balance":100',
		Get_sites: site,
		Get_exchanges: id,
		Get_pending_offers: id,
		Get_alerts: 'The link is gone',
	};
	for (const [tool, part] of Object.entries(answers)) {
		const args = tool === 'Get_exchanges' ? { status: 'pending', limit: 50 } : {};
		expect((await client.call(tool, args)).text).toContain(part);
	}
});

test('lists only offers that can be accepted as pending offers', async () => {
	const incoming = world.sandbox.requestOffer({ toSite: 'https://tea.example' });
	const outgoing = world.sandbox.offerToPartner({ fromSite: 'https://tea.example' });
	const { text } = await client.call('Get_pending_offers', { limit: 50 });
	expect(text).toContain(incoming.id);
	expect(text).not.toContain(outgoing.id);
	expect((await client.call('Get_exchanges', {})).text).toContain(outgoing.id);
});

test('shows what the rules would accept, and accepts nothing', async () => {
	const { id } = world.sandbox.requestOffer({ fromSite: 'https://partner.example' });
	const { text } = await client.call('Try_rules', { partners: 'partner.example' });
	expect(text).toContain('"outcome":"wouldAccept"');
	expect(world.sandbox.books.acceptCount(id)).toBe(0);
});
