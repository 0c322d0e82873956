/**
 * Lists in n8n's editor, from which a user chooses sites, severities, niches and exchanges of the
 * account.
 */
import type { Locator } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';

import type { WorkflowNode } from '../../sandbox/start/n8n/workflowFiles.mts';
import { N8nScreen } from './editorPage.mts';
import { chain, node, serviceNode } from './nodes.mts';
import { useWorld } from './workflows/environment.mts';

/** A field that was added, without a value. */
const empty = { __rl: true, mode: 'list', value: '' };
const alerts = { resource: 'watchdogEvent', operation: 'getAll' };

const world = useWorld({ isReset: false });
const n8n = N8nScreen.useIn(world);
beforeAll(() => {
	const { sandbox } = world;
	for (const name of ['tea', 'garden']) {
		sandbox.addSite({ url: `https://${name}.example`, niche: name });
	}
	const offer = sandbox.requestOffer();
	sandbox.accept(offer.id);
	sandbox.publish(offer.id);
	sandbox.alert({ exchangeId: offer.id, severity: 'critical' });
});

const visible = (id: string): Locator => n8n.page.getByTestId(id).filter({ visible: true });

/**
 * Opens the list in a field, types, and chooses the first entry.
 *
 * @returns its text
 */
async function choose(field: number, typed: string): Promise<string> {
	await visible('rlc-input').nth(field).click();
	await visible('rlc-search').fill(typed);
	const entry = visible('rlc-item').filter({ hasText: typed }).first();
	await entry.waitFor();
	await n8n.page.waitForTimeout(500);
	const text = await entry.innerText();
	await entry.click();
	return text;
}

/** Opens the list of a field for several values, and selects these entries. */
async function select(field: string, entries: string[]): Promise<void> {
	// n8n loads the entries after the field appears.
	await n8n.page.waitForTimeout(3000);
	await visible(`parameter-input-${field}`).first().click();
	for (const text of entries) {
		const entry = n8n.page.getByRole('option', { name: text }).filter({ visible: true }).first();
		await entry.waitFor();
		await entry.click();
	}
	await n8n.page.keyboard.press('Tab');
}

async function open(name: string, nodes: WorkflowNode[]): Promise<string> {
	const { id } = await world.editor.create(chain(name, nodes));
	await n8n.page.goto(`${world.n8n.origin}/workflow/${id}`);
	return id;
}

/** Returns the first node as n8n has saved it. */
function saved(id: string): Record<string, unknown> | undefined {
	const [row] = world.n8n.query(`SELECT nodes FROM workflow_entity WHERE id = '${id}'`);
	return (JSON.parse(String(row?.nodes)) as WorkflowNode[])[0]?.parameters;
}

test('lists sites in the triggers, where several of them are allowed', async () => {
	const polling = 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger';
	const id = await open('filters', [node('Trigger', polling, 1, {})]);
	await n8n.openStep('Trigger');
	await visible('collection-parameter-add').first().click();
	await visible('collection-parameter-option').filter({ hasText: 'Sites' }).first().click();
	await select('sites', ['tea.example', 'garden.example']);
	await n8n.closeStep();
	const sites = ['https://tea.example', 'https://garden.example'];
	await expect.poll(() => saved(id)?.filters).toMatchObject({ sites });
});

test.each([
	['a site', { operation: 'getAll', filters: { site: empty } }, 'garden'],
	['a niche', { resource: 'site', operation: 'create', niche: empty }, 'garden'],
	['a severity', { ...alerts, filters: { severity: empty } }, 'critical'],
	['the exchange of an alert', { ...alerts, filters: { exchangeId: empty } }, '(live)'],
])('lists in the action node: %s', async (name, parameters, typed) => {
	const id = await open(name, [serviceNode({ resource: 'exchange', ...parameters })]);
	await n8n.openStep('Service');
	expect(await choose(0, typed)).toContain(typed);
	await n8n.closeStep();
	await expect.poll(() => JSON.stringify(saved(id))).toContain('cachedResultName');
});

test('keeps a site that is not in the list of Accept Many, without a warning', async () => {
	const yourSites = ['https://elsewhere.example'];
	const rules = { resource: 'exchange', operation: 'acceptMany', rules: { yourSites } };
	const id = await open('your sites', [serviceNode(rules)]);
	await n8n.openStep('Service');
	await select('yourSites', ['tea.example']);
	expect(await visible('parameter-issues').count()).toBe(0);
	await n8n.closeStep();
	const chosen = [...yourSites, 'https://tea.example'];
	await expect.poll(() => saved(id)?.rules).toMatchObject({ yourSites: chosen });
});
