/** n8n is killed after each node in turn: nothing that was spent goes untold, and nothing is spent twice. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { readWorkflow } from '../../../playground/n8n/workflowFiles.mts';
import type { Imported } from './editor.mts';
import { setTrap, type Trap } from './kill.mts';
import { forget, importTell, news, tellSlack, write } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let trap: Trap;

beforeAll(async () => {
	// The worst service: it takes the credits again when it is asked again.
	world = await startWorld({
		limits: { perMinute: 100_000 },
		dialect: { acceptAgain: '200-charged-again' },
	});
	tell = await importTell(world);
	await tell.execute('Every minute');
	trap = await setTrap(world);
});

afterAll(async () => {
	trap.close();
	await world.close();
});

beforeEach(async () => {
	world.slack.messages.length = 0;
	world.sandbox.clearFaults();
	world.sandbox.setCredits(1000);
	for (const { id } of world.sandbox.books.exchanges('pending')) world.sandbox.accept(id);
	world.sandbox.setCredits(100);
	await forget(world);
});

function nodesOf(name: string): string[] {
	return readWorkflow(name)
		.nodes.filter(({ type }) => type !== 'n8n-nodes-base.stickyNote')
		.map((node) => node.name);
}

/** What must hold after some more runs, whenever n8n was killed. */
async function checkBooks(workflow: Imported, ids: string[]): Promise<void> {
	for (let run = 0; run < 2; run++) await workflow.execute('Schedule');
	const lines = (await tellSlack(world, tell)).flatMap((text) => text.split('\n'));
	for (const id of ids) {
		const about = lines.filter((line) => line.includes(`exchange "${id}"`));
		const accepts = world.sandbox.books.acceptsOf(id);
		expect(accepts, id).toBeLessThan(2);
		expect(about, id).toHaveLength(1);
		const start = accepts === 1 ? 'Accepted: ' : 'Please check';
		expect(about[0]?.startsWith(start), `${about[0] ?? ''} with ${accepts} accepts`).toBe(true);
	}
}

const settings = { dryRun: false, allowedPartners: '*', refusedAnchorWords: '' };

it.each(nodesOf('scheduled-auto-accept'))('auto-accept, killed after "%s"', async (node) => {
	const { sandbox } = world;
	const ids = [sandbox.requestOffer().id, sandbox.requestOffer().id];
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', settings);
	const whole = await workflow.read();
	await workflow.change(trap.behind(node, whole));
	await workflow.start('Schedule');
	await trap.restart();
	await workflow.change(whole);
	await checkBooks(workflow, ids);
});

it('auto-accept, killed while the service accepts', async () => {
	const { sandbox } = world;
	const ids = [sandbox.requestOffer().id, sandbox.requestOffer().id];
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', settings);
	sandbox.addFault({ kind: 'delay-after-commit', method: 'POST', milliseconds: 5000 });
	await workflow.start('Schedule');
	await expect.poll(() => sandbox.books.balance(), { timeout: 30_000 }).toBe(90);
	trap.spring();
	await trap.restart();
	await checkBooks(workflow, ids);
});

it.each(['Claim', 'Messages', 'Tell Slack', 'What was taken', 'Cross off'])(
	'telling, killed after "%s": told at least once',
	async (node) => {
		const own = await importTell(world);
		const whole = await own.read();
		await write(world, [{ key: 'a', headline: 'Accepted' }]);
		await own.change(trap.behind(node, whole));
		await own.start('Every minute');
		await trap.restart();
		await own.change(whole);
		await own.execute('Every minute');
		await own.execute('Every minute');
		const { length } = world.slack.messages;
		expect(length).toBe(['Tell Slack', 'What was taken'].includes(node) ? 2 : 1);
		expect(news(world).map(({ state }) => state)).toEqual(['told']);
	},
);
