import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Imported } from './editor.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let workflow: Imported;

beforeAll(async () => {
	world = await startWorld();
	workflow = await world.editor.importWorkflow('low-credits', { limit: 50 });
	await workflow.publish();
});

afterAll(async () => {
	await world.close();
});

/** A day on which so many credits are left; returns the number of warnings until then. */
async function day(credits: number, status = 'success'): Promise<number> {
	world.sandbox.setCredits(credits);
	expect((await workflow.execute('Every day')).status).toBe(status);
	return world.slack.messages.length;
}

it('warns once per crossing, not every day, and not at the limit', async () => {
	expect(await day(80)).toBe(0);
	expect(await day(50)).toBe(0);
	expect(await day(49)).toBe(1);
	expect(await day(20)).toBe(1);
	expect(await day(0)).toBe(1);
	expect(await day(50)).toBe(1);
	expect(await day(10)).toBe(2);
	expect(await day(10)).toBe(2);
	expect(world.slack.messages.map(({ channel, text }) => [channel, text])).toEqual([
		['#link-exchange', 'Your credits are low: 49 are left, and the limit is 50.'],
		['#link-exchange', 'Your credits are low: 10 are left, and the limit is 50.'],
	]);
});

it('warns the next day when Slack was down', async () => {
	await day(80);
	world.slack.messages.length = 0;
	world.slack.state = 'down';
	expect(await day(30, 'error')).toBe(0);
	world.slack.state = 'up';
	expect(await day(30)).toBe(1);
	expect(await day(30)).toBe(1);
});

it('keeps its mind over a day on which the service refuses', async () => {
	await day(80);
	world.slack.messages.length = 0;
	expect(await day(30)).toBe(1);
	world.sandbox.setPlan('none');
	expect(await day(30, 'error')).toBe(1);
	world.sandbox.setPlan('pro');
	expect(await day(30)).toBe(1);
});
