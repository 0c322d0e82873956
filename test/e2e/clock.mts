/** Controls the clock of a real n8n, which can be set forward. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class Clock {
	readonly #folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-clock-'));
	readonly #file = join(this.#folder, 'passed');
	#passed = 0;

	/** Environment variables for the n8n that uses this clock. */
	readonly environment = {
		// As a URL, because the path may contain spaces.
		NODE_OPTIONS: `--import ${new URL('clockShift.mjs', import.meta.url).href}`,
		TEST_CLOCK_SHIFT: this.#file,
	};

	/** Moves the clock of the process forward. Timers that are already set don't change. */
	async pass(milliseconds: number): Promise<void> {
		this.#passed += milliseconds;
		writeFileSync(this.#file, String(this.#passed));
		await sleep(500);
	}

	close(): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
