/** What the editor and n8n's loader see of the package. */
import type { INodeProperties } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { startSandbox } from '../../../sandbox/sandbox.mts';
import { TestCredentials } from '../credentials.mts';
import { actionType, additionalDataFor, credentialType, newNode, nodeTypes } from '../engine.mts';
import { n8nCore, n8nWorkflow } from '../n8n.mts';

const action = nodeTypes().getByNameAndVersion(actionType);
const properties = action.description.properties;

function find(name: string, resource?: string, operation?: string): INodeProperties | undefined {
	return properties.find(
		(property) =>
			property.name === name &&
			(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)) &&
			(operation === undefined || property.displayOptions?.show?.operation?.includes(operation)),
	);
}

const names = (list: INodeProperties['options'] = []) => list.map((entry) => entry.name);

/** The public contract of DESIGN.md: saved workflows depend on these names. */
const contract = {
	credit: { getBalance: ['simplify'], getLedger: ['returnAll', 'limit'] },
	exchange: { accept: ['exchangeId'], getAll: ['status', 'returnAll', 'limit'] },
	site: { create: ['url', 'niche'], getAll: ['returnAll', 'limit'] },
	watchdogEvent: { getAll: ['returnAll', 'limit'] },
};
const contractOptions: Record<string, string[]> = {
	'exchange accept': ['checkFirst', 'dryRun', 'maxAccepts', 'minimumBalance', 'retryUnconfirmed'],
	'site create': ['ifExists', 'verificationTimeout', 'waitForVerification'],
	'site getAll': ['verified'],
};

test('resources, operations, parameters and options have the names of the public contract', () => {
	const resources = find('resource')?.options as Array<{ value: string }>;
	expect(resources.map(({ value }) => value).sort()).toEqual(Object.keys(contract).sort());
	for (const [resource, operations] of Object.entries(contract)) {
		const values = find('operation', resource)?.options as Array<{ value: string }>;
		expect(values.map(({ value }) => value).sort()).toEqual(Object.keys(operations).sort());
		for (const [operation, fields] of Object.entries(operations)) {
			for (const field of fields) expect(find(field, resource, operation), field).toBeDefined();
			const expected = [
				...(contractOptions[`${resource} ${operation}`] ?? []),
				'maxRateLimitWait',
				'timeout',
				...(operation === 'accept' ? [] : ['maxParallel']),
			];
			expect(names(find('options', resource, operation)?.options).sort()).toEqual(expected.sort());
		}
	}
});

test('the credential has the names of the public contract, and hides what is secret', () => {
	const fields = credentialType.properties.map(({ name, required, typeOptions }) => [
		name,
		required === true,
		typeOptions?.password === true,
	]);
	expect(fields).toEqual([
		['baseUrl', true, false],
		['apiKey', true, true],
		['webhookSecret', false, true],
		['previousWebhookSecret', false, true],
	]);
});

test('lists of options are in alphabetical order', () => {
	const lists = properties.flatMap((property) => [
		property,
		...((property.options ?? []) as INodeProperties[]),
	]);
	for (const property of lists.filter(({ type }) => ['options', 'collection'].includes(type))) {
		const labels = (property.options ?? []).map((entry) =>
			'displayName' in entry ? entry.displayName : entry.name,
		);
		expect(labels, property.displayName).toEqual(
			[...labels].sort((one, other) => one.localeCompare(other)),
		);
	}
});

test('the bounds on spending are in sight in a new node, and mean what they mean when not set', () => {
	expect(find('options', 'exchange', 'accept')?.default).toEqual({
		maxAccepts: 0,
		minimumBalance: 0,
	});
	expect(find('options', 'exchange', 'getAll')?.default).toEqual({});
	expect(find('spendingNotice', 'exchange', 'accept')?.type).toBe('notice');
});

test('the AI tool says that accepting spends credits', () => {
	const operations = find('operation', 'exchange')?.options as Array<{
		value: string;
		action: string;
	}>;
	expect(operations.find(({ value }) => value === 'accept')?.action).toContain('spends credits');
});

test('pending offers can be chosen from a list that shows their sites and anchor, and searched', async () => {
	const sandbox = await startSandbox();
	try {
		const offer = sandbox.requestOffer({ anchor: 'garden chairs' });
		sandbox.requestOffer({ anchor: 'tea pots' });
		sandbox.accept(sandbox.requestOffer({ anchor: 'garden gnomes' }).id);
		const node = newNode('Backlink Exchange', actionType, {});
		node.credentials = { backlinkExchangeApi: { id: '1', name: 'Test' } };
		const workflow = new n8nWorkflow.Workflow({
			id: 'test',
			nodes: [node],
			connections: {},
			active: false,
			nodeTypes: nodeTypes(),
		});
		const credentials = new TestCredentials(credentialType, {
			baseUrl: sandbox.baseUrl,
			apiKey: sandbox.apiKey,
		});
		const context = new n8nCore.LoadOptionsContext(
			workflow,
			node,
			additionalDataFor(credentials),
			'',
		);
		const search = action.methods?.listSearch?.searchPendingOffers;
		const all = await search?.call(context);
		expect(all?.results.length).toBe(2);
		const found = await search?.call(context, 'GARDEN');
		expect(found?.results.map(({ value }) => value)).toEqual([offer.id]);
		expect(found?.results[0]?.name).toMatch(/^\S+ → \S+: "garden chairs"$/);
	} finally {
		await sandbox.close();
	}
});
