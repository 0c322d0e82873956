/**
 * The package as a person gets it: Settings, Community nodes, in the browser; found, used, updated, removed. The npm registry is one of our
 * own, behind a proxy; n8n needs no key and no licence for that. Once for each release that users may have, and once for
 * this code.
 */
import { join } from 'node:path';

import type { INodeTypeDescription } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { WorkflowFile } from '../../playground/n8n/workflowFiles.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { sharedFolder } from '../untilTheTestEnds.mts';
import { useBrowser } from './browser.mts';
import { everyOperation, offerOf } from './everyOperation.mts';
import { N8nScreen } from './n8nScreen.mts';
import { type NpmRegistry, startNpmRegistry } from './npmRegistry.mts';
import { publish } from './publish.mts';
import { RealN8n } from './realN8n.mts';
import { packNextRelease, packRelease, type Release, releases } from './releases.mts';
import { Editor, type Imported } from './workflows/editor.mts';

const name = 'n8n-nodes-backlink-exchange';
const secret = 'the webhook secret';
const apiKey = 'the-key-of-this-test';
/** The service's time: it stands still, so that the same requests get the same answers. */
const now = Date.parse('2026-07-01T12:00:00Z');

/** Of what starts n8n once more. */
const timeout = 600_000;

const folder = sharedFolder();
let registry: NpmRegistry;
let browser: Browser;
useBrowser(async (launched) => {
	browser = await Promise.resolve(launched);
});

const updates = [
	{ title: 'this code', prepare: async () => [await packRelease(join(folder, 'this'))] },
	...releases.map((release) => ({
		title: release.version,
		prepare: () => Promise.resolve([release]),
	})),
].map(({ title, prepare }) => ({
	title,
	prepare: async () => [...(await prepare()), await packNextRelease(folder)],
}));

