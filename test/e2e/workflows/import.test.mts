/** Imports each ready-made workflow as a user does: in n8n's editor, from its file. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';

import {
	readWorkflow,
	workflowNames,
	workflowPath,
} from '../../../playground/n8n/workflowFiles.mts';
import { launchBrowser, openEditor } from '../browser.mts';
import { startWorld, type World } from './world.mts';

let world: World;
let browser: Browser;
let page: Page;

beforeAll(async () => {
	world = await startWorld();
	await world.editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	browser = await launchBrowser();
	page = await openEditor(browser, world.n8n);
});

afterAll(async () => {
	await browser.close();
	await world.close();
});

interface Saved {
	id: string;
	versionId: string;
	nodes: unknown[];
}

/** What n8n has saved (it does so by itself), newest last. */
function saved(): Saved[] {
	const rows = world.n8n.query(
		'SELECT id, versionId, nodes FROM workflow_entity ORDER BY createdAt',
	);
	return rows.map(({ id, versionId, nodes }) => ({
		id: String(id),
		versionId: String(versionId),
		nodes: JSON.parse(String(nodes)) as Saved['nodes'],
	}));
}

async function importFile(
	file: string | { name: string; mimeType: string; buffer: Buffer },
): Promise<Saved> {
	const before = saved().length;
	await page.goto(`${world.n8n.origin}/workflow/new`);
	const input = page.locator('[data-test-id=workflow-import-input]');
	await input.waitFor({ state: 'attached' });
	await page.locator('[data-test-id=canvas-wrapper], .vue-flow').first().waitFor();
	await input.setInputFiles(file);
	await expect.poll(() => saved().length, { timeout: 30_000 }).toBe(before + 1);
	const workflow = saved().at(-1);
	if (workflow === undefined) throw new Error('unreachable');
	return workflow;
}

/** What n8n says in its corner, but for the credentials that it has chosen by itself. */
async function warnings(): Promise<string[]> {
	const messages = page.locator('.el-notification, .el-message, [role=alert]');
	const texts = await messages.allInnerTexts();
	return texts.filter((text) => !text.startsWith('Credentials auto-added'));
}

/** Why nodes are marked, in n8n's words: something is missing or wrong in them. */
async function marks(): Promise<string[]> {
	const texts: string[] = [];
	for (const mark of await page.locator('[data-test-id=node-issues]').all()) {
		await mark.hover();
		const tooltip = page.locator('[data-test-id=tooltip-content]');
		await tooltip.waitFor();
		texts.push(await tooltip.innerText());
		await page.mouse.move(0, 0);
		await tooltip.waitFor({ state: 'detached' });
	}
	return texts;
}

it.each(workflowNames)('%s imports without a warning', async (name) => {
	const { nodes } = await importFile(workflowPath(name));
	expect(nodes.length).toBeGreaterThan(1);
	await expect.poll(() => page.locator('.vue-flow__node').count()).toBe(nodes.length);
	expect(await page.locator('[data-test-id=node-not-installed]').count()).toBe(0);
	// Which Slack account to use, only the user knows.
	expect(await marks()).toEqual([]);
	expect(await warnings()).toEqual([]);
});

/** What each needs beside the credential of the service. */
const needed: Record<string, string[]> = {
	'ai-link-manager': ['openAiApi'],
	'bulk-add-sites': ['httpBasicAuth'],
};

it.each(workflowNames)(
	'%s can be published right after its import with only the credential it needs, twice',
	async (name) => {
		for (let copy = 0; copy < 2; copy++) {
			const workflow = await world.editor.importWorkflow(
				name,
				{},
				[],
				['backlinkExchangeApi', ...(needed[name] ?? [])],
			);
			await workflow.publish();
			await workflow.unpublish();
		}
	},
);

it('gives an imported workflow an id of its own, whatever the file says', async () => {
	const text = JSON.stringify({ ...readWorkflow('watchdog-alert'), id: 'anIdOfTheFile123' });
	const file = { name: 'a.json', mimeType: 'application/json', buffer: Buffer.from(text) };
	const { id } = await importFile(file);
	expect(id).not.toBe('anIdOfTheFile123');
});
