/** The clock of a real n8n, which can be set forward. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class Clock {
	readonly #folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-clock-'));
	readonly #file = join(this.#folder, 'shift');
	#shift = 0;
	#passed = 0;

	/** Environment variables of the n8n whose clock it is. */
	readonly environment = {
		NODE_OPTIONS: `--import ${join(import.meta.dirname, 'clockShift.mjs')}`,
		TEST_CLOCK_SHIFT: this.#file,
	};

	/** Sets it forward by this many milliseconds, as somebody does who corrects a clock; timers that run already are not changed. */
	async forward(milliseconds: number): Promise<void> {
		this.#shift += milliseconds;
		writeFileSync(this.#file, `${this.#shift} ${this.#passed}`);
		await sleep(500);
	}

	/** The same, and so many milliseconds have passed for the process as well. */
	async pass(milliseconds: number): Promise<void> {
		this.#passed += milliseconds;
		await this.forward(milliseconds);
	}

	close(): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
