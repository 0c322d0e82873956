/** What the ready-made workflows do when the service's request limit is reached. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { type Sandbox, startSandbox } from '../../../sandbox/sandbox.mts';
import { clickButton } from './approval.mts';
import { callWorkflow } from './caller.mts';
import { send, upload } from './form.mts';
import { forget, news } from './outbox.mts';
import { startWorld, type World } from './world.mts';

let world: World;
/** Its limit for the day is used up. */
let exhausted: Sandbox;

beforeAll(async () => {
	world = await startWorld({
		credits: 200,
		limits: { perMinute: 8, windowMilliseconds: 3000 },
		verification: { delayMilliseconds: 100 },
	});
	exhausted = await startSandbox({ credits: 10, limits: { perDay: 0 } });
});

afterAll(async () => {
	await exhausted.close();
	await world.close();
});

it('auto-accept waits, and accepts all', async () => {
	const { sandbox, editor } = world;
	const workflow = await editor.importWorkflow('scheduled-auto-accept', {
		dryRun: false,
		allowedPartners: '*',
		refusedAnchorWords: '',
		maxAccepts: 12,
	});
	const offers = Array.from({ length: 12 }, () => sandbox.requestOffer({ cost: 5 }));
	expect(await workflow.execute('Schedule')).toMatchObject({ status: 'success' });
	expect(offers.map(({ id }) => sandbox.books.acceptsOf(id))).toEqual(offers.map(() => 1));
	// More than two windows hold.
	expect(sandbox.books.requests().length).toBeGreaterThan(16);
});

it('bulk add waits, and adds all', async () => {
	const workflow = await world.editor.importWorkflow('bulk-add-sites', { secondsToVerify: 40 });
	await workflow.publish();
	const urls = Array.from({ length: 12 }, (_, site) => `https://site-${site}.example`);
	const rows = await upload(workflow, `url,niche\n${urls.map((url) => `${url},cars\n`).join('')}`);
	expect(rows).toEqual(urls.map((url, index) => [String(index + 2), url, 'added, verified', '']));
	expect(world.sandbox.books.sites()).toHaveLength(urls.length);
});

it('offer approval says that nothing was spent, and why', async () => {
	const { sandbox, editor, slack } = world;
	const { baseUrl, apiKey } = exhausted;
	const own = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
	const workflow = await editor.importWorkflow('offer-approval', {}, ['Ask in Slack']);
	await editor.addCredential('backlinkExchangeApi', own);
	await workflow.publish();
	const { id } = exhausted.requestOffer();
	await callWorkflow(world, workflow, { event: 'exchange.requested', eventKey: id, data: { id } });
	await expect.poll(() => slack.messages.length, { timeout: 30_000 }).toBe(1);
	const before = workflow.executions().length;
	await clickButton(slack, 'Accept');
	await workflow.finished(before);
	const [row] = news(world).filter(({ exchange }) => exchange === id);
	expect(row?.headline).toContain('Not accepted, and nothing was spent');
	expect(row?.facts).toContain('request limit');
	expect(exhausted.books.acceptsOf(id)).toBe(0);
});

it('beyond the longest wait, each says so and does nothing', async () => {
	const { baseUrl, apiKey } = exhausted;
	const { editor } = world;
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey });
	await forget(world);
	exhausted.requestOffer();
	for (const [file, trigger] of [
		['scheduled-auto-accept', 'Schedule'],
		['low-credits', 'Every day'],
		['weekly-report', 'Every Monday'],
	] as const) {
		const workflow = await editor.importWorkflow(file);
		const execution = await workflow.execute(trigger);
		expect(execution, file).toMatchObject({ status: 'error' });
		expect(execution.error, file).toContain('request limit');
	}
	expect(news(world)).toEqual([]);

	await editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	const manager = await editor.importWorkflow('ai-link-manager');
	const chat = await manager.chat('Chat', 'What do I have?');
	expect(chat).toMatchObject({ status: 'error', lastNode: 'Pending offers' });
	expect(chat.error).toContain('request limit');

	const workflow = await editor.importWorkflow('bulk-add-sites');
	await workflow.publish();
	const { execution } = await send(workflow, 'url,niche\nhttps://one.example,cars\n');
	expect(execution).toMatchObject({ status: 'error', lastNode: 'Known sites' });
	expect(execution.error).toContain('request limit');
	expect(exhausted.books.sites()).toEqual([]);
});
