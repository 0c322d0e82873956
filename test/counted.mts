/** Commands of this project that end with the line `N passed, N failed`. */
import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Counts {
	passed: number;
	failed: number;
}

/**
 * Runs such a command, shows what it prints, and resolves to what it has counted. One that gives no counts, or that counts
 * no failure and fails, counts as one failed.
 */
export async function counted(
	command: string,
	args: string[],
	options: Pick<SpawnOptions, 'cwd' | 'env' | 'signal'>,
): Promise<Counts> {
	const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
	const ended = once(child, 'close') as Promise<[code: number | null]>;
	let [passed, failed] = [0, 1];
	for await (const text of createInterface(child.stdout)) {
		console.log(text);
		const counts = /^(\d+) passed, (\d+) failed$/.exec(text);
		if (counts !== null) [passed, failed] = [Number(counts[1]), Number(counts[2])];
	}
	const [code] = await ended;
	return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}
