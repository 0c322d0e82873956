/** A user at a screen, who sees, clicks and types. Each step is recorded. */
import {
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
	selectors,
} from 'playwright-core';

export class TestUser {
	readonly #context: BrowserContext;

	/** Steps in order, as README writes them: **click**, `typed` or `dragged`, <kbd>key</kbd>. */
	#steps: string[] = [];

	#clickCount = 0;

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

	/**
	 * Returns the recorded steps since the last call, and the number of clicks; a drag counts as a
	 * click.
	 */
	done(): { steps: string[]; clicks: number } {
		const done = { steps: this.#steps, clicks: this.#clickCount };
		this.#steps = [];
		this.#clickCount = 0;
		return done;
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
	 * @param label the text on the screen; a click on something without one isn't recorded as a step
	 * @param position within the target, by default its center
	 */
	async click(
		label: string | undefined,
		target: Locator,
		position?: { x: number; y: number },
	): Promise<void> {
		await target.click({ position });
		this.#clickCount++;
		if (label !== undefined) this.#steps.push(`**${label}**`);
	}

	/** Clicks a target twice, which opens it. */
	async doubleClick(label: string, target: Locator): Promise<void> {
		await target.dblclick();
		this.#clickCount += 2;
		this.#steps.push(`**${label}**`);
	}

	/** Types at the cursor, at a human speed. */
	async type(page: Page, text: string): Promise<void> {
		await page.keyboard.type(text, { delay: 60 });
		this.#steps.push(`\`${text}\``);
	}

	/**
	 * Presses a key.
	 *
	 * @param key as it is written on the keyboard
	 */
	async press(page: Page, key: 'Enter' | 'Esc'): Promise<void> {
		await page.keyboard.press(key === 'Esc' ? 'Escape' : key);
		this.#steps.push(`<kbd>${key}</kbd>`);
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
		this.#clickCount++;
		this.#steps.push(`\`${what}\``, `**${where}**`);
	}
}

async function middle(target: Locator): Promise<[x: number, y: number]> {
	const box = await target.boundingBox();
	if (box === null) throw new Error('Nobody can see it.');
	return [box.x + box.width / 2, box.y + box.height / 2];
}
