/** What the ready-made workflows do when the service fails at each of their requests, and when its list lags. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import type { Dialect } from '../../../sandbox/dialects.mts';
import { clickButton } from './approval.mts';
import { callWorkflow } from './caller.mts';
import type { Imported } from './editor.mts';
import { forget, importTell, news, tellSlack } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let plain: Dialect;

beforeAll(async () => {
	world = await startWorld({ credits: 100, limits: { perMinute: 100_000 } });
	plain = world.sandbox.dialect();
	tell = await importTell(world);
	await tell.execute('Every minute');
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.messages.length = 0;
	world.sandbox.clearFaults();
	world.sandbox.setDialect(plain);
	world.sandbox.setCredits(1000);
	for (const { id } of world.sandbox.books.exchanges('pending')) world.sandbox.accept(id);
	world.sandbox.setCredits(100);
	await forget(world);
});

async function told(): Promise<string[]> {
	const messages = await tellSlack(world, tell);
	return messages.flatMap((text) => text.split('\n').slice(1));
}

/** Each offer is told of once, as accepted if and only if it was paid, and paid once at most. */
function checkTold(ids: string[], lines: string[]): void {
	for (const id of ids) {
		const accepts = world.sandbox.books.acceptsOf(id);
		const about = lines.filter((line) => line.includes(`exchange "${id}"`));
		expect(accepts, id).toBeLessThan(2);
		expect(
			about.filter((line) => line.startsWith('Accepted: ')),
			id,
		).toHaveLength(accepts);
		expect(about.length, id).toBeGreaterThan(0);
	}
}

/** Waits until the workflow waits for a person, and returns how many executions there are. */
async function asked(workflow: Imported): Promise<number> {
	await expect
		.poll(() => workflow.executions().at(-1)?.status, { timeout: 30_000 })
		.toBe('waiting');
	return workflow.executions().length;
}

const trusting = { dryRun: false, allowedPartners: '*', refusedAnchorWords: '' };

it.each([
	['GET', '/api/exchanges'],
	['GET', '/api/credits'],
	['POST', '/api/exchanges'],
])('auto-accept: 503 at each %s %s of a run', async (method, path) => {
	const { sandbox } = world;
	sandbox.setDialect({ acceptAgain: '200-charged-again' });
	const workflow = await world.editor.importWorkflow('scheduled-auto-accept', trusting);
	const ids = [sandbox.requestOffer().id, sandbox.requestOffer().id];
	sandbox.addFault({ kind: 'error-before-commit', method, path, times: 1000 });
	await workflow.execute('Schedule');
	sandbox.clearFaults();
	await workflow.execute('Schedule');
	await workflow.execute('Schedule');
	checkTold(ids, await told());
});

it.each(['lagging', 'pending-only', 'without-accepted'] as const)(
	'auto-accept: a list that is %s, and a service that charges again',
	async (exchangeList) => {
		const { sandbox } = world;
		const workflow = await world.editor.importWorkflow('scheduled-auto-accept', trusting);
		const ids = [sandbox.requestOffer().id, sandbox.requestOffer().id];
		sandbox.setDialect({ acceptAgain: '200-charged-again', exchangeList, listLagSeconds: 0 });
		await workflow.execute('Schedule');
		sandbox.setDialect({ acceptAgain: '200-charged-again', exchangeList, listLagSeconds: 3600 });
		for (let run = 0; run < 2; run++) await workflow.execute('Schedule');
		checkTold(ids, await told());
	},
);

it.each([
	['low-credits', 'Every day', ['/api/credits']],
	['weekly-report', 'Every Monday', ['/api/credits', '/api/exchanges']],
] as const)('%s: 503 at each request in turn', async (name, trigger, paths) => {
	const { sandbox } = world;
	sandbox.setCredits(10);
	const workflow = await world.editor.importWorkflow(name);
	for (const path of paths) {
		sandbox.addFault({ kind: 'error-before-commit', path, times: 1000 });
		expect(await workflow.execute(trigger), path).toMatchObject({ status: 'error' });
		sandbox.clearFaults();
		expect(news(world)).toEqual([]);
	}
	expect(await workflow.execute(trigger)).toMatchObject({ status: 'success' });
	expect(await told()).not.toEqual([]);
});

/** Has a person asked in Slack about an offer, which is not answered yet. */
async function askAbout(): Promise<{
	workflow: Imported;
	event: Record<string, unknown> & { eventKey: string };
}> {
	const workflow = await world.editor.importWorkflow('offer-approval', { ask: '#link-exchange' }, [
		'Ask in Slack',
	]);
	await workflow.publish();
	const { id } = world.sandbox.requestOffer();
	const data = { id, from_site: 'a.example', to_site: 'b.example', anchor: 'c' };
	const event = { event: 'exchange.requested', eventKey: id, data };
	await callWorkflow(world, workflow, event);
	await expect.poll(() => world.slack.messages.length, { timeout: 30_000 }).toBe(1);
	return { workflow, event };
}

it.each(['lagging', 'pending-only', 'without-accepted'] as const)(
	'offer approval: a list that is %s, and a service that charges again',
	async (exchangeList) => {
		const { sandbox, slack } = world;
		const { workflow, event } = await askAbout();
		const { eventKey: id } = event;
		sandbox.setDialect({ acceptAgain: '200-charged-again', exchangeList, listLagSeconds: 3600 });
		const before = await asked(workflow);
		await clickButton(slack, 'Accept');
		await workflow.finished(before);
		await callWorkflow(world, workflow, event);
		checkTold([id], await told());
		expect(sandbox.books.acceptsOf(id)).toBe(1);
	},
);

it.each(['error-before-commit', 'cut-after-commit'] as const)(
	'offer approval: %s at the accept',
	async (kind) => {
		const { sandbox, slack } = world;
		const { workflow, event } = await askAbout();
		const { eventKey: id } = event;
		sandbox.addFault({ kind, method: 'POST', times: 1000 });
		const before = await asked(workflow);
		await clickButton(slack, 'Accept');
		await workflow.finished(before);
		const lines = await told();
		checkTold([id], lines);
		const start = sandbox.books.acceptsOf(id) === 1 ? 'Accepted: ' : 'Please check';
		expect(lines).toEqual([expect.stringContaining(start)]);
	},
);
