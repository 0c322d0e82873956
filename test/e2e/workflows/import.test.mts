/** Imports each ready-made workflow as a user does: in n8n's editor, from its file. */
import { beforeAll, expect, test } from 'vitest';

import { readWorkflow, workflowNames } from '../../../sandbox/start/n8n/workflowFiles.mts';
import { N8nScreen } from '../editorPage.mts';
import type { Imported } from './editor.mts';
import { useWorld } from './environment.mts';
import { preparePublishing } from './publishing.mts';

const world = useWorld({ isReset: false });
const n8n = N8nScreen.useIn(world);

let importFilledIn: (name: string) => Promise<Imported>;

beforeAll(async () => {
	importFilledIn = await preparePublishing(world.editor);
	await n8n.page.setViewportSize({ width: 1366, height: 768 });
});

/** Returns the nodes of the workflows that n8n has saved automatically, newest last. */
const saved = () =>
	world.n8n
		.query('SELECT nodes FROM workflow_entity ORDER BY createdAt')
		.map(({ nodes }) => JSON.parse(String(nodes)) as unknown[]);

/**
 * Imports a workflow.
 *
 * @returns its nodes, as n8n has saved them
 */
async function importFile(name: string): Promise<unknown[]> {
	const before = saved().length;
	await n8n.importFile(name);
	await expect.poll(() => saved().length).toBe(before + 1);
	return saved().at(-1) ?? [];
}

/** Returns n8n's notifications, except about credentials that it has chosen automatically. */
async function warnings(): Promise<string[]> {
	const messages = n8n.page.locator('.el-notification, .el-message, [role=alert]');
	const texts = await messages.allInnerTexts();
	return texts.filter((text) => !text.startsWith('Credentials auto-added'));
}

/** Returns n8n's reasons for marked nodes, such as missing or invalid values. */
async function marks(): Promise<string[]> {
	const texts: string[] = [];
	for (const mark of await n8n.page.locator('[data-test-id=node-issues]').all()) {
		await mark.hover();
		const tooltip = n8n.page.locator('[data-test-id=tooltip-content]');
		await tooltip.waitFor();
		texts.push(await tooltip.innerText());
		await n8n.page.mouse.move(0, 0);
		await tooltip.waitFor({ state: 'detached' });
	}
	return texts;
}

/** Returns the zoom factor of the canvas when it is fitted to the window of a laptop. */
async function fittedZoom(): Promise<number> {
	await n8n.page.locator('.vue-flow__pane').click({ position: { x: 5, y: 300 } });
	await n8n.page.keyboard.press('1');
	await n8n.page.waitForTimeout(1500);
	const style = await n8n.page.locator('.vue-flow__transformationpane').getAttribute('style');
	return Number(/scale\(([\d.]+)\)/.exec(style ?? '')?.[1]);
}

/** Returns the pixels below the text of each note, without zoom: negative if text is cut off. */
async function getRoomInNotes(zoom: number): Promise<Array<[note: string, pixels: number]>> {
	const room: Array<[string, number]> = [];
	for (const note of await n8n.page.locator('.vue-flow__node:has(h2, h3)').all()) {
		const end = note.locator('h2, h3, p, li').last();
		const [box, text] = [await note.boundingBox(), await end.boundingBox()];
		if (box === null || text === null) throw new Error('A note has no text.');
		const pixels = Math.round((box.y + box.height - text.y - text.height) / zoom);
		room.push([(await note.innerText()).slice(0, 40), pixels]);
	}
	return room;
}

/** With 11/14, no text of a note is smaller than 11 pixels; with 11/12, no text on the canvas. */
const minZoom: Record<string, number> = { 'offer-approval': 11 / 12 };

test.each(workflowNames)(
	'%s imports without a warning, and is legible on a laptop',
	async (name) => {
		const nodes = await importFile(name);
		expect(nodes.length).toBeGreaterThan(1);
		expect(await n8n.page.locator('[data-test-id=node-not-installed]').count()).toBe(0);
		// Values that only the user knows: channels, email addresses, tables and other workflows; and
		// credentials of other services, which n8n doesn't choose.
		const missing = active(name).filter(
			({ type, parameters }) =>
				type === 'n8n-nodes-base.slack' ||
				['channelId', 'dataTableId', 'workflowId'].some((each) =>
					isEmptyChoice(parameters[each]),
				) ||
				parameters.toEmail === '' ||
				'genericAuthType' in parameters,
		);
		expect(await marks()).toHaveLength(missing.length);
		expect(await warnings()).toEqual([]);
		const zoom = await fittedZoom();
		expect(zoom).toBeGreaterThanOrEqual(minZoom[name] ?? 11 / 14);
		const room = await getRoomInNotes(zoom);
		expect(room.length).toBeGreaterThan(1);
		expect(room.filter(([, pixels]) => pixels < 5 || pixels > 75)).toEqual([]);
	},
);

/** Checks whether a value to be chosen from a list isn't chosen. */
const isEmptyChoice = (value: unknown) => (value as { value?: unknown } | undefined)?.value === '';

/** Returns the nodes that are not deactivated. */
const active = (name: string) =>
	readWorkflow(name).nodes.filter(({ disabled }) => disabled !== true);

/** Triggers with a URL for other programs or users. */
const hasUrl = /\.(formTrigger|mcpTrigger|backlinkExchangeWebhookTrigger)"/;

test.each(workflowNames)('%s can be published twice once its values are set', async (name) => {
	for (let copy = 0; copy < 2; copy++) {
		const workflow = await importFilledIn(name);
		const addresses = () =>
			world.n8n.query(`SELECT 1 FROM webhook_entity WHERE workflowId = '${workflow.id}'`).length;
		// n8n responds before it has registered the URLs, and before it has released those that the
		// other copy needs.
		await workflow.publish();
		if (hasUrl.test(JSON.stringify(active(name)))) {
			await expect.poll(addresses).toBeGreaterThan(0);
		}
		await workflow.unpublish();
		await expect.poll(addresses).toBe(0);
	}
});
