/** A user at a screen, who sees, clicks and types. Each step is recorded. */
import {
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
	selectors,
} from 'playwright-core';

export class TestUser {
	/**
	 * Recorded steps in order, as README writes them: _clicked_, `typed` or `dragged`, **pressed**.
	 */
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

	/** Returns the steps since the last call, and the number of clicks; a drag counts as a click. */
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
	 * Clicks a target.
	 *
	 * @param what the text on the screen
	 * @param position within the target, by default its center
	 */
	async click(what: string, target: Locator, position?: { x: number; y: number }): Promise<void> {
		await target.click({ position });
		this.steps.push(`_${what}_`);
	}

	/** Types at the cursor, at a human speed. */
	async type(page: Page, text: string): Promise<void> {
		await page.keyboard.type(text, { delay: 60 });
		this.steps.push(`\`${text}\``);
	}

	/**
	 * Presses a key.
	 *
	 * @param key as it is written on the keyboard
	 */
	async press(page: Page, key: 'Enter' | 'Esc'): Promise<void> {
		await page.keyboard.press(key === 'Esc' ? 'Escape' : key);
		this.steps.push(`**${key}**`);
	}

	/** Drags with the mouse. */
	async drag(what: string, from: Locator, where: string, to: Locator): Promise<void> {
		const { mouse } = from.page();
		// Waits until nothing moves or covers the element: a list that is about to close would get the
		// press.
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
