/** Somebody without JavaScript sets up a ready-made workflow in the browser, counting her clicks, and changes it in the panels alone. */
import { describe, expect, it } from 'vitest';

import type { WorkflowFile } from '../../../playground/n8n/workflowFiles.mts';
import { useBrowser } from '../browser.mts';
import { N8nScreen } from '../n8nScreen.mts';
import { useWorld } from './world.mts';

const world = useWorld({ isReset: false });
let n8n: N8nScreen;
useBrowser(async (browser) => {
	n8n = await N8nScreen.sitDown(browser, world.n8n);
	n8n.person.done();
});

/** What n8n has saved of the newest workflow. */
function saved(): Pick<WorkflowFile, 'nodes'> & { active: boolean } {
	const [row] = world.n8n.query(
		'SELECT nodes, active FROM workflow_entity ORDER BY createdAt DESC LIMIT 1',
	);
	return {
		nodes: JSON.parse(String(row?.nodes)) as WorkflowFile['nodes'],
		active: row?.active === 1,
	};
}

const parametersOf = (name: string) => saved().nodes.find((node) => node.name === name)?.parameters;

async function chooseChannel(step: string): Promise<void> {
	await n8n.openStep(step);
	const { page, person } = n8n;
	await person.click('Channel', page.getByTestId('rlc-input').first());
	await person.click('link-exchange', page.getByTestId('rlc-item').first());
	await n8n.closeStep();
}

/** How many clicks it took since the last time. */
async function publish(): Promise<number> {
	await n8n.publish();
	await expect.poll(() => saved().active).toBe(true);
	return n8n.person.done().clicks;
}

describe('watchdog routing', { timeout: 300_000 }, () => {
	it('is imported, set up and published with at most 20 clicks', async () => {
		await n8n.importFile('watchdog-routing');
		await chooseChannel('Send to Slack');
		await n8n.openStep('Send the digest by email');
		await n8n.fill('From Email', 'n8n@example.com');
		await n8n.fill('To Email', 'me@example.com');
		await n8n.closeStep();
		const count = await publish();
		console.log(`watchdog routing: ${count} clicks`);
		expect(count).toBeLessThanOrEqual(20);
		expect(parametersOf('Send to Slack')).toMatchObject({ channelId: { value: 'C0LINKS' } });
	});

	it('routes other severities after a change in the panel alone', async () => {
		await n8n.page.reload();
		await n8n.openStep('Critical alert');
		await n8n.fillRow('critical, high');
		await n8n.closeStep();
		await expect
			.poll(() => parametersOf('Critical alert')?.filters)
			.toMatchObject({ severities: [{ mode: 'name', value: 'critical, high' }] });
		n8n.person.done();
	});
});

describe('scheduled auto-accept', { timeout: 300_000 }, () => {
	it('is imported, set up and published with at most 20 clicks', async () => {
		await n8n.importFile('scheduled-auto-accept');
		await chooseChannel('Send to Slack');
		await n8n.openStep('Accept by rules');
		await n8n.fill('Allowed Partners', 'partner.example');
		await n8n.turn('Dry Run');
		await n8n.closeStep();
		const count = await publish();
		console.log(`scheduled auto-accept: ${count} clicks`);
		expect(count).toBeLessThanOrEqual(20);
		expect(parametersOf('Accept by rules')).toMatchObject({
			allowedPartners: 'partner.example',
			dryRun: false,
		});
	});

	it('follows another rule after a change in the panel alone', async () => {
		await n8n.page.reload();
		await n8n.openStep('Accept by rules');
		await n8n.fill('Refused Anchor Words', 'casino, poker');
		await n8n.closeStep();
		await expect
			.poll(() => parametersOf('Accept by rules')?.options)
			.toMatchObject({ refusedAnchorWords: 'casino, poker' });
	});
});
