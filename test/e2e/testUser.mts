/** Somebody at a screen, who sees, clicks and types; each step is written down. */
import {
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
	selectors,
} from 'playwright-core';

export class TestUser {
	/** What was done, in order, as README writes it: _clicked_, `typed` or `dragged`, **pressed**. */
	readonly steps: string[] = [];

	readonly #context: BrowserContext;

	private constructor(context: BrowserContext) {
		this.#context = context;
	}

	static async create(
		browser: Browser,
		viewport = { width: 1440, height: 900 },
	): Promise<TestUser> {
		selectors.setTestIdAttribute('data-test-id'); // n8n's
		const context = await browser.newContext({ viewport });
		context.setDefaultTimeout(120_000);
		return new TestUser(context);
	}

	/** What was done since the last time, and how many clicks that were; dragging is one, too. */
	done(): { steps: string[]; clicks: number } {
		const steps = this.steps.splice(0);
		return { steps, clicks: steps.filter((step) => step.startsWith('_')).length };
	}

	/** Opens a tab. */
	async open(url: string): Promise<Page> {
		const page = await this.#context.newPage();
		await page.goto(url);
		return page;
	}

	/**
	 * @param what the words on the screen
	 * @param position within the target; its middle by default
	 */
	async click(what: string, target: Locator, position?: { x: number; y: number }): Promise<void> {
		await target.click({ position });
		this.steps.push(`_${what}_`);
	}

	/** Types where the cursor is, as fast as people do. */
	async type(page: Page, words: string): Promise<void> {
		await page.keyboard.type(words, { delay: 60 });
		this.steps.push(`\`${words}\``);
	}

	/** @param key as it is written on the keyboard */
	async press(page: Page, key: 'Enter' | 'Esc'): Promise<void> {
		await page.keyboard.press(key === 'Esc' ? 'Escape' : key);
		this.steps.push(`**${key}**`);
	}

	/** Drags with the mouse. */
	async drag(what: string, from: Locator, where: string, to: Locator): Promise<void> {
		const { mouse } = from.page();
		// Waits until nothing moves or lies over it: a list that is about to close would take the press.
		await from.hover();
		const [endX, endY] = await middle(to);
		await mouse.down();
		await mouse.move(endX, endY, { steps: 20 });
		await from.page().waitForTimeout(300);
		await mouse.up();
		this.steps.push(`\`${what}\``, `_${where}_`);
	}
}

async function middle(target: Locator): Promise<[x: number, y: number]> {
	const box = await target.boundingBox();
	if (box === null) throw new Error('Nobody can see it.');
	return [box.x + box.width / 2, box.y + box.height / 2];
}
