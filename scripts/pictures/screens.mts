/** Takes pictures of n8n's editor and of the sandbox's dashboard during README's tutorial. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { launchBrowser } from '../../test/e2e/browser.mts';
import { N8nScreen } from '../../test/e2e/editorPage.mts';
import { PlaygroundProcess } from '../../test/e2e/playgroundProcess.mts';
import { TestUser } from '../../test/e2e/testUser.mts';
import {
	acceptByRules,
	openOffers,
	type Show,
	showNewestEvent,
} from '../../test/e2e/tutorialSteps.mts';

/** Two partners whose offers are pending in the demo data. */
const partners = 'tent-talk.example, leaf-letters.example';

/**
 * Starts the playground, and takes the requested pictures.
 *
 * @param fileOf returns the path for a picture, or `undefined` if it isn't requested
 */
export async function takeScreens(fileOf: (name: string) => string | undefined): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-pictures-'));
	const playground = await PlaygroundProcess.prepare(join(folder, 'data'));
	const take: Show = async (page, name) => {
		const file = fileOf(name);
		if (file === undefined) return;
		// Hide the pointer, hover effects and temporary messages.
		await page.mouse.move(0, 0);
		await page.waitForTimeout(6000);
		await page.screenshot({ path: file });
	};
	const terminal = await playground.start();
	const browser = await launchBrowser();
	try {
		const person = await TestUser.create(browser);
		const n8n = await N8nScreen.open(person, terminal);
		await showNewestEvent(n8n, take);
		await acceptByRules(n8n, partners, take);
		await n8n.closeStep();
		// The offers of these partners have been accepted.
		await fetch(`${terminal.dashboardUrl}/control/offers`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count: 4 }),
		});
		await openOffers(n8n, take);
		await take(await person.open(`${terminal.dashboardUrl}/`), 'sandbox');
	} finally {
		await browser.close();
		await playground.stop();
		rmSync(folder, { recursive: true, force: true });
	}
}
