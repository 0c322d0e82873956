/**
 * A user without JavaScript knowledge sets up a ready-made workflow in the browser, with her clicks
 * counted, and changes it only in the panels.
 */
import { expect, test } from 'vitest';

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

test('Watchdog alerts can be published with at most 12 clicks, and lets other alerts wait', async () => {
	const { page, person } = n8n;
	await n8n.importFile('watchdog-alerts');
	await n8n.openStep('Send to Slack');
	await person.click('Channel', page.getByTestId('rlc-input').first());
	await person.click('link-exchange', page.getByTestId('rlc-item').first());
	await n8n.closeStep();
	await n8n.publish();
	await expect.poll(() => saved().active).toBe(true);
	const { clicks } = person.done();
	console.log(`Watchdog alerts: ${clicks} clicks`);
	expect(clicks).toBeLessThanOrEqual(12);
	expect(saved().parametersOf('Send to Slack')).toMatchObject({ channelId: { value: 'C0LINKS' } });

	await page.reload();
	for (const [node, field] of [
		['Urgent alerts', 'Excluded Severities'],
		['Other alerts each morning', 'Severities'],
	] as const) {
		await n8n.openStep(node);
		await n8n.fill(field, 'info, high');
		await n8n.closeStep();
	}
	await expect
		.poll(() => saved().parametersOf('Urgent alerts'))
		.toMatchObject({ filters: { excludedSeverities: 'info, high' } });
	await expect
		.poll(() => saved().parametersOf('Other alerts each morning'))
		.toMatchObject({ filters: { severities: 'info, high' } });
}, 300_000);
