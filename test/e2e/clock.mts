/** The clock of a real n8n, which can be set forward. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export class Clock {
	readonly #folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-clock-'));
	readonly #file = join(this.#folder, 'shift');
	#shift = 0;

	/** Environment variables of the n8n whose clock it is. */
	readonly environment = {
		NODE_OPTIONS: `--import ${join(import.meta.dirname, 'clockShift.mjs')}`,
		TEST_CLOCK_SHIFT: this.#file,
	};

	/** Sets it forward by this many milliseconds; timers that run already are not changed. */
	async forward(milliseconds: number): Promise<void> {
		this.#shift += milliseconds;
		writeFileSync(this.#file, String(this.#shift));
		await sleep(500);
	}

	close(): void {
		rmSync(this.#folder, { recursive: true, force: true });
	}
}
