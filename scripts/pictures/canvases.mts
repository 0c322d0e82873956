/** Takes pictures of README's first workflow and the ready-made workflows in n8n's editor. */
import type { Page } from 'playwright-core';

import { launchBrowser } from '../../test/e2e/browser.mts';
import { N8nScreen } from '../../test/e2e/editorPage.mts';
import type { Editor, Imported } from '../../test/e2e/workflows/editor.mts';
import { startWorld } from '../../test/e2e/workflows/environment.mts';

/** Name of the picture of README's first workflow, which is in no file. */
export const twoNodes = 'two-nodes';

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * Creates the workflows in an n8n that has all credentials, and takes a picture of each.
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
			const isSmall = name === twoNodes;
			const { id } = isSmall
				? await createTwoNodes(world.editor)
				: await world.editor.importWorkflow(name);
			await page.goto(`${world.n8n.origin}/workflow/${id}`);
			await photograph(page, fileOf(name), isSmall);
		}
	} finally {
		await browser.close();
		await world.close();
	}
}

/** Creates README's first workflow as a user does in the editor: each alert goes to Slack. */
async function createTwoNodes(editor: Editor): Promise<Imported> {
	return await editor.create({
		name: 'My workflow',
		nodes: [
			{
				id: 'trigger',
				name: 'Backlink Exchange Trigger',
				type: 'n8n-nodes-backlink-exchange.backlinkExchangeTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: { events: ['watchdog.alert'] },
			},
			{
				id: 'slack',
				name: 'Send a message',
				type: 'n8n-nodes-base.slack',
				typeVersion: 2.3,
				position: [208, 0],
				parameters: {
					select: 'channel',
					channelId: { __rl: true, mode: 'id', value: 'C0LINKS' },
					text: '={{ $json.message }}',
				},
			},
		],
		connections: {
			'Backlink Exchange Trigger': { main: [[{ node: 'Send a message', type: 'main', index: 0 }]] },
		},
		settings: { executionOrder: 'v1' },
	});
}

/** Distance of a picture's edges from the nodes, in pixels. */
interface Margin {
	top: number;
	sides: number;
	/** Includes the names below the nodes. */
	bottom: number;
}

const margin: Margin = { top: 30, sides: 30, bottom: 60 };
/** README shows this picture above its first command, so it is low. */
const smallMargin: Margin = { top: 8, sides: 50, bottom: 62 };

/** Returns the area of the page with all nodes and a margin, in pixels. */
function boundingBox(boxes: Array<Box | null>, { top, sides, bottom }: Margin): Box {
	const visible = boxes.filter((box) => box !== null);
	const x = Math.min(...visible.map((box) => box.x)) - sides;
	const y = Math.min(...visible.map((box) => box.y)) - top;
	// Include the handle for a next node on the right.
	const right = Math.max(...visible.map((box) => box.x + box.width)) + Math.max(sides, 70);
	const end = Math.max(...visible.map((box) => box.y + box.height)) + bottom;
	return { x, y, width: right - x, height: end - y };
}

async function photograph(page: Page, file: string, isSmall: boolean): Promise<void> {
	await page.locator('.vue-flow__node').first().waitFor();
	// These elements cover the workflow.
	const covers = '[data-test-id=execute-workflow-button], [data-test-id=canvas-controls]';
	await page.addStyleTag({
		content: `${covers}, [class*=executionButtons], [class*=nodeButtons], .vue-flow__panel { visibility: hidden !important; }`,
	});
	await page.waitForTimeout(1500);
	await page.keyboard.press('1'); // zoom to fit
	if (isSmall) await page.keyboard.press('-'); // zoom out
	await page.waitForTimeout(1000);
	const nodes = await page.locator('.vue-flow__node').all();
	const boxes = await Promise.all(nodes.map((node) => node.boundingBox()));
	await page.screenshot({ path: file, clip: boundingBox(boxes, isSmall ? smallMargin : margin) });
}
