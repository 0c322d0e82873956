/**
 * A model that builds workflows with n8n's own tools finds the right node and reads its outputs,
 * and its workflow runs.
 *
 * The model's part, the code in `code/`, was written from the responses of the tools.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, test } from 'vitest';

import {
	formatOutputSchema,
	type OutputSchema,
} from '../../../nodes/shared/descriptions/outputSchema.ts';
import { output } from '../workflows/editor.mts';
import { useWorld } from '../workflows/environment.mts';
import { getBody } from '../workflows/mailbox.mts';
import { PageRank } from '../workflows/pageRank.mts';
import { type Builder, connectToBuilder, readCode } from './builder.mts';

const pageRank = new PageRank();
const world = useWorld({
	hosts: {
		'openpagerank.com': (routes) => {
			pageRank.addRoutes(routes);
		},
	},
});
let builder: Builder;

const own = 'n8n-nodes-backlink-exchange.';
const action = `${own}backlinkExchange`;
const polling = `${own}backlinkExchangeTrigger`;
const webhook = `${own}backlinkExchangeWebhookTrigger`;

beforeAll(async () => {
	await world.editor.addCredential('httpHeaderAuth', { name: 'API-OPR', value: 'the key' });
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
		expect(types).toContain('Enter an array of URLs or IDs of your sites');
	},
);

describe('workflows that a model builds from the tool responses', () => {
	test('send one email each morning about broken links and alerts', async () => {
		const workflow = await builder.create(world, readCode('morning-digest'));
		await builder.publish(workflow);
		world.sandbox.requestOffer();
		world.sandbox.alert({ severity: 'warning', type: 'nofollow', detail: 'changed' });
		expect(await workflow.execute('Trouble since yesterday')).toMatchObject({ status: 'success' });
		expect(getBody(world.mailbox.mails[0])).toMatch(/^New alert \(warning, nofollow\): /);
		await workflow.unpublish();
	});

	test('accept from one partner every hour, and send one message about it', async () => {
		const workflow = await builder.create(world, readCode('scheduled-auto-accept'));
		const [other, allowed] = ['https://other.example', 'https://partner.example'].map(
			(fromSite) => world.sandbox.requestOffer({ fromSite, anchor: 'tea' }).id,
		);
		expect(await workflow.execute('Every hour')).toMatchObject({ status: 'success' });
		expect(world.sandbox.books.acceptCount(allowed ?? '')).toBe(1);
		expect(world.sandbox.books.acceptCount(other ?? '')).toBe(0);
		expect(world.slack.messages).toHaveLength(1);
	});

	test('accept from partners with an Open PageRank of at least 3, and send one message', async () => {
		const workflow = await builder.create(world, readCode('accept-by-rating'));
		await workflow.addCredentials();
		pageRank.ratings.set('good.example', 3).set('low.example', 2);
		const [good, again, low, unknown] = ['good', 'good', 'low', 'unknown'].map(
			(name) => world.sandbox.requestOffer({ fromSite: `https://${name}.example` }).id,
		);
		expect(await workflow.execute('Every morning')).toMatchObject({ status: 'success' });
		expect(
			[good, again, low, unknown].map((id) => world.sandbox.books.acceptCount(id ?? '')),
		).toEqual([1, 1, 0, 0]);
		expect(world.slack.messages).toHaveLength(1);
	});

	test('store each published link in a data table', async () => {
		const table = await world.editor.createTable('Links', ['partner', 'page', 'anchor']);
		const code = readCode('published-links').replace("'LINKS'", `'${table.id}'`);
		const workflow = await builder.create(world, code);
		const { id } = world.sandbox.requestOffer({
			fromSite: 'https://partner.example',
			anchor: 'tea',
		});
		world.sandbox.accept(id);
		// Times have a precision of one second; the next event must be the newest.
		await sleep(1100);
		world.sandbox.publish(id);
		const execution = await workflow.execute('Link published');
		expect(output(execution, 'Keep the link')).toMatchObject([
			{ partner: expect.stringContaining('partner.example') as string, anchor: 'tea' },
		]);
	});
});
