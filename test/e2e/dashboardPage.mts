/** Page objects of the sandbox's dashboard. */
import type { Locator, Page } from 'playwright-core';

export async function go(page: Page, section: string): Promise<void> {
	await page.getByRole('navigation').getByRole('link', { name: section, exact: true }).click();
	await page.getByRole('heading', { level: 1, name: section }).waitFor();
	// The heading is there before the styles, without which nothing can be measured.
	await page.waitForLoadState();
}

export async function press(page: Page, name: string | RegExp): Promise<void> {
	await page.getByRole('button', { name, exact: typeof name === 'string' }).click();
}

/** Returns a field of the page. */
export function field(page: Page, label: string): Locator {
	return page.getByRole('main').getByLabel(label);
}
