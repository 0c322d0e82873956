/** n8n's agents run a node as a tool without an execution: no execution data, no workflow ID, a new node ID for each call. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { actionType, additionalDataFor, credentialType, newNode, nodeTypes } from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';
import { acceptParameters, testService } from '../service.mts';
import { operations } from './operations.mts';

/** As n8n's EphemeralNodeExecutor does it. */
async function call(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	parameters: INodeParameters,
	item: IDataObject = {},
): Promise<IDataObject[]> {
	const node = { ...newNode('Target Node', actionType, parameters), id: randomUUID() };
	const workflow = new n8nWorkflow.Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: nodeTypes(),
	});
	const input = [{ json: item }];
	const context = new n8nCore.ExecuteContext(
		workflow,
		node,
		additionalDataFor(new TestCredentials(credentialType, { baseUrl, apiKey })),
		'internal',
		{ resultData: { runData: {} } } as never,
		0,
		input,
		{ main: [input] },
		{ node, data: { main: [input] }, source: null },
		[],
	);
	const output = await nodeTypes().getByNameAndVersion(actionType, 1).execute?.call(context);
	if (!Array.isArray(output)) throw new Error('There is no output.');
	return (output[0] ?? []).map(({ json }) => json);
}

it.each(operations)('$resource $operation works', async ({ resource, operation, parameters }) => {
	const { sandbox } = await testService();
	const { id } = sandbox.requestOffer();
	sandbox.addSite({ url: 'https://blog.example', niche: 'gardening' });
	sandbox.alert({ exchangeId: id });
	sandbox.setCredits(50);
	const items = await call(sandbox, { resource, operation, ...parameters }, { id });
	expect(items.length).toBeGreaterThan(0);
});

it('an offer is accepted once, however often the agent asks', async () => {
	const { sandbox } = await testService();
	const { id } = sandbox.requestOffer();
	const parameters = { resource: 'exchange', operation: 'accept', ...acceptParameters(id) };
	const said = [await call(sandbox, parameters), await call(sandbox, parameters)];
	expect(said[0]).toMatchObject([{ outcome: 'accepted' }]);
	expect(said[1]?.[0]?.outcome).toMatch(/^(accepted|alreadyAccepted)$/);
	expect(sandbox.books.acceptsOf(id)).toBe(1);
});

it('Max Accepts limits one call, as docs/ai.md says', async () => {
	const { sandbox } = await testService();
	const ids = [sandbox.requestOffer().id, sandbox.requestOffer().id];
	for (const id of ids) {
		const options = { maxAccepts: 1 };
		const parameters = { ...acceptParameters(id), options };
		await call(sandbox, { resource: 'exchange', operation: 'accept', ...parameters });
	}
	expect(ids.map((id) => sandbox.books.acceptsOf(id))).toEqual([1, 1]);
});

it('a site is added once, however often the agent asks', async () => {
	const { sandbox } = await testService();
	const parameters = { resource: 'site', operation: 'create', niche: 'tea' };
	const site = { ...parameters, url: 'https://tea.example', options: { ifExists: 'return' } };
	for (let time = 0; time < 2; time++) await call(sandbox, site);
	const urls = sandbox.books.sites().map(({ url }) => url);
	expect(urls.filter((url) => url.includes('tea.example'))).toHaveLength(1);
});
