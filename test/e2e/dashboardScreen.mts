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

	/** Points the service at a trigger of n8n. */
	async sendEventsTo(kind: 'test' | 'production', workflow: string): Promise<void> {
		await this.press('Send events here', `Send events here: ${kind} URL of ${workflow}`);
		await this.page.getByText('Events now go there.').waitFor();
	}

	/** @returns what n8n answered, as the page tells it */
	async sendTestEvent(kind: string): Promise<string> {
		await this.press(kind);
		const answer = this.page.locator('#test-answer');
		await answer.getByText(/^(Taken|Refused)$/).waitFor();
		return await answer.innerText();
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

	/** @param name what tells the button from others with the same words on it */
	async press(words: string, name = words): Promise<void> {
		await this.#person.click(words, this.page.getByRole('button', { name, exact: true }));
	}
}
