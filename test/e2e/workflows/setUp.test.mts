/**
 * A user without JavaScript knowledge sets up a ready-made workflow in the browser, with her clicks
 * counted, and changes it only in the panels.
 */
import { expect, it } from 'vitest';

import type { WorkflowFile } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { N8nScreen } from '../editorPage.mts';
import { useWorld } from './environment.mts';

const world = useWorld({ isReset: false });
const n8n = N8nScreen.useIn(world);

/** Returns the newest workflow as n8n has saved it. */
function saved(): { active: boolean; parametersOf: (node: string) => object | undefined } {
	const [row] = world.n8n.query(
		'SELECT nodes, active FROM workflow_entity ORDER BY createdAt DESC LIMIT 1',
	);
	const nodes = JSON.parse(String(row?.nodes)) as WorkflowFile['nodes'];
	return {
		active: row?.active === 1,
		parametersOf: (node) => nodes.find(({ name }) => name === node)?.parameters,
	};
}

it('watchdog routing can be published with at most 20 clicks, and routes other severities', async () => {
	const { page, person } = n8n;
	await n8n.importFile('watchdog-routing');
	await n8n.openStep('Send to Slack');
	await person.click('Channel', page.getByTestId('rlc-input').first());
	await person.click('link-exchange', page.getByTestId('rlc-item').first());
	await n8n.closeStep();
	await n8n.openStep('Send the digest by email');
	await n8n.fill('From Email', 'n8n@example.com');
	await n8n.fill('To Email', 'me@example.com');
	await n8n.closeStep();
	await n8n.publish();
	await expect.poll(() => saved().active).toBe(true);
	const { clicks } = person.done();
	console.log(`watchdog routing: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(20);
	expect(saved().parametersOf('Send to Slack')).toMatchObject({ channelId: { value: 'C0LINKS' } });

	await page.reload();
	await n8n.openStep('Critical alert');
	await n8n.fill('Severities', 'critical, high');
	await n8n.closeStep();
	await expect
		.poll(() => saved().parametersOf('Critical alert'))
		.toMatchObject({ filters: { severities: 'critical, high' } });
}, 300_000);
