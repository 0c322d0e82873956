/** The public contract: saved workflows depend on these names and defaults. */
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { describe, expect, test } from 'vitest';

import { actionType, credentialType, nodeTypes, pollingType, webhookType } from './engine.mts';

const nodes = nodeTypes();
const getProperties = (type: string) => nodes.getByNameAndVersion(type).description.properties;
const action = getProperties(actionType);

/**
 * Returns the fields that an operation shows, without notices; a collection with the names of its
 * entries.
 */
function getFields(resource: string, operation: string): Record<string, unknown> {
	const shown = action.filter(
		({ type, displayOptions: { show } = {} }) =>
			type !== 'notice' &&
			show?.resource?.includes(resource) === true &&
			show.operation?.includes(operation) === true,
	);
	return fieldsAndDefaults(shown);
}

function fieldsAndDefaults(properties: INodeProperties[]): Record<string, unknown> {
	return Object.fromEntries(
		properties
			.filter(({ type }) => type !== 'notice')
			.map(({ name, type, default: byDefault, options = [] }) => [
				name,
				type === 'collection'
					? options.map((option) => option.name).sort()
					: type === 'resourceLocator'
						? (byDefault as { mode: string }).mode
						: (byDefault as unknown),
			]),
	);
}

const common = ['maxRateLimitWait'];
const list = { returnAll: false, limit: 50 };

const operations = {
	account: {
		getSummary: { days: 7, filters: ['sites'], options: [...common, 'overdueAfter'] },
	},
	credit: {
		getBalance: { options: common },
		getLedger: { ...list, options: common },
	},
	exchange: {
		accept: {
			exchangeId: 'list',
			dryRun: false,
			options: ['includeRecord', 'maxAccepts', 'maxRateLimitWait', 'minimumBalance'],
		},
		acceptMany: {
			dryRun: true,
			acceptFrom: 'listed',
			allowedPartners: '',
			blockedAnchorWords: 'casino, betting, loan',
			maxAccepts: 5,
			limits: ['maxPerDay', 'minimumBalance'],
			rules: ['blockedPartners', 'yourSites'],
			options: ['includeRecord', 'maxRateLimitWait', 'offersToReturn', 'outputFormat'],
		},
		get: { exchangeId: 'list', options: common },
		getAll: {
			...list,
			filters: ['anchor', 'changedBefore', 'changedSince', 'direction', 'site', 'status'],
			options: common,
		},
	},
	site: {
		create: {
			url: '',
			niche: 'list',
			options: [...common, 'waitForVerification'],
		},
		getAll: { ...list, filters: ['verified'], options: common },
	},
	watchdogEvent: {
		getAll: {
			...list,
			filters: ['exchangeId', 'severity', 'since', 'type'],
			options: common,
		},
	},
};

describe('Backlink Exchange', () => {
	const getValues = (name: string, resource?: string) => {
		const field = action.find(
			(property) =>
				property.name === name &&
				(resource === undefined || property.displayOptions?.show?.resource?.includes(resource)),
		);
		return (field?.options as Array<{ value: string }>).map(({ value }) => value).sort();
	};

	test('has these resources and operations, and no others', () => {
		expect(getValues('resource')).toEqual(Object.keys(operations).sort());
		for (const [resource, each] of Object.entries(operations)) {
			expect(getValues('operation', resource)).toEqual(Object.keys(each).sort());
		}
	});

	const all = Object.entries(operations).flatMap(([resource, each]) =>
		Object.entries<object>(each).map(([operation, fields]) => ({ resource, operation, fields })),
	);
	test.each(all)(
		'$resource: $operation shows these fields, in this order',
		({ resource, operation, fields }) => {
			const shown = getFields(resource, operation);
			expect(shown).toEqual(fields);
			expect(Object.keys(shown)).toEqual(Object.keys(fields));
		},
	);
});

test('Backlink Exchange Trigger shows these fields, in this order', () => {
	const { pollTimes, ...shown } = fieldsAndDefaults(getProperties(pollingType));
	// n8n's own field.
	expect(pollTimes).toBeDefined();
	expect(shown).toEqual({
		events: [
			'exchange.broken',
			'exchange.published',
			'watchdog.alert',
			'exchange.requested',
			'exchange.accepted',
		],
		lowCreditThreshold: 10,
		filters: ['excludedSeverities', 'severities', 'sites'],
		options: ['includeRecord', 'outputFormat'],
	});
});

