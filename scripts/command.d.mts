/**
 * Runs a command without a terminal, in a process group of its own, so that stopping it stops what it started as well.
 * Resolves to its exit code (1 when a signal ended it) and the end of what it printed.
 * @throws the signal's reason when stopped, or the error when the command cannot be started
 */
export function runCommand(
	command: string,
	args: string[],
	options: { cwd: string; env?: NodeJS.ProcessEnv; signal?: AbortSignal | undefined },
): Promise<{ code: number; output: string }>;
