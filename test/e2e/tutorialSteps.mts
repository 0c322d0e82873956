/** Steps of the lessons in the docs, for the tests and for the pictures of them. */
import type { Page } from 'playwright-core';

import type { N8nScreen } from './editorPage.mts';

/** Called at each step that a picture shows. */
export type Show = (page: Page, name: string) => Promise<void>;

const showNothing: Show = () => Promise.resolve();

/** Performs steps 1 and 2 of README: the trigger of a new workflow shows the newest event. */
export async function showNewestEvent(n8n: N8nScreen, show = showNothing): Promise<void> {
	await n8n.newWorkflow();
	await findNode(n8n);
	await n8n.choose('On new alert');
	await n8n.fetchTestEvent();
	await n8n.output.getByText('eventKey').first().waitFor();
	await show(n8n.page, 'event');
	await n8n.leaveStep();
}

/** Performs steps 3 to 5 of README: the workflow sends the event's message to Slack. */
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

/** Performs step 6 of README: publishes the workflow. */
export async function publish(n8n: N8nScreen): Promise<void> {
	await n8n.publish();
	await n8n.page.getByRole('button', { name: 'Got it' }).waitFor();
	await n8n.person.press(n8n.page, 'Esc');
}

/**
 * Performs the lesson of docs/accepting-offers.md: a new workflow accepts the pending offers of
 * these partners, first in dry runs, then for real.
 */
export async function acceptByRules(
	n8n: N8nScreen,
	partners: string,
	show = showNothing,
): Promise<void> {
	const { page } = n8n;
	const run = async (outcome: string) => {
		await n8n.executeStep();
		await n8n.output.getByText(outcome, { exact: true }).first().waitFor();
	};
	await n8n.newWorkflow();
	await findNode(n8n);
	await n8n.choose('Actions (10)');
	await n8n.choose('Accept offers by rules (spends credits)');
	await run('needsReview');
	await n8n.fill('Allowed Partners', partners);
	await run('wouldAccept');
	await show(page, 'would-accept');
	await n8n.turn('Dry Run');
	await run('accepted');
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
