/**
 * Long runs of whitespace inside a string, as in spreadsheets with empty rows and cells with
 * several lines, in every field of every node.
 *
 * Each test shows that the node returns. A node that hangs blocks all of n8n; test/watchdog.mts
 * ends it.
 */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { expect, test } from 'vitest';

import { buildProperties as actionProperties } from '../../nodes/BacklinkExchange/resources/index.ts';
import { properties as pollingProperties } from '../../nodes/BacklinkExchangeTrigger/parameters.ts';
import { properties as webhookProperties } from '../../nodes/BacklinkExchangeWebhookTrigger/parameters.ts';
import { operations } from './action/operations.mts';
import { setUpAndPoll } from './polling/setup.mts';
import { startTestService } from './service.mts';
import { deliver, setUp } from './webhook/setup.mts';

const runs = [
	'\r\n'.repeat(60),
	'\t'.repeat(80),
	'\n'.repeat(20_000),
	' \u2028\ufeff\u200b\u0000'.repeat(40),
];
const texts = runs.map((blanks) => `tea.example${blanks}mint.example`);

type Write = (text: string) => INodeParameters;

/**
 * Returns functions that write a string into each field, and into each entry of its collections.
 */
function writers(fields: INodeProperties[], base: INodeParameters): Array<[string, Write]> {
	return fields.flatMap((field) => {
		if (field.type === 'notice') return [];
		if (field.type === 'collection') {
			const entries = (field.options ?? []) as INodeProperties[];
			return writers(entries, {}).map(([name, write]): [string, Write] => [
				`${field.displayName} > ${name}`,
				(text) => ({ ...base, [field.name]: write(text) }),
			]);
		}
		const isLocator = field.type === 'resourceLocator';
		const located = (value: string) => ({ __rl: true, mode: 'id', value });
		const isList = field.typeOptions?.multipleValues === true;
		const write: Write = (text) => {
			const value = isLocator ? located(text) : text;
			const written: INodeParameters = { [field.name]: isList ? ([value] as string[]) : value };
			return { ...getDisplayConditions(field), ...base, ...written };
		};
		return [[field.displayName, write]];
	});
}

/** Returns the parameter values with which n8n shows the field. */
function getDisplayConditions({
	displayOptions: { show = {} } = {},
}: INodeProperties): INodeParameters {
	const conditions = Object.entries(show).filter(([name]) => !/^(resource|operation)$/.test(name));
	return Object.fromEntries(conditions.map(([name, values]) => [name, values?.[0]]));
}

const actionCases = operations.flatMap(({ resource, operation, parameters }) => {
	const fields = actionProperties().filter(
		({ displayOptions: { show = {} } = {} }) =>
			show.resource?.includes(resource) === true && show.operation?.includes(operation) === true,
	);
	return writers(fields, parameters).map(
		([name, write]) => [resource, operation, name, write] as const,
	);
});

test.each(actionCases)('%s %s: %s', async (resource, operation, _, write) => {
	const { sandbox, run } = await startTestService();
	sandbox.requestOffer({ id: 'one' });
	for (const text of texts) {
		await run(resource, operation, { parameters: write(text), items: [{ id: 'one' }] });
	}
});

test.each(writers(pollingProperties, {}))('polling trigger: %s', async (_, write) => {
	for (const text of texts) {
		const { sandbox, poller } = await setUpAndPoll({}, {});
		sandbox.requestOffer();
		poller.parameters = { ...poller.parameters, ...write(text) };
		await poller.poll().catch(() => undefined);
	}
});

test.each(writers(webhookProperties, {}))('webhook trigger: %s', async (_, write) => {
	for (const text of texts) {
		const server = await setUp(write(text));
		const { status } = await deliver(
			server,
			JSON.stringify({ event: 'exchange.requested', data: { id: 'a' } }),
		);
		expect([200, 500, 503]).toContain(status);
	}
});

test.each(texts.map((text, index) => [index, text]))(
	'credential and deliveries, text %i',
	async (_, text) => {
		const { sandbox, run } = await startTestService();
		for (const part of ['baseUrl', 'apiKey']) {
			const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, [part]: text };
			expect((await run('site', 'getAll', { credential })).error).toBeDefined();
		}
		const record = {
			id: 'exc_1',
			from_site: text,
			to_site: { url: text, name: text },
			anchor: text,
		};
		const server = await setUp({}, { webhookSecret: text });
		const body = JSON.stringify({ event: 'exchange.requested', data: record });
		expect(
			(await deliver(server, body, { 'x-pb-signature': text.replace(/[^\t -~]+/g, ' ') })).status,
		).toBe(401);
		const other = await setUp();
		expect((await deliver(other, body)).status).toBe(200);
		expect(other.executions).toHaveLength(1);
	},
);
