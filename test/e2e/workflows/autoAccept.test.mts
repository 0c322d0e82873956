/**
 * Scheduled auto-accept: pays once by its rules, and reports its accepts and the remaining offers
 * in one message.
 */
import { expect, test } from 'vitest';

import { readWorkflow } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { useCrashTrap } from './crashTrap.mts';
import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { getSubject } from './mailbox.mts';

const world = useWorld();
const trap = useCrashTrap(world);

const rules = 'Accept by rules';
const accepting = {
	resource: 'exchange',
	operation: 'acceptMany',
	acceptFrom: 'anyone',
	blockedAnchorWords: 'casino',
	maxAccepts: 5,
	// A limit per day counts the offers of the other tests.
	limits: {},
	dryRun: false,
	options: { outputFormat: 'digest' },
};

/** Imports the workflow for a user who accepts offers from anyone. */
async function autoAccept(changed: object = {}, switched: object = {}): Promise<Imported> {
	const rulesAsUsed = { [rules]: { ...accepting, ...changed } };
	return await world.editor.importWorkflow('scheduled-auto-accept', rulesAsUsed, switched);
}

const messages = () => world.slack.messages.map(({ text }) => text);
const accepts = (ids: string[]) => ids.map((id) => world.sandbox.books.acceptCount(id));

test('accepts nothing as imported, and in a dry run', async () => {
	const { id } = world.sandbox.requestOffer({ anchor: 'green tea' });
	const unchanged = await world.editor.importWorkflow('scheduled-auto-accept');
	expect(await unchanged.execute('Every hour')).toMatchObject({ status: 'success' });
	const dry = await autoAccept({ dryRun: true });
	expect(await dry.execute('Every hour')).toMatchObject({ status: 'success' });
	expect(messages().at(-1)).toMatch(/^Would accept \(dry run\): /);
	expect(accepts([id])).toEqual([0]);
});

test('accepts offers that the rules allow, and reports the rest in one message', async () => {
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	const blocked = world.sandbox.requestOffer({ anchor: 'best casino' });
	const nameless = world.sandbox.requestOffer({ anchor: '' });
	const workflow = await autoAccept();
	await workflow.execute('Every hour');
	expect(accepts([good.id, blocked.id, nameless.id])).toEqual([1, 0, 0]);
	expect(messages()).toHaveLength(1);
	expect(messages()[0]).toContain("(The anchor text can't be read)");
});

test('accepts nothing more as imported once five offers were accepted within a day', async () => {
	for (let count = 0; count < 5; count++) {
		world.sandbox.accept(world.sandbox.requestOffer({ cost: 1 }).id);
	}
	const { id } = world.sandbox.requestOffer({ anchor: 'green tea' });
	const { parameters } =
		readWorkflow('scheduled-auto-accept').nodes.find(({ name }) => name === rules) ?? {};
	await (await autoAccept({ limits: parameters?.limits })).execute('Every hour');
	expect(messages()[0]).toContain('Max per Day (5) is reached');
	expect(accepts([id])).toEqual([0]);
});

test('sends one email for 50 offers', async () => {
	const ids = Array.from({ length: 50 }, () => world.sandbox.requestOffer({ cost: 1 }).id);
	const byEmail = { activate: ['Send by email'], deactivate: ['Send to Slack'] };
	await (await autoAccept({}, byEmail)).execute('Every hour');
	expect(world.mailbox.mails).toHaveLength(1);
	expect(getSubject(world.mailbox.mails[0] ?? '')).toContain('5 accepted');
	expect(accepts(ids).filter((times) => times === 1)).toHaveLength(5);
});

test('claims nothing when each accept gets 503, and continues in the next run', async () => {
	const ids = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
	const workflow = await autoAccept();
	world.sandbox.addFault({ kind: 'error-before-commit', method: 'POST', times: 1000 });
	await workflow.execute('Every hour');
	world.sandbox.clearFaults();
	expect(messages()[0]).toMatch(/may .*be(en)? spent/);
	expect(accepts(ids)).toEqual([0, 0]);
	await world.clock.pass(61_000);
	await workflow.execute('Every hour');
	expect(accepts(ids)).toEqual([1, 1]);
});

test('pays once when two executions run concurrently', async () => {
	const ids = Array.from({ length: 4 }, () => world.sandbox.requestOffer({ cost: 1 }).id);
	world.sandbox.addFault({
		kind: 'delay-after-commit',
		method: 'POST',
		times: 8,
		milliseconds: 500,
	});
	const workflow = await autoAccept();
	await workflow.start('Every hour');
	await workflow.start('Every hour');
	await workflow.finished(1);
	expect(accepts(ids)).toEqual([1, 1, 1, 1]);
});

test('fails while Slack is down, and keeps its accepts', async () => {
	world.slack.state = 'down';
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	const execution = await (await autoAccept()).execute('Every hour');
	expect(execution.status).toBe('error');
	expect(accepts([good.id])).toEqual([1]);
});

// A kill between request and response: queueMode.test.mts.
test('pays once when n8n is killed (-9) after the accepts, and continues in the next run', async () => {
	const ids = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
	const workflow = await autoAccept();
	await trap.connectAfter(rules, workflow);
	await workflow.start('Every hour');
	await trap.restart();
	expect(await workflow.execute('Every hour')).toMatchObject({ status: 'success' });
	expect(accepts(ids)).toEqual([1, 1]);
}, 400_000);
