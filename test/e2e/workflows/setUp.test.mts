/** Somebody without JavaScript sets up a ready-made workflow in the browser, counting her clicks, and changes it in the panels alone. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import {
	readWorkflow,
	type WorkflowFile,
	workflowPath,
} from '../../../playground/n8n/workflowFiles.mts';
import { launchBrowser, openEditor } from '../browser.mts';
import { Person } from '../person.mts';
import { useWorld } from './world.mts';

const world = useWorld({ isReset: false });
let browser: Browser;
let person: Person;
let page: Page;

beforeAll(async () => {
	browser = await launchBrowser();
	person = await Person.sitDown(browser);
	page = await openEditor(browser, world.n8n);
	await page.setViewportSize({ width: 1280, height: 800 });
});

afterAll(async () => {
	await browser.close();
});

const part = (id: string) => page.locator(`[data-test-id=${id}]`).filter({ visible: true }).first();
const named = (name: string) => page.locator(`[data-node-name="${name}"]`).first();

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

/** Menu, Import, From file. */
async function importFile(name: string): Promise<void> {
	await page.goto(`${world.n8n.origin}/workflow/new`);
	await part('workflow-menu').click();
	person.clicks.push('…');
	await page.waitForTimeout(500);
	const chooser = page.waitForEvent('filechooser', { timeout: 60_000 });
	const entry = page.locator('[data-test-id=workflow-menu-item-import-from-file]').first();
	if (!(await entry.isVisible())) {
		await page.locator('[data-test-id=workflow-menu-item-import]').first().click();
		person.clicks.push('Import');
	}
	await person.click('From file…', entry);
	await (await chooser).setFiles(workflowPath(name));
	await expect
		.poll(() => page.locator('.vue-flow__node').count())
		.toBe(readWorkflow(name).nodes.length);
}

async function open(node: string): Promise<void> {
	await named(node).dblclick();
	person.clicks.push(node, node);
	await part('ndv').waitFor();
}

async function close(): Promise<void> {
	await person.click('×', part('ndv-close-button'));
	await part('ndv').waitFor({ state: 'hidden' });
}

async function chooseChannel(node: string): Promise<void> {
	await open(node);
	await person.click('Channel', part('rlc-input'));
	await person.click('link-exchange', page.locator('[data-test-id=rlc-item]').first());
	await close();
}

async function fill(field: string, value: string): Promise<void> {
	const input = part(`parameter-input-${field}`).locator('input, textarea').first();
	await person.click(field, input);
	await input.fill(value);
}

async function publish(): Promise<void> {
	await person.click('Publish', part('workflow-open-publish-modal-button'));
	await person.click('Publish', part('workflow-publish-button'));
	await expect.poll(() => saved().active).toBe(true);
}

/** The clicks since the last time. */
function clicks(): number {
	return person.clicks.splice(0).length;
}

describe('watchdog routing', { timeout: 300_000 }, () => {
	it('is imported, set up and published with at most 20 clicks', async () => {
		await importFile('watchdog-routing');
		await chooseChannel('Send to Slack');
		await open('Send the digest by email');
		await fill('fromEmail', 'n8n@example.com');
		await fill('toEmail', 'me@example.com');
		await close();
		await publish();
		const count = clicks();
		console.log(`watchdog routing: ${count} clicks`);
		expect(count).toBeLessThanOrEqual(20);
		expect(parametersOf('Send to Slack')).toMatchObject({ channelId: { value: 'C0LINKS' } });
	});

	it('routes other severities after a change in the panel alone', async () => {
		await page.reload();
		await open('Critical alert');
		await fill('severities', 'critical, high');
		await close();
		await expect
			.poll(() => parametersOf('Critical alert')?.filters)
			.toMatchObject({ severities: 'critical, high' });
		clicks();
	});
});

describe('scheduled auto-accept', { timeout: 300_000 }, () => {
	it('is imported, set up and published with at most 20 clicks', async () => {
		await importFile('scheduled-auto-accept');
		await chooseChannel('Send to Slack');
		await open('Accept by rules');
		await fill('allowedPartners', 'partner.example');
		await person.click(
			'Dry Run',
			part('parameter-input-dryRun').locator('[role=switch], .el-switch').first(),
		);
		await close();
		await publish();
		const count = clicks();
		console.log(`scheduled auto-accept: ${count} clicks`);
		expect(count).toBeLessThanOrEqual(20);
		expect(parametersOf('Accept by rules')).toMatchObject({
			allowedPartners: 'partner.example',
			dryRun: false,
		});
	});

	it('follows another rule after a change in the panel alone', async () => {
		await page.reload();
		await open('Accept by rules');
		await fill('refusedAnchorWords', 'casino, poker');
		await close();
		await expect
			.poll(() => parametersOf('Accept by rules')?.options)
			.toMatchObject({ refusedAnchorWords: 'casino, poker' });
	});
});
