/**
 * The package as a user gets it, under Settings > Community nodes in the browser: found, used,
 * removed, installed again.
 *
 * The npm registry is a local one behind a proxy. n8n needs no key and no license for that.
 */
import type { INodeTypeDescription } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { packPackage } from '../../sandbox/start/n8n/packedPackage.mts';
import { sharedFolder } from '../fixtures.mts';
import { useBrowser } from './browser.mts';
import { N8nScreen } from './editorPage.mts';
import { everyOperation, getOffer } from './everyOperation.mts';
import { type NpmRegistry, startNpmRegistry } from './npmRegistry.mts';
import { RealN8n } from './realN8n.mts';
import { Editor, type Imported } from './workflows/editor.mts';

const name = 'n8n-nodes-backlink-exchange';
const secret = 'the webhook secret';
const apiKey = 'the-key-of-this-test';

const folder = sharedFolder();
let registry: NpmRegistry;
let browser: Browser;
let n8n: RealN8n;
let page: Page;
let editor: Editor;
let workflow: Imported;
let account: Sandbox;

useBrowser(async (launched) => {
	browser = await Promise.resolve(launched);
});

beforeAll(async () => {
	registry = await startNpmRegistry(await packPackage(folder, new AbortController().signal));
	account = await startSandbox({ apiKey, delivery: { backoffMilliseconds: [] }, credits: 1000 });
	account.addSite({ url: 'https://own.example', niche: 'cars' });
	n8n = await RealN8n.prepareEmpty(registry.environment);
	await n8n.start();
	await logIn();
});

afterAll(async () => {
	await n8n.remove();
	await account.close();
	await registry.close();
});

async function logIn(): Promise<void> {
	({ page } = await N8nScreen.create(browser, n8n));
	editor = await Editor.open(n8n);
}

/** The card of the package under Settings > Community nodes. */
const card = () => page.locator('[data-test-id=community-package-card]').filter({ hasText: name });

async function install(): Promise<void> {
	await page.goto(`${n8n.origin}/settings/community-nodes`);
	await page.getByRole('button', { name: 'Install' }).first().click();
	await page.locator('[data-test-id=package-name-input]').fill(name);
	await page.locator('[data-test-id=user-agreement-checkbox]').click();
	await page.locator('[data-test-id=install-community-package-button]').click();
	await card().waitFor({ timeout: 90_000 });
}

/**
 * Searches the node panel.
 *
 * @returns the names of the package's nodes among the results
 */
async function search(text: string): Promise<string[]> {
	await page.goto(`${n8n.origin}/workflow/${workflow.id}`);
	await page.locator('.vue-flow__node').first().waitFor();
	await page.locator('[data-test-id=node-creator-plus-button]').click();
	await page.locator('[data-test-id=node-creator-search-bar]').fill(text);
	await page.waitForTimeout(1500);
	const names = await page.locator('[data-test-id=node-creator-item-name]').allInnerTexts();
	return names.filter((each) => each.startsWith('Backlink Exchange')).sort();
}

/** Opens the workflow in the editor, and counts missing nodes and nodes with issues. */
async function marked(): Promise<{ missing: number; issues: number }> {
	await page.goto(`${n8n.origin}/workflow/${workflow.id}`);
	const { nodes } = await workflow.read();
	const shown = () => page.locator('.vue-flow__node').count();
	await expect.poll(shown, { timeout: 60_000 }).toBe(nodes.length);
	await page.waitForTimeout(1500);
	return {
		missing: await page.locator('[data-test-id=node-not-installed]').count(),
		issues: await page.locator('[data-test-id=node-issues]').count(),
	};
}

/**
 * Delivers an event to the webhook trigger.
 *
 * @returns the status of the execution
 */
async function deliver(): Promise<string | undefined> {
	account.change({ webhook: { url: await n8n.webhookUrl(workflow.id), secret } });
	account.requestOffer();
	await account.settled();
	return account.books.deliveries().at(-1)?.state;
}

test('installs in the browser by its npm name, without a key or a license', async () => {
	await install();
	expect(await card().innerText()).toContain('v0.1.0');
});

test('runs a workflow with every operation, and receives events', async () => {
	const types = await page.evaluate(
		async (): Promise<unknown> => await (await fetch('/types/nodes.json')).json(),
	);
	const { baseUrl } = account;
	await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey, webhookSecret: secret });
	workflow = await editor.create(everyOperation(types as INodeTypeDescription[]));
	const { nodes } = await workflow.read();
	for (const node of nodes) {
		if (node.parameters.exchangeId !== undefined) account.requestOffer({ id: getOffer(node.name) });
	}
	await workflow.start('Start');
	const execution = await workflow.finished(0);
	expect(execution).toMatchObject({ status: 'success' });
	expect(execution.nodes.length).toBeGreaterThan(14);
	expect(await marked()).toEqual({ missing: 0, issues: 0 });
	await workflow.publish();
	expect(await deliver()).toBe('delivered');
});

test('appears in the search results, also after a restart', { timeout: 600_000 }, async () => {
	// n8n drops the word Trigger, and merges a trigger with the action node of the same name.
	const found = ['Backlink Exchange', 'Backlink Exchange Webhook'];
	expect(await search('backlink exchange')).toEqual(found);
	await page.close();
	await n8n.stop();
	await n8n.start();
	await logIn();
	expect(await search('backlink exchange')).toEqual(found);
	expect(await deliver()).toBe('delivered');
});

test('removes with a click; the editor shows the missing nodes until it is installed again', async () => {
	await page.goto(`${n8n.origin}/settings/community-nodes`);
	await card().locator('[data-test-id=action-toggle]').click();
	await page.getByText('Uninstall package').click();
	await page
		.getByRole('dialog')
		.getByRole('button', { name: /uninstall/i })
		.click();
	await expect.poll(() => card().count(), { timeout: 90_000 }).toBe(0);
	expect((await marked()).missing).toBeGreaterThan(0);
	await install();
	expect(await marked()).toEqual({ missing: 0, issues: 0 });
});
