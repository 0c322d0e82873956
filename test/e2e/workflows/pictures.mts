/** Takes a picture of each ready-made workflow in n8n's editor, for the documentation: node test/e2e/workflows/pictures.mts [name …] */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { workflowNames } from '../../../playground/n8n/workflowFiles.mts';
import { launchBrowser, openEditor } from '../browser.mts';
import { startWorld } from './world.mts';

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** The part of the page with all nodes and some room around them, in pixels. */
function around(boxes: Array<Box | null>): Box {
	const visible = boxes.filter((box) => box !== null);
	const room = 30;
	const x = Math.min(...visible.map((box) => box.x)) - room;
	const y = Math.min(...visible.map((box) => box.y)) - room;
	// The handle for a next step is beside them.
	const right = Math.max(...visible.map((box) => box.x + box.width)) + 2 * room;
	// The names are below the nodes.
	const bottom = Math.max(...visible.map((box) => box.y + box.height)) + 2 * room;
	return { x, y, width: right - x, height: bottom - y };
}

const folder = join(import.meta.dirname, '../../../docs/pictures/workflows');
const named = process.argv.slice(2);

mkdirSync(folder, { recursive: true });
const world = await startWorld();
// Without them, n8n marks the nodes.
await world.editor.addCredential('openAiApi', { apiKey: 'none', url: 'http://127.0.0.1' });
const browser = await launchBrowser();
try {
	const page = await openEditor(browser, world.n8n);
	// What is shown must be readable when it is fitted to a common screen.
	await page.setViewportSize({ width: 1440, height: 900 });
	for (const name of named.length > 0 ? named : workflowNames) {
		const workflow = await world.editor.importWorkflow(name);
		await page.goto(`${world.n8n.origin}/workflow/${workflow.id}`);
		await page.locator('.vue-flow__node').first().waitFor();
		// These lie over the workflow.
		const covers = '[data-test-id=execute-workflow-button], [data-test-id=canvas-controls]';
		await page.addStyleTag({
			content: `${covers}, [class*=executionButtons], .vue-flow__panel { visibility: hidden !important; }`,
		});
		await page.waitForTimeout(1500);
		await page.keyboard.press('1'); // zoom to fit
		await page.waitForTimeout(1000);
		const nodes = await page.locator('.vue-flow__node').all();
		const boxes = await Promise.all(nodes.map((node) => node.boundingBox()));
		await page.screenshot({ path: join(folder, `${name}.png`), clip: around(boxes) });
		console.log(`docs/pictures/workflows/${name}.png`);
	}
} finally {
	await browser.close();
	await world.close();
}
