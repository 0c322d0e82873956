/** How many tests of a run of vitest passed and failed: for the closing line of the commands that run tests. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Counts {
	passed: number;
	failed: number;
}

/** Names the file that the reporter writes. */
export const countsVariable = 'BACKLINK_EXCHANGE_TEST_COUNTS';

/**
 * Lets `run` start vitest with these further arguments and variables, and resolves to what it has counted. A run that
 * failed outside of a test (a file that does not load) counts as one failed.
 *
 * @param run resolves to vitest's exit code
 */
export async function countTests(
	run: (args: string[], variables: Record<string, string>) => Promise<number>,
): Promise<Counts> {
	const folder = mkdtempSync(join(tmpdir(), 'backlink-exchange-test-'));
	const file = join(folder, 'counts.json');
	try {
		const reporter = join(import.meta.dirname, 'countReporter.mts');
		const code = await run([`--reporter=${reporter}`], { [countsVariable]: file });
		const { passed, failed } = read(file);
		return { passed, failed: code !== 0 && failed === 0 ? 1 : failed };
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** None of both when vitest ended before it had counted: its exit code says so. */
function read(file: string): Counts {
	try {
		return JSON.parse(readFileSync(file, 'utf8')) as Counts;
	} catch {
		return { passed: 0, failed: 0 };
	}
}
