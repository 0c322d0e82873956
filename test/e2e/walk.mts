/** The ways through README's first workflow, for the test that walks them and for the pictures that are taken on the way. */
import type { Page } from 'playwright-core';

import { press } from './dashboardPage.mts';
import type { N8nScreen } from './n8nScreen.mts';

/** Called where there is something to see. */
export type Show = (page: Page, name: string) => Promise<void>;

const nobody: Show = () => Promise.resolve();

/** Step 1: in a new workflow, the polling trigger shows the newest event. */
export async function seeWhatHappened(n8n: N8nScreen, show = nobody): Promise<void> {
	await n8n.newWorkflow();
	await n8n.openNode('Backlink Exchange Polling');
	await n8n.choose('On watchdog alert');
	await n8n.fetchTestEvent();
	await n8n.output.getByText('eventKey').first().waitFor();
	await show(n8n.page, 'event');
}

/** Step 2: it is published; an alert in the dashboard makes an execution. */
export async function letItRun(n8n: N8nScreen, dashboard: Page): Promise<void> {
	await n8n.closeStep();
	await n8n.publish();
	await n8n.person.click('Got it', n8n.page.getByRole('button', { name: 'Got it' }));
	await press(dashboard, 'Critical alert');
	await n8n.openExecutions();
	await n8n.page.getByText('Succeeded').first().waitFor();
}

/** Step 3: in another workflow, pending offers are accepted by rules: first in dry run, then for real. */
export async function acceptByRules(n8n: N8nScreen, show: Show): Promise<void> {
	await n8n.newWorkflow();
	await n8n.choose('Trigger manually');
	await n8n.nextStep();
	await n8n.openNode('Backlink Exchange');
	await n8n.choose('Accept many exchange offers by rules (spends credits)');
	await n8n.select('Accept From', 'Anyone');
	await n8n.executeStep();
	await n8n.output.getByText('wouldAccept', { exact: true }).first().waitFor();
	await show(n8n.page, 'would-accept');
	await n8n.turn('Dry Run');
	await n8n.executeStep();
	await n8n.output.getByText('accepted', { exact: true }).first().waitFor();
	await show(n8n.page, 'accepted');
	await n8n.closeStep();
}

/** Beside the steps: the list of pending offers in the node that accepts one of them. */
export async function openOffers(n8n: N8nScreen, show: Show): Promise<void> {
	await n8n.newWorkflow();
	await n8n.choose('Trigger manually');
	await n8n.nextStep();
	await n8n.openNode('Backlink Exchange');
	await n8n.choose('Accept exchange offer (spends credits)');
	await n8n.openOffers();
	await show(n8n.page, 'offers');
}
