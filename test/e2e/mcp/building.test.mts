/**
 * A model that builds workflows with n8n's own tools finds the right node, reads what comes out of it, and what it builds
 * does what the ready-made workflow does. The model's part, the code in `code/`, was written from what the tools answer.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { beforeAll, describe, expect, it } from 'vitest';

import { describeItems, type OutputSchema } from '../../../nodes/shared/fields/builderHint.ts';
import { workflowNames } from '../../../playground/n8n/workflowFiles.mts';
import { type Imported, output } from '../workflows/editor.mts';
import { useLanguageModel } from '../workflows/languageModel.mts';
import { bodyOf } from '../workflows/mailbox.mts';
import { choicesIn, prepareTargets } from '../workflows/publishing.mts';
import { useWorld } from '../workflows/world.mts';
import { type Builder, connectToBuilder, readCode } from './builder.mts';
import { type Cast, scenarios } from './scenarios.mts';

const world = useWorld();
const model = useLanguageModel(world);
const mcpToken = 'a token for this test';
let builder: Builder;
let cast: Cast;

const own = 'n8n-nodes-backlink-exchange.';
const action = `${own}backlinkExchange`;
const polling = `${own}backlinkExchangeTrigger`;
const webhook = `${own}backlinkExchangeWebhookTrigger`;

beforeAll(async () => {
	await world.editor.addCredential('httpBearerAuth', { token: mcpToken });
	builder = await connectToBuilder(world);
	const targets = await prepareTargets(world.editor);
	cast = { ...world, ...targets, model, mcpToken };
});

it.each([
	['watch my backlinks', polling],
	['tell me when credits run low', polling],
	['alert me about broken links', polling],
	['send me watchdog alerts', polling],
	['monitor my backlinks', polling],
	['notify me of new backlinks', polling],
	['accept link exchange offers from these partners every hour', action],
	['add my sites to the backlink exchange', action],
	['weekly report about my backlink exchange', action],
	['list pending link exchange offers', action],
	['let a person approve each link exchange offer', action],
	['credit balance of my backlink exchange account', action],
])('"%s" finds first %s', async (question, expected) => {
	expect((await builder.search(question))[0]).toBe(expected);
});

// That each operation and each event is in it: test/engine/action/registry.test.mts, test/engine/builderHints.test.mts.
it.each([
	[action, 'BacklinkExchange/__schema__/v1.0.0/exchange/acceptMany.json'],
	[polling, 'BacklinkExchangeTrigger/__schema__/v1.0.0.json'],
	[webhook, 'BacklinkExchangeWebhookTrigger/__schema__/v2.0.0.json'],
])('of %s, a model reads what comes out, and what a row is: %s', async (name, file) => {
	const schema = JSON.parse(readFileSync(path.join('nodes', file), 'utf8')) as OutputSchema;
	const types = await builder.types(name);
	expect(types).toContain(describeItems(schema));
	expect(types).toContain('An array with one row each, never a text: [{ __rl');
});

/** Deactivated nodes that the scenario uses. */
const activated: Record<string, string[]> = {
	'ai-link-manager': ['Approve in Slack', 'Accept offer'],
	'events-by-webhook': ['Call for all others'],
};

describe.each(workflowNames)('%s', (name) => {
	it('built from code does what its file does', async () => {
		const scenario = scenarios[name];
		if (scenario === undefined) throw new Error(`There is no scenario for ${name}.`);
		const told: string[][] = [];
		const play = async (workflow: Imported) => {
			world.reset();
			model.questions.length = 0;
			told.push(await scenario(cast, workflow));
			await workflow.unpublish();
		};
		const changes = {
			...choicesIn(name, cast),
			...(name === 'scheduled-auto-accept' && {
				'Accept by rules': { allowedPartners: 'partner.example', dryRun: false },
			}),
		};
		const file = await world.editor.importWorkflow(name, changes, {
			activate: activated[name] ?? [],
		});
		await file.publish();
		await play(file);

		const code = readCode(name)
			.replaceAll("'WORKFLOW'", `'${cast.called.id}'`)
			.replaceAll("'TABLE'", `'${cast.table}'`);
		const built = await builder.create(world, code);
		// Low credits that the first one has left would be news to the trigger that is published now.
		world.reset();
		await builder.publish(built);
		await play(built);
		expect(told[0]).not.toEqual([]);
		expect(told[1]).toEqual(told[0]);
	}, 300_000);
});

describe('what nobody has drawn before, built from what the tools answer', () => {
	it('one email each morning about broken links and alerts', async () => {
		const workflow = await builder.create(world, readCode('own-morning-digest'));
		await builder.publish(workflow);
		world.sandbox.alert({ severity: 'warning', type: 'nofollow', detail: 'changed' });
		expect(await workflow.execute('Trouble since yesterday')).toMatchObject({ status: 'success' });
		expect(world.mailbox.mails[0]).toContain('Subject: Links: 1 events since yesterday');
		expect(bodyOf(world.mailbox.mails[0])).toContain('changed');
		await workflow.unpublish();
	});

	it('each published link in a data table', async () => {
		const table = await world.editor.createTable('Links', ['partner', 'page', 'anchor']);
		const code = readCode('own-published-links').replace("'LINKS'", `'${table.id}'`);
		const workflow = await builder.create(world, code);
		await builder.publish(workflow);
		const { id } = world.sandbox.requestOffer({
			fromSite: 'https://partner.example',
			anchor: 'tea',
		});
		world.sandbox.accept(id);
		// The newest event by the second.
		await sleep(1100);
		world.sandbox.publish(id);
		const execution = await workflow.execute('Link published');
		expect(output(execution, 'Keep the link')).toMatchObject([
			{ partner: expect.stringContaining('partner.example') as string, anchor: 'tea' },
		]);
		expect(output(execution, 'Keep the link')[0]?.page).toMatch(/^https?:/);
		await workflow.unpublish();
	});

	it('a site that is added, and a message whether it was verified', async () => {
		const workflow = await builder.create(world, readCode('own-site-verified'));
		expect(await workflow.execute('Start')).toMatchObject({ status: 'success' });
		expect(world.slack.messages.map(({ text }) => text)).toEqual([
			expect.stringMatching(/^(Ready: (Added|Already)|Check the site yourself: Not verified)/),
		]);
	});
});
