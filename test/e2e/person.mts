/** Somebody at a screen, who sees and clicks; each click is counted. */
import {
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
	selectors,
} from 'playwright-core';

export class Person {
	/** What was clicked on, in order. */
	readonly clicks: string[] = [];

	readonly #context: BrowserContext;

	private constructor(context: BrowserContext) {
		this.#context = context;
	}

	static async sitDown(browser: Browser, viewport = { width: 1440, height: 900 }): Promise<Person> {
		selectors.setTestIdAttribute('data-test-id'); // n8n's
		const context = await browser.newContext({ viewport });
		context.setDefaultTimeout(120_000);
		return new Person(context);
	}

	/** Opens a tab. */
	async open(url: string): Promise<Page> {
		const page = await this.#context.newPage();
		await page.goto(url);
		return page;
	}

	/**
	 * @param what as it is counted: the words on the screen
	 * @param position within the target; its middle by default
	 */
	async click(what: string, target: Locator, position?: { x: number; y: number }): Promise<void> {
		await target.click({ position });
		this.clicks.push(what);
	}
}
