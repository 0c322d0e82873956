/** Scheduled auto-accept: by its rules, paid once, and one message tells a person what it did and what is left to decide. */
import { expect, it } from 'vitest';

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
	refusedAnchorWords: 'casino',
	maxAccepts: 5,
	dryRun: false,
	return: 'decisions',
	output: 'digest',
};

/** The workflow as somebody uses it who accepts of anyone. */
async function autoAccept(changed: object = {}, switched: object = {}): Promise<Imported> {
	const rulesAsUsed = { [rules]: { ...accepting, ...changed } };
	return await world.editor.importWorkflow('scheduled-auto-accept', rulesAsUsed, switched);
}

const messages = () => world.slack.messages.map(({ text }) => text);
const accepts = (ids: string[]) => ids.map((id) => world.sandbox.books.acceptCount(id));

it('as it comes, and in dry run, it accepts nothing', async () => {
	const { id } = world.sandbox.requestOffer({ anchor: 'green tea' });
	const asItComes = await world.editor.importWorkflow('scheduled-auto-accept');
	expect(await asItComes.execute('Every hour')).toMatchObject({ status: 'success' });
	const dry = await autoAccept({ dryRun: true });
	expect(await dry.execute('Every hour')).toMatchObject({ status: 'success' });
	expect(messages().at(-1)).toMatch(/^Would accept \(dry run\) /);
	expect(accepts([id])).toEqual([0]);
});

it('accepts what the rules allow, and one message says the rest', async () => {
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	const refused = world.sandbox.requestOffer({ anchor: 'best casino' });
	const nameless = world.sandbox.requestOffer({ anchor: '' });
	const workflow = await autoAccept();
	await workflow.execute('Every hour');
	expect(accepts([good.id, refused.id, nameless.id])).toEqual([1, 0, 0]);
	expect(messages()).toHaveLength(1);
	expect(messages()[0]).toContain(nameless.id);
});

it.each([1, 9, 50])('%i offers: one mail', async (count) => {
	const ids = Array.from({ length: count }, () => world.sandbox.requestOffer({ cost: 1 }).id);
	const byEmail = { activate: ['Send by email'], deactivate: ['Send to Slack'] };
	await (await autoAccept({}, byEmail)).execute('Every hour');
	const most = Math.min(count, 5);
	expect(world.mailbox.mails).toHaveLength(1);
	expect(getSubject(world.mailbox.mails[0] ?? '')).toContain(`${most} accepted`);
	expect(accepts(ids).filter((times) => times === 1)).toHaveLength(most);
});

it('503 at each accept of a run: nothing is claimed, and the next run goes on', async () => {
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

it('two runs at once pay once', async () => {
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

it('when Slack is down the run fails, and what was accepted stays accepted', async () => {
	world.slack.state = 'down';
	const good = world.sandbox.requestOffer({ anchor: 'green tea' });
	const execution = await (await autoAccept()).execute('Every hour');
	expect(execution.status).toBe('error');
	expect(accepts([good.id])).toEqual([1]);
});

// Between the request and its answer: queueMode.test.mts.
it('n8n killed (-9) after the accepts: paid once, and the next run goes on', async () => {
	const ids = [world.sandbox.requestOffer().id, world.sandbox.requestOffer().id];
	const workflow = await autoAccept();
	await trap.behind(rules, workflow);
	await workflow.start('Every hour');
	await trap.restart();
	expect(await workflow.execute('Every hour')).toMatchObject({ status: 'success' });
	expect(accepts(ids)).toEqual([1, 1]);
}, 400_000);
