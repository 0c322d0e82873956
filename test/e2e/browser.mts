import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/**
 * Launches the Chromium at CHROMIUM_PATH, or the one that Debian and Ubuntu install.
 *
 * This Chromium sends no requests of its own.
 */
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

/** Launches a browser before the tests of a file, and then runs `begin`. */
export function useBrowser(begin: (browser: Browser) => Promise<void>): void {
	let browser: Browser | undefined;
	beforeAll(async () => {
		browser = await launchBrowser();
		await begin(browser);
	});
	afterAll(async () => {
		await browser?.close();
	});
}
