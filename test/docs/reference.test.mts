/**
 * Generates docs/reference.md below its introduction: the parameters from the descriptions of the
 * nodes, the samples from n8n's real engine against a sandbox with demo data.
 *
 * `npm test -- docs/reference -u` updates the file.
 */
import type { IDataObject, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { format, resolveConfig } from 'prettier';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { startSandbox } from '../../sandbox/sandbox.mts';
import { operations } from '../engine/action/operations.mts';
import { VirtualClock } from '../engine/clock.mts';
import { actionType, type NodeRun, nodeTypes, webhookType } from '../engine/engine.mts';
import { createNodeRunner, getJson } from '../engine/nodeRunner.mts';
import { Poller, pollingType } from '../engine/polling/poller.mts';
import { read, root } from '../repository.mts';

const page = 'docs/reference.md';
/** The last line that is written by hand. */
const marker = '<!-- Generated from here on: npm test -- docs/reference -u -->';

/** A fixed day of the demo data, so that samples don't change with the calendar. */
const clock = new VirtualClock(Date.UTC(2026, 6, 9, 8));
beforeAll(() => {
	clock.install();
});
afterAll(() => {
	clock.uninstall();
});

/** Parameters that several operations share are described only once. */
const sharedParameters = [
	'returnAll',
	'limit',
	'includeRecord',
	'minimumBalance',
	'maxRateLimitWait',
];

/** Creates the credential of an account with demo data. */
async function demoAccount(): Promise<{ baseUrl: string; apiKey: string }> {
	const sandbox = await startSandbox({ seed: 1, clock: () => Date.now() });
	onTestFinished(() => sandbox.close());
	const { baseUrl, apiKey } = sandbox;
	return { baseUrl, apiKey };
}

/**
 * Returns a function that runs an operation and returns one item.
 *
 * The parameters come from the operation's row, unless they refer to something that the demo data
 * lacks.
 */
async function operationSamples() {
	const { run, accept, acceptMany, create } = createNodeRunner(await demoAccount());
	const getAll = async (status: string) =>
		await run('exchange', 'getAll', { parameters: { filters: { status } } });
	const [offer = {}] = getJson(await getAll('pending'));
	const specialCases: Record<string, () => Promise<NodeRun>> = {
		'exchange.accept': async () => await accept(offer.id as string),
		'exchange.acceptMany': async () => await acceptMany({ dryRun: true }),
		'exchange.get': async () => await getAll('live'),
		'site.create': async () => await create({ url: 'https://blog.example' }),
	};
	return async (resource: string, operation: string): Promise<IDataObject> => {
		const specialCase = specialCases[`${resource}.${operation}`];
		const row = operations.find(
			(each) => each.resource === resource && each.operation === operation,
		);
		const { parameters } = row ?? {};
		const runDefault = async () =>
			await run(resource, operation, { parameters, items: [{ id: 'garden' }] });
		const [item] = getJson(await (specialCase ?? runDefault)());
		if (item === undefined) throw new Error(`${resource} ${operation} has put out nothing.`);
		return item;
	};
}

/** Returns the single item of Accept Many's dry run with Output Format: One Message. */
async function digestSample(): Promise<IDataObject> {
	const { acceptMany } = createNodeRunner(await demoAccount());
	const [item = {}] = getJson(
		await acceptMany({ dryRun: true, options: { outputFormat: 'digest' } }),
	);
	return item;
}

function getProperty(type: string, name: string): INodeProperties {
	const found = getProperties(type).find((property) => property.name === name);
	if (found === undefined) throw new Error(`${type} has no ${name}`);
	return found;
}

function getProperties(type: string): INodeProperties[] {
	return nodeTypes().getByNameAndVersion(type).description.properties;
}

/** Builds a row for each parameter and for each entry of a collection. */
function parameterTable(properties: INodeProperties[]): string[] {
	const isOwn = ({ name, type }: INodeProperties) =>
		type !== 'notice' && !sharedParameters.includes(name);
	const rows = properties.filter(isOwn).flatMap((property) => {
		if (property.type !== 'collection') return [row(property)];
		const options = (property.options ?? []) as INodeProperties[];
		return options.filter(isOwn).map((each) => row(each, property.displayName));
	});
	return rows.length === 0 ? [] : table(rows);
}

function table(rows: string[]): string[] {
	return ['| Parameter | What it does | Default |', '| --- | --- | --- |', ...rows, ''];
}

function row(
	{ displayName, type, description = '', options, ...property }: INodeProperties,
	group?: string,
) {
	const text = [sentence(description), ...listChoices(type, options)]
		.filter((part) => part !== '')
		.join(' ');
	const where = group === undefined ? '' : `${group} → `;
	return `| ${where}**${displayName}** | ${text} | ${formatDefault({ ...property, displayName, type, options })} |`;
}

/** Describes each option of a field, or lists their names if none has a description. */
function listChoices(type: string, options: INodeProperties['options'] = []): string[] {
	// The choices of some fields are fetched in the editor.
	if (!['options', 'multiOptions'].includes(type) || options.length === 0) return [];
	const choices = options as INodePropertyOptions[];
	return choices.some(({ description = '' }) => description !== '')
		? choices.map(({ name, description }) => sentence(`**${name}**: ${description}`))
		: [sentence(`One of: ${choices.map(({ name }) => name).join(', ')}`)];
}

/**
 * Returns a description from the editor, which ends with a period only if it has several sentences,
 * as a sentence.
 */
function sentence(text = ''): string {
	return text === '' ? '' : text.replace(/<a [^>]*>|<\/a>/g, '').replace(/\.?$/, '.');
}

function formatDefault({ name, type, options, default: value }: INodeProperties): string {
	const getOptionName = (wanted: unknown) =>
		((options ?? []) as INodePropertyOptions[]).find((each) => each.value === wanted)?.name;
	if (type === 'resourceLocator' || value === '' || value === undefined) return '';
	if (type === 'options') return getOptionName(value) ?? '';
	if (Array.isArray(value)) {
		return value.map((each) => getOptionName(each) ?? JSON.stringify(each)).join(', ');
	}
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (name === 'pollTimes') return 'Every Minute';
	return JSON.stringify(value);
}

/**
 * Builds the sample with the first entry of each list, and without the seconds that passed while
 * the samples were created.
 */
function sampleBlock(item: IDataObject): string[] {
	const firstOnly = (_key: string, value: unknown) =>
		Array.isArray(value) ? value.slice(0, 1) : value;
	const json = JSON.stringify(item, firstOnly, 2).replace(/(T08:00:)\d\d\.\d{3}Z/g, '$100.000Z');
	return ['```json', json, '```', ''];
}

async function reference(): Promise<string> {
	const samples = await operationSamples();
	const properties = getProperties(actionType);
	const resources = getProperty(actionType, 'resource').options as INodePropertyOptions[];
	const [introduction = ''] = read(page).split(marker);
	const lines = [
		introduction + marker,
		'',
		'## Several operations',
		'',
		...table(rowsOfSeveral(properties)),
	];
	for (const resource of resources) {
		const operations = properties.find(
			({ name, displayOptions }) =>
				name === 'operation' && displayOptions?.show?.resource?.includes(String(resource.value)),
		)?.options as INodePropertyOptions[];
		for (const operation of operations) {
			const shown = properties.filter(
				({ displayOptions: { show } = {} }) =>
					show?.resource?.includes(String(resource.value)) &&
					show.operation?.includes(String(operation.value)),
			);
			lines.push(
				`## ${resource.name}: ${operation.name}`,
				'',
				sentence(operation.description),
				'',
				...parameterTable(shown),
				...sampleBlock(await samples(String(resource.value), String(operation.value))),
			);
			if (operation.value === 'acceptMany') {
				lines.push(
					'With **Output Format: One Message**:',
					'',
					...sampleBlock(await digestSample()),
				);
			}
		}
	}
	lines.push('## Polling trigger', '', ...parameterTable(getProperties(pollingType)));
	lines.push('Its items: [What is in an item](polling-trigger.md#what-is-in-an-item).', '');
	const [events, filters, options] = ['events', 'filters', 'options'].map((name) =>
		getProperty(webhookType, name),
	) as [INodeProperties, INodeProperties, INodeProperties];
	lines.push('## Webhook trigger', '', ...parameterTable([events, options]));
	const ofPolling = getProperty(pollingType, 'filters').options as INodeProperties[];
	expect(filters.options).toEqual(ofPolling.filter(({ name }) => name !== 'sites'));
	lines.push(
		'Its filters are those of the polling trigger, except **Sites**.',
		'Its items: [What is in an item](webhook-trigger.md#what-is-in-an-item).',
		'',
	);
	const markdown = { ...(await resolveConfig(`${root}/${page}`)), parser: 'markdown' };
	return await format(lines.join('\n'), markdown);
}

function rowsOfSeveral(properties: INodeProperties[]): string[] {
	const all = properties.flatMap((property) =>
		property.type === 'collection' ? (property.options as INodeProperties[]) : [property],
	);
	return sharedParameters
		.flatMap((name) => all.find((each) => each.name === name) ?? [])
		.map((property) => row(property));
}

test('docs/reference.md matches the parameters and outputs of the nodes', async () => {
	await expect(await reference()).toMatchFileSnapshot(`${root}/${page}`);
});

test('docs/polling-trigger.md has the item that Fetch Test Event returns', async () => {
	const poller = new Poller(await demoAccount(), { events: ['exchange.published'] });
	const [item = {}] = await poller.test();
	const block = JSON.stringify(item, null, '\t');
	expect(read('docs/polling-trigger.md')).toContain(`\`\`\`json\n${block}\n\`\`\``);
});
