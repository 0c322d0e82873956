/**
 * Runs `work` while no other process that uses the same lock file does. Otherwise calls `busy`, which may throw, and
 * waits for its turn. A lock whose process has died (power cut, kill -9) is taken over.
 */
export function withLock<Result>(
	file: string,
	work: () => Promise<Result>,
	options?: { signal?: AbortSignal; busy?: (holder: number | string, file: string) => void },
): Promise<Result>;
