import type { Page } from 'playwright-core';
import { beforeAll, it } from 'vitest';
import { useBrowser } from './browser.mts';
import { N8nScreen } from './n8nScreen.mts';
import { chain, node, serviceNode } from './nodes.mts';
import { useWorld } from './workflows/world.mts';
const world = useWorld({ isReset: false });
let n8n: N8nScreen; let page: Page;
useBrowser(async (browser) => { n8n = await N8nScreen.sitDown(browser, world.n8n); ({ page } = n8n); });
beforeAll(() => { for (const name of ['tea','garden']) { world.sandbox.addSite({url:`https://${name}.example`, niche: name}); world.sandbox.requestOffer({anchor: name}); } });
const cases: Array<[string, object]> = [
	['Accept', { resource: 'exchange', operation: 'accept' }],
	['Accept Many', { resource: 'exchange', operation: 'acceptMany' }],
	['Create Many', { resource: 'site', operation: 'createMany', sites: 'blog.example, tea\nhttps://b.example;garden\nno niche' }],
];
it('panels', async () => {
	for (const [name, parameters] of cases) {
		const { id } = await world.editor.create(chain(name, [node('Manual', 'manualTrigger', 1), serviceNode(parameters as never)]));
		await page.goto(`${world.n8n.origin}/workflow/${id}`);
		await page.waitForTimeout(3000);
		await page.screenshot({ path: `/tmp/team/shot-${name.replace(' ','')}-canvas.png` });
		await page.getByText('Service', { exact: true }).last().dblclick();
		await page.waitForTimeout(2500);
		await page.screenshot({ path: `/tmp/team/shot-${name.replace(' ','')}.png` });
		if (name !== 'Accept') {
			const button = page.getByTestId('node-execute-button').first();
			await button.click().catch(() => undefined);
			await page.waitForTimeout(5000);
			await page.screenshot({ path: `/tmp/team/shot-${name.replace(' ','')}-run.png` });
		}
	}
}, 300_000);
