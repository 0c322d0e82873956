/** n8n's agents run a node as a tool without an execution: no execution data, no workflow ID, a new node ID for each call; an agent in a workflow, several times in one. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, it } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { actionType, additionalDataFor, credentialType, newNode, nodeTypes } from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';
import { acceptParameters, testService } from '../service.mts';
import { operations } from './operations.mts';

interface Execution {
	id: string;
	data: object;
	workflowId?: string;
}

/** As n8n's EphemeralNodeExecutor does it, or as a tool of an agent in a workflow. */
async function call(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	parameters: INodeParameters,
	item: IDataObject = {},
	{ id, data, workflowId }: Execution = { id: randomUUID(), data: { resultData: { runData: {} } } },
): Promise<IDataObject[]> {
	const node = { ...newNode('Target Node', actionType, parameters), id };
	const workflow = new n8nWorkflow.Workflow({
		...(workflowId !== undefined && { id: workflowId }),
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
		data as never,
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

it('Max Accepts limits one call, as docs/ai.md says, and calls at the same time in one execution', async () => {
	const { sandbox } = await testService();
	const ids = [1, 2, 3].map(() => sandbox.requestOffer().id);
	const parameters = { resource: 'exchange', operation: 'accept' };
	const acceptIn = async (id: string, execution?: Execution) => {
		const accept = { ...parameters, ...acceptParameters(id, { maxAccepts: 1 }) };
		return (await call(sandbox, accept, {}, execution))[0]?.outcome;
	};
	expect([await acceptIn(ids[0] ?? ''), await acceptIn(ids[1] ?? '')]).toEqual([
		'accepted',
		'accepted',
	]);
	const execution = {
		...{ id: 'node', workflowId: 'test' },
		data: { resultData: { runData: {} }, executionData: { contextData: {} } },
	};
	const offers = [ids[2] ?? '', sandbox.requestOffer().id, sandbox.requestOffer().id];
	const outcomes = await Promise.all(offers.map(async (id) => await acceptIn(id, execution)));
	expect(outcomes).toEqual(['accepted', 'skipped', 'skipped']);
});

it('a site is added once, however often the agent asks', async () => {
	const { sandbox } = await testService();
	const parameters = { resource: 'site', operation: 'create', niche: 'tea' };
	const site = { ...parameters, url: 'https://tea.example', options: { ifExists: 'return' } };
	for (let time = 0; time < 2; time++) await call(sandbox, site);
	const urls = sandbox.books.sites().map(({ url }) => url);
	expect(urls.filter((url) => url.includes('tea.example'))).toHaveLength(1);
});
