/** What somebody does on the sandbox's dashboard, beside n8n. */
import type { Locator, Page } from 'playwright-core';

import type { Person } from './person.mts';

export class DashboardScreen {
	readonly page: Page;

	readonly #person: Person;

	private constructor(person: Person, page: Page) {
		this.#person = person;
		this.page = page;
	}

	static async open(person: Person, url: string): Promise<DashboardScreen> {
		return new DashboardScreen(person, await person.open(url));
	}

	async go(section: string): Promise<void> {
		const link = this.page.getByRole('navigation').getByRole('link', { name: section });
		await this.#person.click(section, link);
	}

	/** Chooses a value in a field of the section that is shown, and saves it. */
	async set(field: string, value: string, button: string): Promise<void> {
		await this.#field(field).selectOption(value);
		await this.press(button);
	}

	/** Chooses a value that is saved at once. */
	async choose(field: string, value: string): Promise<void> {
		await this.#field(field).selectOption(value);
	}

	/** A field of the section that is shown. */
	#field(label: string): Locator {
		return this.page.locator('section.shown').getByLabel(label);
	}

	async press(words: string): Promise<void> {
		await this.#person.click(words, this.page.getByRole('button', { name: words, exact: true }));
	}
}
