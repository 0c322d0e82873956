/**
 * The quick start of README in a real browser: `npm start` prints where everything is, n8n and
 * dashboard work together, and everything is still there the next day.
 *
 * Each click of README's tutorial: test/e2e/workflows/readmeTutorial.test.mts.
 */
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { sharedFolder } from '../fixtures.mts';
import { useBrowser } from './browser.mts';
import { field, go, press } from './dashboardPage.mts';
import { N8nScreen } from './editorPage.mts';
import { PlaygroundProcess, type Terminal } from './playgroundProcess.mts';
import { TestUser } from './testUser.mts';
import { publish, showNewestEvent } from './tutorialSteps.mts';

const folder = sharedFolder();
let playground: PlaygroundProcess;
let terminal: Terminal;
let person: TestUser;
let n8n: N8nScreen;
let dashboard: Page;

beforeAll(async () => {
	playground = await PlaygroundProcess.prepare(join(folder, 'data'));
	terminal = await playground.start();
});

afterAll(() => playground.stop());

useBrowser(async (browser) => {
	person = await TestUser.create(browser);
});

interface State {
	plan: string;
	dialect: Record<string, unknown>;
	webhook: { url: string; secret: string };
	credits: { balance: number };
	exchanges: { pending: number };
}

/** Reads the state of the sandbox. */
async function readState(): Promise<State> {
	return (await (await fetch(`${terminal.dashboardUrl}/control/state`)).json()) as State;
}

const timeout = 900_000;

test('the terminal prints where everything is', async () => {
	expect(terminal.text).toMatch(/Published workflows in n8n: Events by webhook, News\./);
	expect(terminal.text).toMatch(/sends events to the workflow "Events by webhook"\./);
	const [, pending, balance] = /Pending offers: (\d+)\. Credits: (\d+)\./.exec(terminal.text) ?? [];
	const { exchanges, credits } = await readState();
	expect(credits.balance).toBe(Number(balance));
	// The simulation adds new offers continuously.
	expect(exchanges.pending).toBeGreaterThanOrEqual(Number(pending));
});

test('an alert from the dashboard starts the published workflow', { timeout }, async () => {
	n8n = await N8nScreen.open(person, terminal);
	await showNewestEvent(n8n);
	dashboard = await person.open(terminal.dashboardUrl);
	await publish(n8n);
	await press(dashboard, 'Raise alert');
	await n8n.openExecutions();
	await n8n.page.getByText('Succeeded').first().waitFor();
});

/**
 * Unpublishes a workflow as the editor does. n8n accepts a session only from the browser that
 * logged in.
 */
async function unpublish(id: string): Promise<void> {
	const headers = "{ 'browser-id': localStorage.getItem('n8n-browserId') }";
	const request = `fetch('/rest/workflows/${id}/deactivate', { method: 'POST', headers: ${headers} })`;
	expect(await n8n.page.evaluate(`${request}.then(({ status }) => status)`)).toBe(200);
}

test(
	'a restart the next day keeps everything, and the terminal confirms it',
	{ timeout },
	async () => {
		await go(dashboard, 'Plan');
		await field(dashboard, 'Plan').selectOption('agency');
		await press(dashboard, 'Change plan');
		await go(dashboard, 'API Variants');
		await field(dashboard, 'listShape').selectOption('data');
		for (const id of ['events-by-webhook', 'news']) await unpublish(id);
		const before = await readState();
		expect(before).toMatchObject({ plan: 'agency', dialect: { listShape: 'data' } });

		await playground.stop();
		terminal = await playground.start();
		const after = await readState();
		expect(after.webhook).toEqual(before.webhook);
		expect(after).toMatchObject({ plan: 'agency', dialect: before.dialect });
		expect(terminal.text).toMatch(/Published workflows in n8n: My workflow\./);
		expect(terminal.text).toMatch(/plan: agency\..* API variants: listShape=data\./);
		const [, waiting] = /Pending offers: (\d+)/.exec(terminal.text) ?? [];
		expect(Number(waiting)).toBeGreaterThanOrEqual(before.exchanges.pending);
		expect(Number(waiting)).toBeLessThanOrEqual(after.exchanges.pending);
		// The session is still valid.
		await n8n.page.goto(terminal.editorUrl);
		await n8n.page.getByRole('button', { name: 'Create workflow' }).first().waitFor();
	},
);