describe.each(updates)('with $title installed', ({ prepare }) => {
	let previous: Release;
	let next: Release;
	let n8n: RealN8n;
	let page: Page;
	let editor: Editor;
	let workflow: Imported;
	/** The service, with an account that n8n has seen nothing of before it executes anything. */
	let account: Sandbox;
	let outputs: Record<string, unknown[]>;

	beforeAll(async () => {
		const [first, second] = await prepare();
		if (first === undefined || second === undefined) throw new Error('An update takes two.');
		[previous, next] = [first, second];
		registry = await startNpmRegistry();
		await publish(previous, registry);
		account = await startAccount();
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
		({ page } = await N8nScreen.sitDown(browser, n8n));
		editor = await Editor.open(n8n);
	}

	async function restart(): Promise<void> {
		await page.close();
		await n8n.stop();
		await n8n.start();
		await logIn();
	}

	let credential: { id: string; name: string };

	/** What Settings, Community nodes shows of the package. */
	const card = () =>
		page.locator('[data-test-id=community-package-card]').filter({ hasText: name });

	async function openSettings(): Promise<void> {
		await page.goto(`${n8n.origin}/settings/community-nodes`);
	}

	async function install(): Promise<void> {
		await openSettings();
		await page.getByRole('button', { name: 'Install' }).first().click();
		await page.locator('[data-test-id=package-name-input]').fill(name);
		await page.locator('[data-test-id=user-agreement-checkbox]').click();
		await page.locator('[data-test-id=install-community-package-button]').click();
		await card().waitFor({ timeout: 90_000 });
	}

	/** The package's nodes among what the node panel finds. */
	async function search(text: string): Promise<string[]> {
		await page.goto(`${n8n.origin}/workflow/${workflow.id}`);
		await page.locator('.vue-flow__node').first().waitFor();
		await page.locator('[data-test-id=node-creator-plus-button]').click();
		await page.locator('[data-test-id=node-creator-search-bar]').fill(text);
		await page.waitForTimeout(1500);
		const names = await page.locator('[data-test-id=node-creator-item-name]').allInnerTexts();
		return names.filter((each) => each.startsWith('Backlink Exchange')).sort();
	}

	/** Opens the workflow in the editor, and says what is not as it should be. */
	async function problemsInEditor(): Promise<string[]> {
		await page.goto(`${n8n.origin}/workflow/${workflow.id}`);
		const { nodes } = await workflow.read();
		const shown = () => page.locator('.vue-flow__node').count();
		await expect.poll(shown, { timeout: 60_000 }).toBe(nodes.length);
		await page.waitForTimeout(1500);
		const missing = await page.locator('[data-test-id=node-not-installed]').count();
		const marked = await page.locator('[data-test-id=node-issues]').count();
		return [
			...(missing > 0 ? [`${missing} nodes are not installed`] : []),
			...(marked > 0 ? [`${marked} nodes are marked`] : []),
		];
	}

	/** Executes every operation on another account like the one before, and returns what each put out. */
	async function execute(): Promise<Record<string, unknown[]>> {
		await account.close();
		account = await startAccount((await workflow.read()).nodes);
		const { id, name: called } = credential;
		await editor.request('PATCH', `/rest/credentials/${id}`, {
			name: called,
			type: 'backlinkExchangeApi',
			data: { baseUrl: account.baseUrl, apiKey, webhookSecret: secret },
		});
		// The polling trigger may start it at any time.
		const byHand = () => workflow.executions().filter(({ mode }) => mode === 'manual');
		const before = byHand().length;
		await workflow.start('Start');
		await expect.poll(() => byHand().length, { timeout: 60_000 }).toBe(before + 1);
		const { status, error, nodes } = byHand()[before] ?? {};
		expect({ status, error }).toEqual({ status: 'success', error: undefined });
		// The summary says since when it counts, which is seven days before n8n's clock.
		const lasting = (items: Array<Record<string, unknown>>) =>
			items.map((item) => ({ ...item, since: undefined }));
		return Object.fromEntries((nodes ?? []).map((node) => [node.name, lasting(node.items)]));
	}

	async function startAccount(nodes: WorkflowFile['nodes'] = []): Promise<Sandbox> {
		const limits = { perMinute: 1e6, perDay: 1e6 };
		const delivery = { backoffMilliseconds: [] };
		const clock = () => now;
		const sandbox = await startSandbox({ apiKey, limits, delivery, clock, credits: 1000 });
		sandbox.addSite({ url: 'https://own.example', niche: 'cars' });
		const { id: exchangeId } = sandbox.requestOffer({ id: 'exc_other' });
		for (const node of nodes) {
			if (node.parameters.exchangeId === undefined) continue;
			sandbox.requestOffer({ id: offerOf(node.name) });
		}
		sandbox.alert({ exchangeId });
		return sandbox;
	}

	/** Makes the service deliver an event to the webhook trigger, and returns what became of that. */
	async function deliver(): Promise<string | undefined> {
		account.setWebhook({ url: await n8n.webhookUrl(workflow.id), secret });
		account.requestOffer();
		await account.settled();
		return account.books.deliveries().at(-1)?.state;
	}

	it('is installed in the browser by its npm name, without a key or a licence', async () => {
		await install();
		expect(await card().innerText()).toContain(`v${previous.version}`);
	});

	it('a workflow with every operation runs, and receives events', async () => {
		const types = await page.evaluate(
			async (): Promise<unknown> => await (await fetch('/types/nodes.json')).json(),
		);
		const { baseUrl } = account;
		await editor.addCredential('backlinkExchangeApi', { baseUrl, apiKey, webhookSecret: secret });
		credential = editor.credential('backlinkExchangeApi');
		workflow = await editor.create(everyOperation(types as INodeTypeDescription[]));
		outputs = await execute();
		expect(Object.keys(outputs).length).toBeGreaterThan(14);
		expect(await problemsInEditor()).toEqual([]);
		await workflow.publish();
		expect(await deliver()).toBe('delivered');
	});

	it('is found by search, also after a restart', { timeout }, async () => {
		// n8n leaves out the word Trigger, and shows a trigger as one with the action node of the same name.
		const nodes = ['Backlink Exchange', 'Backlink Exchange Webhook'];
		expect(await search('backlink exchange')).toEqual(nodes);
		await restart();
		expect(await search('backlink exchange')).toEqual(nodes);
		expect(await deliver()).toBe('delivered');
		await openSettings();
		expect(await card().innerText()).toContain(`v${previous.version}`);
	});

	it(
		'is updated with a click; the workflow opens and runs as before, also after a restart',
		{ timeout },
		async () => {
			const { nodes: saved } = await workflow.read();
			await publish(next, registry);
			await openSettings();
			await card().getByRole('button', { name: 'Update' }).click();
			await page
				.getByRole('dialog')
				.getByRole('button', { name: /update/i })
				.click();
			await expect
				.poll(() => card().innerText(), { timeout: 90_000 })
				.toContain(`v${next.version}`);
			expect(await problemsInEditor()).toEqual([]);
			expect((await workflow.read()).nodes).toEqual(saved);
			expect(await execute()).toMatchObject(outputs);
			expect(await deliver()).toBe('delivered');
			await restart();
			expect(await problemsInEditor()).toEqual([]);
			expect(await deliver()).toBe('delivered');
		},
	);

	it('is removed with a click: the editor says which nodes are missing', async () => {
		await openSettings();
		await card().locator('[data-test-id=action-toggle]').click();
		await page.getByText('Uninstall package').click();
		await page
			.getByRole('dialog')
			.getByRole('button', { name: /uninstall/i })
			.click();
		await expect.poll(() => card().count(), { timeout: 90_000 }).toBe(0);
		expect(await problemsInEditor()).not.toEqual([]);
		expect(await search('backlink exchange')).toEqual([]);
	});

	it('is installed again, and the workflow runs as before', async () => {
		await install();
		expect(await problemsInEditor()).toEqual([]);
		expect(await execute()).toMatchObject(outputs);
	});
});
