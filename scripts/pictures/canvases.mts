/** Takes pictures of the ready-made workflows in n8n's editor. */
import type { Page } from 'playwright-core';

import { launchBrowser } from '../../test/e2e/browser.mts';
import { N8nScreen } from '../../test/e2e/editorPage.mts';
import { startWorld } from '../../test/e2e/workflows/environment.mts';

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * Imports the workflows into an n8n that has all credentials, and takes a picture of each.
 *
 * @param fileOf returns the path for the picture of a workflow
 */
export async function takeCanvases(
	names: string[],
	fileOf: (name: string) => string,
): Promise<void> {
	const world = await startWorld();
	// Without this credential, n8n marks the nodes.
	await world.editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
	await world.editor.addCredential('httpBearerAuth', { token: 'none' });
	await world.editor.addCredential('httpHeaderAuth', { name: 'API-OPR', value: 'none' });
	const browser = await launchBrowser();
	try {
		// The picture must be legible when it is fitted to a laptop.
		const { page } = await N8nScreen.create(browser, world.n8n);
		for (const name of names) {
			const workflow = await world.editor.importWorkflow(name);
			await page.goto(`${world.n8n.origin}/workflow/${workflow.id}`);
			await photograph(page, fileOf(name));
		}
	} finally {
		await browser.close();
		await world.close();
	}
}

/** Returns the area of the page with all nodes and a margin, in pixels. */
function boundingBox(boxes: Array<Box | null>): Box {
	const visible = boxes.filter((box) => box !== null);
	const room = 30;
	const x = Math.min(...visible.map((box) => box.x)) - room;
	const y = Math.min(...visible.map((box) => box.y)) - room;
	// Include the handle for a next node on the right.
	const right = Math.max(...visible.map((box) => box.x + box.width)) + 2 * room;
	// Include the names below the nodes.
	const bottom = Math.max(...visible.map((box) => box.y + box.height)) + 2 * room;
	return { x, y, width: right - x, height: bottom - y };
}

async function photograph(page: Page, file: string): Promise<void> {
	await page.locator('.vue-flow__node').first().waitFor();
	// These elements cover the workflow.
	const covers = '[data-test-id=execute-workflow-button], [data-test-id=canvas-controls]';
	await page.addStyleTag({
		content: `${covers}, [class*=executionButtons], .vue-flow__panel { visibility: hidden !important; }`,
	});
	await page.waitForTimeout(1500);
	await page.keyboard.press('1'); // zoom to fit
	await page.waitForTimeout(1000);
	const nodes = await page.locator('.vue-flow__node').all();
	const boxes = await Promise.all(nodes.map((node) => node.boundingBox()));
	await page.screenshot({ path: file, clip: boundingBox(boxes) });
}
