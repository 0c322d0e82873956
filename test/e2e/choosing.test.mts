/** What a person chooses instead of typing: sites, severities, niches and exchanges of the account, in n8n's editor. */
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';

import type { WorkflowNode } from '../../playground/n8n/workflowFiles.mts';
import { useBrowser } from './browser.mts';
import { N8nScreen } from './n8nScreen.mts';
import { chain, node, serviceNode } from './nodes.mts';
import { useWorld } from './workflows/world.mts';

const world = useWorld({ isReset: false });
let n8n: N8nScreen;
let page: Page;
useBrowser(async (browser) => {
	n8n = await N8nScreen.sitDown(browser, world.n8n);
	({ page } = n8n);
});
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

const visible = (id: string): Locator => page.getByTestId(id).filter({ visible: true });

/** Opens the list in a field, types, and chooses the first entry. */
async function choose(field: number, typed: string): Promise<string> {
	await visible('rlc-input').nth(field).click();
	await visible('rlc-search').fill(typed);
	const entry = visible('rlc-item').filter({ hasText: typed }).first();
	await entry.waitFor();
	await page.waitForTimeout(500);
	await shoot(`list-${typed}`);
	const words = await entry.innerText();
	await entry.click();
	return words;
}

async function shoot(name: string): Promise<void> {
	if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });
}

async function open(name: string, nodes: WorkflowNode[]): Promise<string> {
	const { id } = await world.editor.create(chain(name, nodes));
	await page.goto(`${world.n8n.origin}/workflow/${id}`);
	return id;
}

/** What n8n has saved of a node, once it shows what the person did. */
async function saved(id: string, name: string): Promise<Record<string, unknown>> {
	const [row] = world.n8n.query(`SELECT nodes FROM workflow_entity WHERE id = '${id}'`);
	const nodes = JSON.parse(String(row?.nodes)) as WorkflowNode[];
	return nodes.find((each) => each.name === name)?.parameters ?? {};
}

it('sites and severities of the triggers, several of them, beside free entry', async () => {
	const polling = 'n8n-nodes-backlink-exchange.backlinkExchangePollingTrigger';
	const empty = { __rl: true, mode: 'list', value: '' };
	const filters = { sites: [empty], severities: [empty] };
	const id = await open('filters', [node('Trigger', polling, 1, { filters })]);
	await n8n.openStep('Trigger');
	await page.waitForTimeout(2000);
	await shoot('trigger');
	expect(await choose(0, 'critical')).toContain('critical');
	expect(await choose(1, 'tea')).toContain('tea.example');
	await shoot('trigger-chosen');
	await page.getByText('Add Site', { exact: true }).click();
	await shoot('trigger-added');
	expect(await choose(2, 'garden')).toContain('garden.example');
	await n8n.closeStep();
	await page.waitForTimeout(3000);
	console.log(JSON.stringify(await saved(id, 'Trigger')));
});

it('own sites, the site, the severity, the exchange and the niche of the action node', async () => {
	const empty = { __rl: true, mode: 'list', value: '' };
	const acceptMany = {
		resource: 'exchange',
		operation: 'acceptMany',
		options: { ownSites: [empty] },
	};
	const create = {
		resource: 'site',
		operation: 'create',
		url: 'https://new.example',
		niche: empty,
	};
	const events = {
		resource: 'watchdogEvent',
		operation: 'getAll',
		filters: { severity: empty, exchangeId: empty },
	};
	const many = { resource: 'exchange', operation: 'getAll', filters: { site: empty } };
	const steps = [acceptMany, create, events, many].map((parameters, index) => ({
		...serviceNode(parameters),
		name: `Step ${index}`,
	}));
	await open('steps', [node('Start', 'manualTrigger', 1), ...steps]);
	for (const [index, typed] of ['tea', 'garden', 'critical', 'garden'].entries()) {
		await n8n.openStep(`Step ${index}`);
		await page.waitForTimeout(1500);
		await shoot(`step-${index}`);
		expect(await choose(index === 2 ? 1 : 0, typed)).toContain(typed);
		await shoot(`step-${index}-chosen`);
		await n8n.closeStep();
	}
});
