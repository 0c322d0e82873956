import { dirname } from 'node:path';

import { type Browser, chromium, type Page } from 'playwright-core';

import { openDataFolder } from '../../playground/n8n/secrets.mts';
import type { RealN8n } from './realN8n.mts';

/** Starts the Chromium at CHROMIUM_PATH, or the one that Debian and Ubuntu install. Chromium sends no requests of its own. */
export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({
		executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
}

/** A page of n8n's editor, with its owner logged in. */
export async function openEditor(browser: Browser, n8n: RealN8n): Promise<Page> {
	const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
	const { email, password } = openDataFolder(dirname(n8n.userFolder));
	await page.goto(`${n8n.origin}/signin`);
	await page.locator('input[type=email], input[name=emailOrLdapLoginId]').first().fill(email);
	await page.locator('input[type=password]').fill(password);
	await page.keyboard.press('Enter');
	await page.waitForURL((url) => !url.pathname.includes('signin'));
	return page;
}
