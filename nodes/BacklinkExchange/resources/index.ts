import type { INodeProperties } from 'n8n-workflow';

import { optionsField } from '../../shared/descriptions/collections';
import { commonOptions } from '../commonOptions';
import type { Operation } from '../operation.types';
import { getSummary } from './account/getSummary';
import { getBalance } from './credit/getBalance';
import { getLedger } from './credit/getLedger';
import { accept } from './exchange/accept/accept';
import { acceptMany } from './exchange/acceptMany/acceptMany';
import { get as getExchange } from './exchange/get';
import { getAll as getAllExchanges } from './exchange/getAll';
import { create } from './site/create';
import { getAll as getAllSites } from './site/getAll';
import { getAll as getAllWatchdogEvents } from './watchdogEvent/getAll';

export interface Resource {
	value: string;
	name: string;
	description: string;
	/** Selected in a new node; it only reads. */
	defaultOperation: Operation;
	operations: Operation[];
}

/** The only list of resources and operations: the editor's fields and the execution both use it. */
export const resources: Resource[] = [
	{
		value: 'account',
		name: 'Account',
		description: 'The account with its sites, exchanges and credits',
		defaultOperation: getSummary,
		operations: [getSummary],
	},
	{
		value: 'watchdogEvent',
		name: 'Alert',
		description: "Alert from the service's watchdog about one of your links",
		defaultOperation: getAllWatchdogEvents,
		operations: [getAllWatchdogEvents],
	},
	{
		value: 'credit',
		name: 'Credit',
		description: 'Credits that you spend to accept offers',
		defaultOperation: getBalance,
		operations: [getBalance, getLedger],
	},
	{
		value: 'exchange',
		name: 'Exchange',
		description: 'Exchange of links between two sites, which begins with an offer',
		defaultOperation: getAllExchanges,
		operations: [accept, acceptMany, getExchange, getAllExchanges],
	},
	{
		value: 'site',
		name: 'Site',
		description: 'Website that takes part in exchanges',
		defaultOperation: getAllSites,
		operations: [create, getAllSites],
	},
];

export function findOperation(resource: string, operation: string): Operation | undefined {
	return resources
		.find(({ value }) => value === resource)
		?.operations.find(({ value }) => value === operation);
}

/**
 * Builds the properties of the node: Resource, Operation of each resource, and the fields of each
 * operation.
 */
export function buildProperties(): INodeProperties[] {
	const resource: INodeProperties = {
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: resources.map(({ name, value, description }) => ({ name, value, description })),
		default: 'exchange',
	};
	return [
		resource,
		...resources.map(buildOperationProperty),
		...resources.flatMap(buildFieldProperties),
	];
}

/** Builds the subtitle of the node on the canvas, for example "Exchange: Accept Many". */
export function buildSubtitle(): string {
	const names = resources.flatMap(({ value: resource, name, operations }) =>
		operations.map((operation) => [`${resource}:${operation.value}`, `${name}: ${operation.name}`]),
	);
	const selectedOperation = '$parameter["resource"] + ":" + $parameter["operation"]';
	return `={{ (${JSON.stringify(Object.fromEntries(names))})[${selectedOperation}] }}`;
}

function buildOperationProperty(resource: Resource): INodeProperties {
	const { operations, defaultOperation } = resource;
	// n8n's lint rule wants an identifier here.
	const { value: defaultValue } = defaultOperation;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource.value] } },
		options: operations.map(({ name, value, action, description }) => ({
			name,
			value,
			action,
			description,
		})),
		default: defaultValue,
	};
}

function buildFieldProperties(resource: Resource): INodeProperties[] {
	return resource.operations.flatMap((operation) => {
		const { properties, options = [] } = operation;
		const collectionFields = [...options, ...commonOptions];
		collectionFields.sort((one, other) => one.displayName.localeCompare(other.displayName));
		const show = { resource: [resource.value], operation: [operation.value] };
		return [...properties, optionsField(collectionFields)].map((field) => ({
			...field,
			displayOptions: { show: { ...show, ...field.displayOptions?.show } },
		}));
	});
}
