/** Steps in n8n's editor that several notes of ready-made workflows ask for. */
import type { Locator } from 'playwright-core';

import type { N8nScreen } from '../editorPage.mts';

/** Chooses the credential of a node, and opens and closes the node. */
export async function chooseCredential(n8n: N8nScreen, node: string, name: string): Promise<void> {
	await n8n.openStep(node);
	await n8n.chooseCredential(name);
	await n8n.closeStep();
}

/** Chooses the credential and the channel of a Slack node. */
export async function setUpSlack(n8n: N8nScreen, node: string, credential: string): Promise<void> {
	await n8n.openStep(node);
	await n8n.chooseCredential(credential);
	await n8n.chooseChannel('link-exchange');
	await n8n.closeStep();
}

/** Chooses an entry of the open node's list, such as a table or a workflow. */
export async function chooseFromList(n8n: N8nScreen, node: string, entry: string): Promise<void> {
	await n8n.openStep(node);
	await n8n.person.click('Choose…', part(n8n, 'rlc-input'));
	const entries = n8n.page.getByTestId('rlc-item').getByText(entry, { exact: true });
	await n8n.person.click(entry, entries.first());
	await n8n.closeStep();
}

/** Activates or deactivates a node with the button above it. */
export async function toggleNode({ page, person }: N8nScreen, name: string): Promise<void> {
	const node = page.locator(`[data-node-name="${name}"]`).first();
	await node.hover();
	await person.click(undefined, node.getByTestId('disable-node-button'));
}

/**
 * Copies the production URL of the open trigger.
 *
 * @returns the clipboard
 */
export async function copyProductionUrl(n8n: N8nScreen): Promise<string> {
	const { page, person } = n8n;
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	const production = part(n8n, 'ndv').getByText('Production URL', { exact: true });
	if (!(await production.isVisible())) {
		await person.click('Webhook URLs', part(n8n, 'ndv').getByText('Webhook URLs'));
	}
	await person.click('Production URL', production);
	await person.click(undefined, part(n8n, 'ndv').locator('.webhook-url'));
	return await page.evaluate<string>('navigator.clipboard.readText()');
}

/** Enters a webhook secret in the credential of the open node. */
export async function enterSecret(n8n: N8nScreen, secret: string): Promise<void> {
	const form = part(n8n, 'editCredential-modal');
	await n8n.person.click(undefined, part(n8n, 'credential-edit-button'));
	await n8n.fill('Webhook Secret', secret);
	await n8n.person.click('Save', part(n8n, 'credential-save-button'));
	await form.getByText('Saved', { exact: true }).waitFor();
	const close = form.getByRole('button', { name: /close/i }).or(form.locator('.el-dialog__close'));
	await n8n.person.click('×', close.first());
	await form.waitFor({ state: 'hidden' });
}

/** Creates and publishes a workflow that other workflows can start with any data. */
export async function createCalledWorkflow(n8n: N8nScreen): Promise<void> {
	await n8n.newWorkflow();
	await n8n.choose('When executed by another workflow');
	const mode = part(n8n, 'parameter-input-inputSource');
	await n8n.person.click('Input data mode', mode);
	const option = n8n.page.getByRole('option', { name: 'Accept all data' });
	await n8n.person.click('Accept all data', option.filter({ visible: true }).first());
	await n8n.closeStep();
	await n8n.publish();
	await n8n.confirmPublished();
}

/** Opens a saved workflow from any page, by way of n8n's first page. */
export async function openWorkflow(n8n: N8nScreen, name: string): Promise<void> {
	await n8n.person.click(undefined, part(n8n, 'project-home-menu-item'));
	const names = n8n.page.getByTestId('workflow-card-name').getByText(name, { exact: true });
	await n8n.person.click(name, names.first());
	await part(n8n, 'canvas-wrapper').waitFor();
}

/** Opens a workflow from n8n's first page, and chooses its error workflow in its settings. */
export async function chooseErrorWorkflow(
	n8n: N8nScreen,
	name: string,
	errorWorkflow: string,
): Promise<void> {
	const { page, person } = n8n;
	await openWorkflow(n8n, name);
	await n8n.openSettings();
	await person.click('Error Workflow', part(n8n, 'workflow-settings-error-workflow'));
	const option = page.getByRole('option', { name: errorWorkflow, exact: true });
	await person.click(errorWorkflow, option.filter({ visible: true }).first());
	const save = part(n8n, 'workflow-settings-save-button').getByRole('button');
	await person.click('Save', save);
	await part(n8n, 'workflow-settings-dialog').waitFor({ state: 'hidden' });
}

/** Sends a message in the editor's chat, and waits for the answer. */
export async function askInChat(n8n: N8nScreen, question: string, answer: string): Promise<void> {
	const { page, person } = n8n;
	const chat = part(n8n, 'canvas-chat');
	const input = chat.locator('textarea');
	if (!(await input.isVisible())) {
		await person.click('Open chat', part(n8n, 'workflow-chat-button'));
	}
	await input.fill(question);
	await person.press(page, 'Enter');
	await chat.getByText(answer).last().waitFor();
}

/** Returns the visible element with n8n's test ID. */
function part({ page }: N8nScreen, id: string): Locator {
	return page.getByTestId(id).filter({ visible: true }).first();
}
