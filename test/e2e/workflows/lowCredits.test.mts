import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

import { startSandbox } from '../../../sandbox/sandbox.mts';
import type { Imported } from './editor.mts';
import { forget, importTell, tellSlack } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let tell: Imported;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld();
	tell = await importTell(world);
	workflow = await world.editor.importWorkflow('low-credits');
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
});

beforeEach(async () => {
	world.slack.state = 'up';
	world.slack.messages.length = 0;
	world.sandbox.clearFaults();
	await forget(world);
});

/** A day with this many credits left; returns what Slack is told. */
async function day(credits: number, status = 'success'): Promise<string[]> {
	world.sandbox.setCredits(credits);
	expect((await workflow.execute('Every day')).status).toBe(status);
	return await tellSlack(world, tell);
}

const warning = (credits: number) =>
	`Low credits\nYour credits are low: ${credits} are left, and the limit is 50`;

it('warns once per crossing, not every day, and not at the limit', async () => {
	const said = [];
	for (const credits of [80, 50, 49, 20, 0, 50, 10, 10]) said.push(await day(credits));
	expect(said).toEqual([[], [], [warning(49)], [], [], [], [warning(10)], []]);
});

it('warns when Slack is up again', async () => {
	world.slack.state = 'down';
	expect(await day(30)).toEqual([]);
	expect(await day(20)).toEqual([]);
	world.slack.state = 'up';
	expect(await day(10)).toEqual([warning(30)]);
});

it('keeps its mind over a day on which the service refuses', async () => {
	expect(await day(30)).toEqual([warning(30)]);
	world.sandbox.setPlan('none');
	expect(await day(30, 'error')).toEqual([]);
	world.sandbox.setPlan('pro');
	expect(await day(30)).toEqual([]);
});

it('warns once when two runs meet', async () => {
	world.sandbox.setCredits(30);
	world.sandbox.addFault({ kind: 'delay-before-commit', times: 2, milliseconds: 500 });
	const second = workflow.executions().length + 1;
	await Promise.all([workflow.execute('Every day'), workflow.execute('Every day')]);
	expect((await workflow.finished(second)).status).toBe('success');
	expect(await tellSlack(world, tell)).toEqual([warning(30)]);
});

it('keeps the accounts of two copies apart', async () => {
	const other = await startSandbox({ credits: 20 });
	try {
		const { baseUrl, apiKey } = other;
		const own = { baseUrl: world.sandbox.baseUrl, apiKey: world.sandbox.apiKey };
		await world.editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
		const copy = await world.editor.importWorkflow('low-credits', { limit: 50 });
		await world.editor.addCredential('backlinkExchangeApi', own);
		expect(await day(80)).toEqual([]);
		await copy.execute('Every day');
		expect(await tellSlack(world, tell)).toEqual([warning(20)]);
		expect(await day(30)).toEqual([warning(30)]);
		expect(await day(80)).toEqual([]);
		await copy.execute('Every day');
		expect(await tellSlack(world, tell)).toEqual([]);
	} finally {
		await other.close();
	}
});

it.each([0, 2.5, '={{ "fifty" }}', '={{ null }}'])('stops when the limit is %j', async (limit) => {
	const wrong = await world.editor.importWorkflow('low-credits', { limit });
	const execution = await wrong.execute('Every day');
	expect(execution.status).toBe('error');
	expect(execution.error).toContain('limit');
});
