/**
 * Page object of n8n's editor.
 *
 * Where the screen shows only an icon, n8n's own test ID is used.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

import { readWorkflow, workflowPath } from '../../sandbox/start/n8n/workflowFiles.mts';
import { useBrowser } from './browser.mts';
import type { Login } from './realN8n.mts';
import { TestUser } from './testUser.mts';

export class N8nScreen {
	page!: Page;

	person!: TestUser;

	/** Opens the editor before the tests of a file. */
	static useIn(world: { n8n: { login: Login } }): N8nScreen {
		const screen = new N8nScreen();
		useBrowser(async (browser) => {
			Object.assign(screen, await N8nScreen.create(browser, world.n8n));
			screen.person.done();
		});
		return screen;
	}

	/** Opens the editor in a tab, and logs in. */
	static async open(person: TestUser, { editorUrl, email, password }: Login): Promise<N8nScreen> {
		const page = await person.open(editorUrl);
		await page.locator('input[name=emailOrLdapLoginId]').fill(email);
		await page.locator('input[type=password]').fill(password);
		await person.click('Sign in', page.getByRole('button', { name: 'Sign in' }));
		await page.waitForURL((url) => !url.pathname.includes('signin'));
		return Object.assign(new N8nScreen(), { person, page });
	}

	/** Opens the editor for a new user, with the window of a laptop. */
	static async create(browser: Browser, { login }: { login: Login }): Promise<N8nScreen> {
		const person = await TestUser.create(browser, { width: 1280, height: 800 });
		return await N8nScreen.open(person, login);
	}

	/** Imports a ready-made workflow from its file: menu, Import, From file. */
	async importFile(name: string): Promise<void> {
		await this.page.goto(new URL('/workflow/new', this.page.url()).href);
		await this.person.click('…', this.#part('workflow-menu'));
		await sleep(500);
		const chooser = this.page.waitForEvent('filechooser', { timeout: 60_000 });
		const entry = this.page.getByTestId('workflow-menu-item-import-from-file').first();
		if (!(await entry.isVisible())) {
			await this.person.click('Import', this.#part('workflow-menu-item-import'));
		}
		await this.person.click('From file…', entry);
		await (await chooser).setFiles(workflowPath(name));
		const nodes = this.page.locator('.vue-flow__node');
		await expect.poll(() => nodes.count()).toBe(readWorkflow(name).nodes.length);
	}

	/** Opens the settings of the workflow. */
	async openSettings(): Promise<void> {
		await this.person.click('…', this.#part('workflow-menu'));
		await this.person.click('Settings', this.#part('workflow-menu-item-settings'));
		await this.#part('workflow-settings-dialog').waitFor();
	}

	/** Closes the settings of the workflow by the keyboard. */
	async closeSettings(): Promise<void> {
		await this.person.press(this.page, 'Esc');
		await this.#part('workflow-settings-dialog').waitFor({ state: 'hidden' });
	}

	/** Opens a node on the canvas. */
	async openStep(name: string): Promise<void> {
		const node = this.page.locator(`[data-node-name="${name}"]`).first();
		// n8n sometimes moves the canvas when a node is closed.
		const { x = 0, width = 0 } = (await node.boundingBox()) ?? {};
		const isVisible = x > 0 && x + width < (this.page.viewportSize()?.width ?? 0);
		if (!isVisible) await this.person.click(undefined, this.#part('zoom-to-fit'));
		await this.person.doubleClick(name, node);
		await this.#part('ndv').waitFor();
	}

	/** Creates a workflow, from any page, by way of n8n's first page. */
	async newWorkflow(): Promise<void> {
		const create = this.page.getByRole('button', { name: 'Create workflow' }).first();
		if (!this.page.url().includes('/home')) {
			await this.person.click(undefined, this.#part('project-home-menu-item'));
		}
		await this.person.click('Create workflow', create);
		await this.person.click('Add first step…', this.#part('canvas-add-button'));
	}

	/** Opens the node panel to add a node after the last one. */
	async nextStep(): Promise<void> {
		await this.person.click('+', this.#part('canvas-handle-plus'));
	}

	/** Chooses an entry of the open list. */
	async choose(text: string): Promise<void> {
		await this.person.click(text, this.page.getByText(text, { exact: true }).first());
	}

	/** Searches the node panel, and opens the entry with this name. */
	async openNode(name: string, search = 'backlink'): Promise<void> {
		await this.person.type(this.page, search);
		// n8n draws the list a moment after the last keystroke.
		await this.page.waitForTimeout(1500);
		const names = this.page.getByTestId('node-creator-item-name');
		await this.person.click(name, names.getByText(name, { exact: true }).first());
	}

	/**
	 * Opens the list of pending offers.
	 *
	 * @returns its lines
	 */
	async openOffers(): Promise<string[]> {
		await this.person.click('Select a pending offer…', this.#part('rlc-input'));
		const items = this.page.getByTestId('rlc-item');
		await items.first().waitFor();
		return await items.allInnerTexts();
	}

	/** Chooses an option of a drop-down field. */
	async select(field: string, value: string): Promise<void> {
		await this.person.click(field, this.#field(field));
		const option = this.page.getByRole('option', { name: value }).filter({ visible: true });
		await this.person.click(value, option.first());
	}

	/** Turns a switch on or off. */
	async turn(field: string): Promise<void> {
		const control = this.#field(field).locator('.el-switch, [role=switch]');
		await this.person.click(field, control.first());
	}

	/** Types into a field. */
	async fill(field: string, value: string): Promise<void> {
		const text = this.#field(field).locator('input, textarea').first();
		await this.person.click(field, text);
		await text.fill(value);
	}

	/** Chooses a credential for the open node. */
	async chooseCredential(name: string): Promise<void> {
		await this.person.click('Credential', this.#part('node-credentials-select'));
		const option = this.page.getByRole('option', { name }).filter({ visible: true });
		await this.person.click(name, option.first());
	}

	/** Creates a credential for the open node, with these values by n8n's internal field name. */
	async createCredential(values: Record<string, string>): Promise<void> {
		const first = this.#part('node-credentials-empty-state');
		const another = this.#part('node-credentials-select');
		await first.or(another).waitFor();
		if (await first.isVisible()) await this.person.click('Connect to …', first);
		else {
			await this.person.click('Credential', another);
			await this.person.click(
				'Create new credential',
				this.#part('node-credentials-select-item-new'),
			);
		}
		const form = this.#part('editCredential-modal');
		for (const [field, value] of Object.entries(values)) {
			const text = form.getByTestId(field).locator('input').first();
			await this.person.click(field, text);
			await text.fill(value);
		}
		await this.person.click('Save', this.#part('credential-save-button'));
		await form.waitFor({ state: 'hidden' });
		// n8n chooses the credential for the node a moment after the dialog has closed.
		await another.waitFor();
	}

	/** Chooses the Slack channel of the open node from the list. */
	async chooseChannel(name: string): Promise<void> {
		await this.person.click('Select a channel…', this.#part('rlc-input'));
		const entry = this.page.getByTestId('rlc-item').getByText(name, { exact: true });
		await this.person.click(name, entry.first());
	}

	/**
	 * Presses Execute workflow, and waits for the end of the execution.
	 *
	 * @param message what n8n then shows
	 */
	async executeWorkflow(message = 'Workflow executed successfully'): Promise<void> {
		const end = this.page.getByText(message).first();
		// The message of an earlier execution disappears by itself.
		await end.waitFor({ state: 'hidden' });
		await this.person.click('Execute workflow', this.#part('execute-workflow-button'));
		await end.waitFor();
	}

	/** Adds an option to the open node. */
	async addOption(name: string): Promise<void> {
		await this.person.click('Add option', this.#part('collection-parameter-add'));
		const option = this.page.getByTestId('collection-parameter-option');
		await this.person.click(name, option.getByText(name, { exact: true }).first());
	}

	async executeStep(): Promise<void> {
		await this.person.click('Execute step', this.#part('node-execute-button'));
	}

	/** Presses Fetch Test Event: the trigger polls once. */
	async fetchTestEvent(): Promise<void> {
		await this.person.click('Fetch Test Event', this.#part('trigger-execute-button'));
	}

	/** The output panel of the open node. */
	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	async closeStep(): Promise<void> {
		await this.person.click('×', this.#part('ndv-close-button'));
		await this.#part('ndv').waitFor({ state: 'hidden' });
	}

	/** Closes the open node by the keyboard. */
	async leaveStep(): Promise<void> {
		await this.person.press(this.page, 'Esc');
		await this.#part('ndv').waitFor({ state: 'hidden' });
	}

	async publish(): Promise<void> {
		await this.person.click('Publish', this.#part('workflow-open-publish-modal-button'));
		await this.person.click('Publish', this.#part('workflow-publish-button'));
	}

	/** Closes the dialog that n8n shows after publishing. */
	async confirmPublished(): Promise<void> {
		await this.person.click('Got it', this.page.getByRole('button', { name: 'Got it' }));
	}

	/** Opens the list of the workflow's executions. */
	async openExecutions(): Promise<void> {
		await this.person.click('Executions', this.#part('radio-button-executions'));
	}

	#part(id: string): Locator {
		return this.page.getByTestId(id).filter({ visible: true }).first();
	}

	/**
	 * Returns a field by its label. n8n's test IDs contain its internal name: `Max Accepts` →
	 * `maxAccepts`.
	 */
	#field(label: string): Locator {
		const joined = label.replaceAll(' ', '');
		return this.#part(`parameter-input-${joined.charAt(0).toLowerCase()}${joined.slice(1)}`);
	}
}
