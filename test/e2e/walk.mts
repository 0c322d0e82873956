/** The ways through README's five steps, for the test that walks them and for the pictures that are taken on the way. */
import type { Page } from 'playwright-core';

import type { DashboardScreen } from './dashboardScreen.mts';
import type { N8nScreen } from './n8nScreen.mts';

/** Called where there is something to look at. */
export type Look = (page: Page, name: string) => Promise<void>;

const acceptAction = 'Accept exchange offer (spends credits)';

/**
 * Step 1: in a new workflow, an offer chosen from the list is accepted.
 *
 * @returns the id of the offer
 */
export async function acceptByHand(n8n: N8nScreen, look: Look): Promise<string> {
	await n8n.newWorkflow();
	await n8n.choose('Trigger manually');
	await n8n.nextStep();
	await n8n.openBacklinkExchange();
	await n8n.choose(acceptAction);
	const [offer = ''] = await n8n.openOffers();
	await look(n8n.page, 'offers');
	const [id = ''] = offer.split(' · ');
	await n8n.chooseOffer(id);
	await n8n.executeStep();
	await n8n.output.getByText('accepted', { exact: true }).first().waitFor();
	await look(n8n.page, 'accepted');
	await n8n.closeStep();
	return id;
}

/** Step 2: in another workflow, all pending offers come in, and Max Accepts lets one of them through. */
export async function acceptByRule(n8n: N8nScreen, look: Look): Promise<void> {
	await n8n.newWorkflow();
	await n8n.choose('Trigger manually');
	await n8n.nextStep();
	await n8n.openBacklinkExchange();
	await n8n.choose('Get many exchanges');
	await n8n.select('Status', 'Pending');
	await n8n.executeStep();
	await n8n.output.getByText('pending', { exact: true }).first().waitFor();
	await look(n8n.page, 'pending');
	await n8n.closeStep();
	await n8n.nextStep();
	await n8n.openBacklinkExchange();
	await n8n.choose(acceptAction);
	await n8n.dragIntoExchange('id');
	await n8n.addOption('Max Accepts');
	await n8n.fill('Max Accepts', '1');
	await n8n.executeStep();
	await n8n.output.getByText('skipped', { exact: true }).first().waitFor();
	await look(n8n.page, 'one-accepted');
	await n8n.closeStep();
}

/** Step 3: a third workflow, whose trigger waits for a test event; the dashboard sends it. */
export async function receiveAlert(
	n8n: N8nScreen,
	dashboard: DashboardScreen,
	look: Look,
): Promise<void> {
	await n8n.newWorkflow();
	await n8n.openBacklinkExchange();
	await n8n.choose('On watchdog alert');
	await look(n8n.page, 'trigger');
	await n8n.listen();
	await look(n8n.page, 'listening');
	await dashboard.go('Webhooks');
	await dashboard.sendEventsTo('test', 'My workflow 3');
	const answer = await dashboard.sendTestEvent('watchdog.alert');
	if (!answer.includes('200')) throw new Error(`n8n answered ${answer}`);
	await look(dashboard.page, 'webhooks');
	await n8n.output.getByText('watchdog.alert', { exact: true }).first().waitFor();
	await look(n8n.page, 'alert');
}

/** Step 4: the third workflow is published, and the service sends its events there. */
export async function publishIt(
	n8n: N8nScreen,
	dashboard: DashboardScreen,
	look: Look,
): Promise<void> {
	await n8n.closeStep();
	await n8n.publish();
	await look(n8n.page, 'published');
	await dashboard.sendEventsTo('production', 'My workflow 3');
}

/** Step 5: an event makes an execution, beside that of step 3. */
export async function seeItRun(
	n8n: N8nScreen,
	dashboard: DashboardScreen,
	look: Look,
): Promise<void> {
	const answer = await dashboard.sendTestEvent('watchdog.alert');
	if (!answer.includes('200')) throw new Error(`n8n answered ${answer}`);
	await n8n.openExecutions();
	await n8n.page.getByText('Succeeded').nth(1).waitFor();
	await look(n8n.page, 'executions');
}
