/** Something that the user can put right; its message says what happened and what to do. */
export class InstallationError extends Error {}

/** Throws an InstallationError unless the disk under `folder` (which need not exist yet) has that many bytes free. */
export function requireDiskSpace(folder: string, bytes: number, purpose: string): void;

/** The environment for an npm that must not take itself for the npm that started this process. */
export function environmentForNpm(additions?: Record<string, string>): Record<string, string>;

/**
 * Shows that something is going on: a line that changes in a terminal, a line every 30 seconds elsewhere.
 * Call what it returns with the outcome.
 */
export function showProgress(title: string, usually: string): (outcome: string) => void;

export interface NpmOptions {
	cwd: string;
	env?: Record<string, string>;
	signal?: AbortSignal;
	/** What is going on, in the user's words. */
	title: string;
	/** How long it takes, for the progress line. */
	usually: string;
	/** Whether it downloads (default): then a missing network is noticed at once. */
	network?: boolean;
}

/**
 * Runs npm with progress, and resolves to what it printed.
 * @throws InstallationError in plain English, or the signal's reason when stopped
 */
export function runNpm(args: string[], options: NpmOptions): Promise<string>;
