/**
 * The first ten minutes of somebody who does not program: README's steps in a real browser, on what `npm start` starts,
 * guided by the screen alone; then the next day.
 */
import { join } from 'node:path';

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { read } from '../repository.mts';
import { sharedFolder } from '../untilTheTestEnds.mts';
import { useBrowser } from './browser.mts';
import { field, go, press } from './dashboardPage.mts';
import { N8nScreen } from './n8nScreen.mts';
import { Person } from './person.mts';
import { PlaygroundProcess, type Terminal } from './playgroundProcess.mts';
import { acceptByRules, letItRun, publish, seeWhatHappened } from './walk.mts';

const readme = read('README.md');

const folder = sharedFolder();
let playground: PlaygroundProcess;
let terminal: Terminal;
let person: Person;
let n8n: N8nScreen;
let dashboard: Page;

beforeAll(async () => {
	playground = await PlaygroundProcess.prepare(join(folder, 'data'));
	terminal = await playground.start();
});

afterAll(() => playground.stop());

useBrowser(async (browser) => {
	person = await Person.sitDown(browser);
});

/** Asks the sandbox's books. */
async function ask<Answer>(path: string): Promise<Answer> {
	const answer = await fetch(`${terminal.dashboardUrl}/control${path}`);
	return (await answer.json()) as Answer;
}

interface State {
	plan: string;
	dialect: Record<string, unknown>;
	webhook: { url: string; secret: string };
	credits: { balance: number };
	exchanges: { pending: number };
}

const minutes = 60_000;
/** How many clicks each step took. */
const clicks: Record<string, number> = {};
function count(step: string): number {
	const before = Object.values(clicks).reduce((sum, each) => sum + each, 0);
	const taken = person.clicks.length - before;
	clicks[step] = taken;
	return taken;
}

describe('the first ten minutes', { timeout: 15 * minutes }, () => {
	it('begin with a terminal that says where everything is, as the README shows it', async () => {
		expect(terminal.text).toMatch(/Published in n8n: Events by webhook, Watchdog alert\./);
		expect(terminal.text).toMatch(/Events go to: the workflow "Events by webhook"\./);
		const [said, pending, balance] =
			/(\d+) offers wait for you, and (\d+) credits\./.exec(terminal.text) ?? [];
		expect(readme).toContain(said);
		const { exchanges, credits } = await ask<State>('/state');
		expect(credits.balance).toBe(Number(balance));
		// New ones keep coming.
		expect(exchanges.pending).toBeGreaterThanOrEqual(Number(pending));
	});

	it('the newest event appears, in six clicks', async () => {
		n8n = await N8nScreen.open(person, terminal);
		count('log in');
		await seeWhatHappened(n8n);
		expect(count('see what happened')).toBeLessThanOrEqual(6);
	});

	it('published, an alert runs it', async () => {
		dashboard = await person.open(terminal.dashboardUrl);
		await publish(n8n);
		await letItRun(n8n, dashboard);
		count('let it run');
	});

	it('a dry run spends nothing; afterwards the offers are accepted', async () => {
		const before = await ask<State>('/state');
		let dry: State | undefined;
		await acceptByRules(n8n, async (_page, name) => {
			if (name === 'would-accept') dry = await ask<State>('/state');
		});
		const after = await ask<State>('/state');
		expect(dry?.credits.balance).toBe(before.credits.balance);
		expect(after.credits.balance).toBeLessThan(before.credits.balance);
		expect(after.exchanges.pending).toBeLessThan(before.exchanges.pending);
		count('accept by rules');
	});

	it('the README names every click', () => {
		console.log(clicks, person.clicks.length);
		const section = /## Your first workflow\n([^]*?)\n## /.exec(readme)?.[1] ?? '';
		const named = [...section.matchAll(/_([^_\n]+)_/g)].map(([, words]) => words);
		const hers = person.clicks.filter((words) => words !== 'Sign in');
		expect(named).toEqual(expect.arrayContaining([...new Set(hers)]));
	});
});

describe('the next day', { timeout: 15 * minutes }, () => {
	it('everything is as it was left, and the terminal says so', async () => {
		await go(dashboard, 'Plan');
		await field(dashboard, 'Plan').selectOption('agency');
		await press(dashboard, 'Change plan');
		await go(dashboard, 'Dialect');
		await field(dashboard, 'Shape of lists').selectOption('data');
		for (const id of ['events-by-webhook', 'watchdog-alert']) {
			expect(await n8n.unpublish(id)).toBe(200);
		}
		const before = await ask<State>('/state');
		expect(before).toMatchObject({ plan: 'agency', dialect: { listShape: 'data' } });

		await playground.stop();
		terminal = await playground.start();
		const after = await ask<State>('/state');
		expect(after.webhook).toEqual(before.webhook);
		expect(after).toMatchObject({ plan: 'agency', dialect: before.dialect });
		expect(terminal.text).toMatch(/Published in n8n: My workflow\./);
		expect(terminal.text).toMatch(/Plan: agency\. Dialect: listShape=data\./);
		const [, waiting] = /(\d+) offers wait for you/.exec(terminal.text) ?? [];
		expect(Number(waiting)).toBeGreaterThanOrEqual(before.exchanges.pending);
		expect(Number(waiting)).toBeLessThanOrEqual(after.exchanges.pending);
	});

	it('the login holds', async () => {
		await n8n.page.goto(terminal.editorUrl);
		await n8n.page.getByRole('button', { name: 'Create workflow' }).first().waitFor();
	});
});