test('Backlink Exchange Webhook Trigger shows these fields, in this order', () => {
	const shown = fieldsAndDefaults(getProperties(webhookType));
	expect(shown).toEqual({
		events: ['exchange.published', 'watchdog.alert', 'exchange.requested', 'exchange.accepted'],
		filters: ['excludedSeverities', 'severities'],
		options: ['includeRecord', 'lookUpExchange'],
	});
});

test.each([actionType, pollingType, webhookType])(
	'the texts of %s follow the guidelines',
	(type) => {
		const fields = getProperties(type).flatMap((property) => [
			property,
			...(property.type === 'collection' ? (property.options as INodeProperties[]) : []),
		]);
		for (const { name, type: kind, description = '', options = [] } of fields) {
			const text = description.replace(/<[^>]+>/g, '');
			expect(text.length, name).toBeLessThanOrEqual(165);
			expect(text.startsWith('Whether to '), name).toBe(kind === 'boolean');
			// Other fields are in single quotes.
			expect(text, name).not.toContain('"');
			for (const option of kind === 'options' ? (options as INodePropertyOptions[]) : []) {
				expect(option.action?.length ?? 0, option.action).toBeLessThanOrEqual(40);
				expect(option.description?.length ?? 0, option.description).toBeLessThanOrEqual(165);
			}
		}
		const events = fields.find(({ name }) => name === 'events');
		expect(events?.description).toBeUndefined();
	},
);

test('Accept Many shows at most five fields', () => {
	const [resource, operation] = ['exchange', 'acceptMany'];
	const shown = getFields(resource, operation);
	const collections = Object.values(shown).filter((value) => Array.isArray(value));
	expect(Object.keys(shown).length - collections.length).toBe(5);
});

test('lists of options are in alphabetical order', () => {
	const all = [actionType, pollingType, webhookType].flatMap(getProperties);
	const lists = all.flatMap((property) => [
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

test('the nodes have these names', () => {
	const getNames = (type: string) => {
		const { name, displayName } = nodes.getByNameAndVersion(type).description;
		return [name, displayName];
	};
	expect([actionType, pollingType, webhookType].map(getNames)).toEqual([
		['backlinkExchange', 'Backlink Exchange'],
		['backlinkExchangeTrigger', 'Backlink Exchange Trigger'],
		['backlinkExchangeWebhookTrigger', 'Backlink Exchange Webhook Trigger'],
	]);
});

test('the credential has its public names, hides secrets, and needs no expression per delivery', () => {
	expect(JSON.stringify(credentialType.properties)).not.toContain('"=');
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
	// Otherwise n8n adds fields of its own.
	expect(credentialType.hideDomainRestrictionFields).toBe(true);
});

test('the credential has the test, and no node has another one', () => {
	expect(credentialType.test?.request).toMatchObject({
		url: '/sites',
		disableFollowRedirect: true,
	});
	for (const type of [actionType, pollingType, webhookType]) {
		const { description, methods } = nodes.getByNameAndVersion(type);
		expect(description.credentials).toEqual([{ name: 'backlinkExchangeApi', required: true }]);
		expect(methods ?? {}).not.toHaveProperty('credentialTest');
	}
});

const allFields = [actionType, pollingType, webhookType]
	.flatMap(getProperties)
	.flatMap((property) => [property, ...((property.options ?? []) as INodeProperties[])]);

test('one thing is chosen from a list, by URL or by ID', () => {
	const modes = allFields
		.filter(({ type }) => type === 'resourceLocator')
		.map((field) => [field.name, field.modes?.map(({ name, displayName }) => [name, displayName])]);
	const [list, id] = [
		['list', 'From List'],
		['id', 'By ID'],
	];
	expect(Object.fromEntries(modes)).toMatchObject({
		exchangeId: [list, id],
		site: [list, ['url', 'By URL'], id],
	});
});

test('several sites are selected from a list, or entered as an expression', () => {
	const fields = allFields.filter(({ typeOptions }) => typeOptions?.loadOptionsMethod);
	expect(fields.map(({ name }) => name)).toEqual(['sites', 'yourSites', 'sites']);
	for (const { type, allowArbitraryValues, default: byDefault, description } of fields) {
		expect([type, allowArbitraryValues, byDefault]).toEqual(['multiOptions', true, []]);
		expect(description).toMatch(
			/\. Choose from the list, or specify IDs using an <a href="https:\/\/docs\.n8n\.io\/code\/expressions\/">expression<\/a>\.$/,
		);
	}
});
