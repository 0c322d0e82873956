/**
 * Builds a workflow with every operation of a release, from n8n's node descriptions of that
 * release.
 */
import type { INodeProperties, INodePropertyOptions, INodeTypeDescription } from 'n8n-workflow';

import type { WorkflowFile, WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';
import { n8nWorkflow } from '../engine/n8n.mts';
import { node, to } from './nodes.mts';

const packageName = 'n8n-nodes-backlink-exchange';

/**
 * n8n adds this reference to the HTTP Request node to the operations of a node with a credential.
 */
const customApiCall = '__CUSTOM_API_CALL__';

/** Values for required parameters, by parameter name. The test creates the offers. */
const entered: Record<string, (node: string) => unknown> = {
	exchangeId: (node) => ({ __rl: true, mode: 'id', value: getOffer(node) }),
	url: (node) => `https://${node.toLowerCase().replaceAll(/\W+/g, '-')}.example`,
	niche: () => ({ __rl: true, mode: 'name', value: 'cars' }),
};

/** Returns the ID of the offer that a node accepts. */
export function getOffer(node: string): string {
	return `exc_${node.replaceAll(/\W+/g, '_')}`;
}

/**
 * Builds the workflow.
 *
 * It has the action node twice for each operation: as n8n adds it, and with every option at its
 * default. They all start in parallel, by hand. In addition it has each trigger, followed by one
 * node.
 */
export function everyOperation(types: INodeTypeDescription[]): Omit<WorkflowFile, 'id'> {
	const own = types.filter(({ name }) => name.startsWith(`${packageName}.`));
	const action = own.find(({ name }) => name === `${packageName}.backlinkExchange`);
	if (action === undefined) throw new Error('n8n does not know the action node.');
	const start = node('Start', 'manualTrigger', 1);
	const end = node('End', 'noOp', 1);
	const operations = getOperations(action).flatMap((chosen) => {
		const name = `${chosen.resource} ${chosen.operation}`;
		return [
			actionNode(action, name, chosen, false),
			actionNode(action, `${name} with options`, chosen, true),
		];
	});
	const triggers = own
		.filter(({ group }) => group.includes('trigger'))
		.map(({ displayName, name, version }) =>
			node(
				displayName,
				name,
				newest(version),
				{ events: ['exchange.requested', 'watchdog.alert'] },
				{ webhookId: crypto.randomUUID() },
			),
		);
	const nodes: WorkflowNode[] = [start, ...operations, ...triggers, end].map((each, index) => ({
		...each,
		position: [(index % 6) * 240, Math.floor(index / 6) * 200],
	}));
	return {
		name: 'every operation',
		nodes,
		connections: {
			Start: to(...operations.map(({ name }) => name)),
			...Object.fromEntries(triggers.map(({ name }) => [name, to('End')])),
		},
		settings: { executionOrder: 'v1' },
	};
}

function actionNode(
	type: INodeTypeDescription,
	name: string,
	chosen: { resource: string; operation: string },
	withOptions: boolean,
): WorkflowNode {
	const added = node(name, type.name, newest(type.version));
	const shown = type.properties.filter((property) =>
		n8nWorkflow.NodeHelpers.displayParameter(chosen, property, added, type),
	);
	const parameters: Record<string, unknown> = { ...chosen };
	for (const property of shown) {
		const value = entered[property.name]?.(name);
		if (value !== undefined) parameters[property.name] = value;
		else if (property.required && property.default === '') {
			throw new Error(`What to enter as ${property.name}?`);
		} else if (withOptions && property.type === 'collection') {
			parameters[property.name] = defaults(property);
		}
	}
	return { ...added, parameters };
}

/** Returns every option of a collection whose default is not empty. */
function defaults({ options = [] }: INodeProperties): Record<string, unknown> {
	const values: Record<string, unknown> = {};
	for (const option of options) {
		if (!('default' in option)) continue;
		const isList = Array.isArray(option.default);
		const isEmpty = option.default === '' || isList || option.type === 'resourceLocator';
		if (!isEmpty) values[option.name] = option.default;
	}
	return values;
}

function getOperations(type: INodeTypeDescription): Array<{ resource: string; operation: string }> {
	return type.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ displayOptions, options = [] }) => {
			const resource = displayOptions?.show?.resource?.[0] as string;
			const values = (options as INodePropertyOptions[]).map(({ value }) => String(value));
			return values
				.filter((operation) => operation !== customApiCall)
				.map((operation) => ({ resource, operation }));
		});
}

function newest(version: INodeTypeDescription['version']): number {
	return Math.max(...[version].flat());
}
