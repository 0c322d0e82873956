/**
 * Hints of the nodes for models that build workflows: without expressions, and equal to the real
 * outputs of the triggers.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import {
	formatOutputSchema,
	type OutputSchema,
} from '../../nodes/shared/descriptions/outputSchema.ts';
import { events } from '../../nodes/shared/events/events.ts';
import { root } from '../repository.mts';
import { nodeTypes, packageName } from './engine.mts';
import { differences } from './outputSchema.mts';
import { setUpAndPoll } from './polling/setup.mts';
import { json, startStubServer } from './stubServer.mts';
import { useVirtualTime } from './virtualTime.mts';
import { deliver, setUp } from './webhook/setup.mts';

const byLabel = [...events].sort((one, other) => (one.label < other.label ? -1 : 1));

function getDescription(name: string, version = 1) {
	return nodeTypes().getByNameAndVersion(`${packageName}.${name}`, version).description;
}

function readSchema(file: string): OutputSchema {
	return JSON.parse(readFileSync(path.join(root, 'nodes', file), 'utf8')) as OutputSchema;
}

test.each([
	['backlinkExchange', 1],
	['backlinkExchangeTrigger', 1],
	['backlinkExchangeWebhookTrigger', 2],
])('the hints of %s contain no expression', (name, version) => {
	// n8n's lint only checks literals in the description itself.
	const { builderHint } = getDescription(name, version);
	expect(JSON.stringify(builderHint)).not.toMatch(/=\{\{|\bai_/);
});

test('the hints use TypeScript notation for outputs', () => {
	const outcome = { type: 'string', enum: ['accepted', 'skipped'] };
	const properties = { id: { type: 'string' }, outcome, balance: { type: 'integer' } };
	expect(formatOutputSchema({ type: 'object', properties, required: ['id', 'outcome'] })).toBe(
		"Items: { id: string, outcome: 'accepted'|'skipped', balance?: number }",
	);
});

describe('the polling trigger', () => {
	const clock = useVirtualTime();
	test.each([
		['items', 'v1.0.0.json', byLabel.map(({ name }) => name)],
		['digest', 'digest.json', undefined],
	])('%s', async (outputFormat, file, eventNames) => {
		const options = { outputFormat, includeRecord: true };
		const { sandbox, poller } = await setUpAndPoll(
			{ credits: 80 },
			{ events: byLabel.map(({ name }) => name), lowCreditThreshold: 50, options },
		);
		const { id } = sandbox.requestOffer();
		sandbox.accept(id);
		sandbox.publish(id);
		sandbox.alert({ exchangeId: id });
		await poller.poll();
		sandbox.breakLink(id);
		sandbox.setCredits(12);
		sandbox.alert({ exchangeId: id });
		// The trigger reads the balance every 15 minutes.
		await clock.wait(15 * 60_000);
		await poller.poll();
		const schema = readSchema(`BacklinkExchangeTrigger/__schema__/${file}`);
		expect(differences(schema, poller.executions.flat())).toEqual([]);
		expect(schema.properties?.event?.enum).toEqual(eventNames);
		const { builderHint } = getDescription('backlinkExchangeTrigger');
		expect(JSON.stringify(builderHint)).toContain(formatOutputSchema(schema));
	});
});

test('the webhook trigger', async () => {
	const schema = readSchema('BacklinkExchangeWebhookTrigger/__schema__/v2.0.0.json');
	const time = '2026-07-01T12:00:00Z';
	const url = 'https://tea.example';
	const exchange = { id: 'exc_1', from_site: url, to_site: url, anchor: 'tea' };
	const { baseUrl, apiKey } = await startStubServer((request, response) => {
		const sites = { sites: [{ url }] };
		const exchanges = [{ ...exchange, status: 'pending' }];
		json(request.url?.endsWith('/sites') ? sites : exchanges)(request, response);
	});
	const server = await setUp({ options: { includeRecord: true } }, { baseUrl, apiKey });
	for (const data of [
		exchange,
		{ id: 'exc_1', accepted_at: time },
		{ id: 'exc_1', live_url: `${url}/page`, published_at: time },
		{ exchange_id: 'exc_1', severity: 'critical', type: 'link_removed', detail: 'gone' },
	]) {
		await deliver(server, JSON.stringify(data), { 'x-pb-delivery': 'd1' });
	}
	expect(differences(schema, server.executions.flat())).toEqual([]);
	const pushed = byLabel.filter(({ payload }) => payload !== undefined);
	expect(schema.properties?.event?.enum).toEqual(pushed.map(({ name }) => name));
	const { builderHint } = getDescription('backlinkExchangeWebhookTrigger', 2);
	expect(JSON.stringify(builderHint)).toContain(formatOutputSchema(schema));
});
