/**
 * A model that builds workflows with n8n's own tools finds the right node and reads its outputs,
 * and its workflow runs.
 *
 * The model's part, the code in `code/`, was written from the responses of the tools.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import {
	formatOutputSchema,
	type OutputSchema,
} from '../../../nodes/shared/descriptions/outputSchema.ts';
import { useWorld } from '../workflows/environment.mts';
import { type Builder, connectToBuilder, readCode } from './builder.mts';

const world = useWorld();
let builder: Builder;

const own = 'n8n-nodes-backlink-exchange.';
const action = `${own}backlinkExchange`;
const polling = `${own}backlinkExchangeTrigger`;
const webhook = `${own}backlinkExchangeWebhookTrigger`;

beforeAll(async () => {
	builder = await connectToBuilder(world);
});

test.each([
	['watch my backlinks', polling],
	['accept link exchange offers from these partners every hour', action],
	['let a person approve each link exchange offer', action],
])('a search for "%s" finds %s first', async (question, expected) => {
	expect((await builder.search(question))[0]).toBe(expected);
});

// Contents for each operation and event: test/engine/action/registry.test.mts,
// test/engine/builderHints.test.mts.
test.each([
	[action, 'BacklinkExchange/__schema__/v1.0.0/exchange/acceptMany.json'],
	[polling, 'BacklinkExchangeTrigger/__schema__/v1.0.0.json'],
	[webhook, 'BacklinkExchangeWebhookTrigger/__schema__/v2.0.0.json'],
])(
	'the description of %s contains the outputs and how to enter several sites: %s',
	async (name, file) => {
		const schema = JSON.parse(readFileSync(path.join('nodes', file), 'utf8')) as OutputSchema;
		const types = await builder.types(name);
		expect(types).toContain(formatOutputSchema(schema));
		// The webhook trigger has no field for sites.
		if (name === webhook) return;
		expect(types).toContain('Enter an array of URLs or IDs of your sites');
	},
);

test('a workflow that a model builds accepts from one partner every hour, and sends one message', async () => {
	const workflow = await builder.create(world, readCode('scheduled-auto-accept'));
	const [other, allowed] = ['https://other.example', 'https://partner.example'].map(
		(fromSite) => world.sandbox.requestOffer({ fromSite, anchor: 'tea' }).id,
	);
	expect(await workflow.execute('Every hour')).toMatchObject({ status: 'success' });
	expect(world.sandbox.books.acceptCount(allowed ?? '')).toBe(1);
	expect(world.sandbox.books.acceptCount(other ?? '')).toBe(0);
	expect(world.slack.messages).toHaveLength(1);
});
