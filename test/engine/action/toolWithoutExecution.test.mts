/**
 * Tool calls of n8n's agents, which run a node without an execution: no execution data, no workflow
 * ID, a new node ID for each call.
 */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { TestCredentials } from '../credentials.mts';
import { actionType, additionalDataFor, credentialType, newNode, nodeTypes } from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';
import { acceptParameters, startTestService } from '../service.mts';
import { json, startStubServer } from '../stubServer.mts';
import { operations } from './operations.mts';

/** Calls a tool as n8n's EphemeralNodeExecutor does. */
async function call(
	{ baseUrl, apiKey }: { baseUrl: string; apiKey: string },
	parameters: INodeParameters,
	item: IDataObject = {},
	type = actionType,
): Promise<IDataObject[]> {
	const node = { ...newNode('Target Node', type, parameters), id: randomUUID() };
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

test.each(operations)('$resource $operation works', async ({ resource, operation, parameters }) => {
	const { sandbox } = await startTestService();
	const { id } = sandbox.requestOffer();
	sandbox.addSite({ url: 'https://blog.example', niche: 'gardening' });
	sandbox.alert({ exchangeId: id });
	sandbox.setCredits(50);
	const items = await call(sandbox, { resource, operation, ...parameters }, { id });
	expect(items.length).toBeGreaterThan(0);
});

test('accepts an offer only once for repeated calls', async () => {
	const { sandbox } = await startTestService();
	const { id } = sandbox.requestOffer();
	const parameters = { resource: 'exchange', operation: 'accept', ...acceptParameters(id) };
	const results = [await call(sandbox, parameters), await call(sandbox, parameters)];
	expect(results[0]).toMatchObject([{ outcome: 'accepted' }]);
	expect(results[1]?.[0]?.outcome).toBe('accepted');
	expect(sandbox.books.acceptCount(id)).toBe(1);
});

test.each(['site', 'exchange', 'watchdogEvent'])(
	'reports in the items whether a list of the resource %s was truncated',
	async (resource) => {
		const service = await startStubServer(json([{ id: 1 }, { id: 2 }, { id: 3 }]));
		const list = async (limit: number, type?: string) =>
			(await call(service, { resource, operation: 'getAll', limit }, {}, type)).map(
				({ id, message }) => (id === undefined ? { message } : { id }),
			);
		const truncationMessage = expect.stringMatching(/^There are more entries.*limit/) as unknown;
		const tool = `${actionType}Tool`;
		expect(await list(2, tool)).toEqual([{ id: 1 }, { id: 2 }, { message: truncationMessage }]);
		expect(await list(3, tool)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
		expect(await list(2)).toEqual([{ id: 1 }, { id: 2 }]);
	},
);
