/** Steps of README's first workflows, for the tests and for the pictures of them. */
import type { Page } from 'playwright-core';

import type { N8nScreen } from './editorPage.mts';

/** Called at each step that a picture shows. */
export type Show = (page: Page, name: string) => Promise<void>;

const showNothing: Show = () => Promise.resolve();

/** Performs steps 1 to 6: the polling trigger of a new workflow shows the newest event. */
export async function showNewestEvent(n8n: N8nScreen, show = showNothing): Promise<void> {
	await n8n.newWorkflow();
	await findNode(n8n);
	await n8n.choose('On new alert');
	await n8n.fetchTestEvent();
	await n8n.output.getByText('eventKey').first().waitFor();
	await show(n8n.page, 'event');
	await n8n.leaveStep();
}

/** Performs steps 7 to 13: the workflow sends the event's message to Slack. */
export async function sendToSlack(n8n: N8nScreen): Promise<void> {
	const { page, person } = n8n;
	const part = (id: string) => page.getByTestId(id).filter({ visible: true }).first();
	await n8n.nextStep();
	await n8n.openNode('Slack', 'slack');
	await n8n.choose('Send a message');
	await person.click('Send Message To', part('parameter-input-select'));
	const channel = page.getByRole('option', { name: 'Channel' }).filter({ visible: true });
	await person.click('Channel', channel.first());
	await person.click(undefined, part('rlc-input'));
	await person.click(undefined, part('rlc-item'));
	const input = page.locator('[data-test-id$=input-panel]').first();
	const message = input.getByText('message', { exact: true }).first();
	const text = part('parameter-input-text');
	await person.drag('message', message, 'Message Text', text);
	await text.getByText('$json.message').waitFor();
	await n8n.closeStep();
}

/** Performs steps 14 and 15: publishes the workflow. */
export async function publish(n8n: N8nScreen): Promise<void> {
	await n8n.publish();
	await n8n.page.getByRole('button', { name: 'Got it' }).waitFor();
	await n8n.person.press(n8n.page, 'Esc');
}

/**
 * Builds another workflow that accepts pending offers by rules: first in a dry run, then for real.
 */
export async function acceptByRules(n8n: N8nScreen, show = showNothing): Promise<void> {
	const { page } = n8n;
	await n8n.newWorkflow();
	await findNode(n8n);
	await n8n.choose('Actions (10)');
	await n8n.choose('Accept offers by rules (spends credits)');
	await n8n.select('Accept From', 'Anyone');
	await n8n.executeStep();
	await n8n.output.getByText('wouldAccept', { exact: true }).first().waitFor();
	await show(page, 'would-accept');
	await n8n.turn('Dry Run');
	await n8n.executeStep();
	await n8n.output.getByText('accepted', { exact: true }).first().waitFor();
	await show(page, 'accepted');
}

/** Opens the list of pending offers in the node that accepts one of them. Not a step of README. */
export async function openOffers(n8n: N8nScreen, show: Show): Promise<void> {
	await n8n.newWorkflow();
	await n8n.choose('Trigger manually');
	await n8n.nextStep();
	await n8n.openNode('Backlink Exchange');
	await n8n.choose('Accept offer (spends credits)');
	await n8n.openOffers();
	await show(n8n.page, 'offers');
}

/** Opens the first search result, which has the events of the polling trigger and the actions. */
async function findNode({ page, person }: N8nScreen): Promise<void> {
	await person.type(page, 'backlink');
	await person.press(page, 'Enter');
}
