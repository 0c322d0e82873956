import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { InstallationError } from './command.mts';
import type { Execution, N8nMessage } from './messages.mts';

export interface N8nOptions {
	/** The folder whose node_modules contains n8n. */
	installation: string;
	environment: NodeJS.ProcessEnv;
	/** Command of n8n, default `start`; in queue mode also `worker` and `webhook`. */
	command?: string[];
	/** Working folder of n8n. */
	folder: string;
	/** File for n8n's output. */
	logFile: string;
	signal: AbortSignal;
	/** Called when n8n answers requests but has no active workflow yet. n8n waits for it. */
	onReady: () => Promise<void>;
	onExecution: (execution: Execution) => void;
}

export interface N8nServer {
	processId: number;
	/** Resolves when n8n has ended, to a description such as `exit code 1`. */
	ended: Promise<string>;
	/** Ends n8n and all of its child processes. */
	stop(): Promise<void>;
}

/** Starting takes minutes on a busy machine with a new database. */
const startMilliseconds = 600_000;
const stopMilliseconds = 15_000;

/** Returns the path of n8n's command line program. */
export function n8nProgram(installation: string): string {
	return join(installation, 'node_modules', 'n8n', 'bin', 'n8n');
}

/** Returns the last lines of n8n's log; empty if the file was deleted. */
export function getLogTail(logFile: string): string {
	if (!existsSync(logFile)) return '';
	const lines = readFileSync(logFile, 'utf8').trimEnd().split('\n');
	return lines.slice(-30).join('\n');
}

/**
 * Starts n8n and resolves when it is up.
 *
 * @throws {InstallationError} if n8n ends or hangs
 * @throws the reason of the signal if stopped
 */
export async function startN8n(options: N8nOptions): Promise<N8nServer> {
	options.signal.throwIfAborted();
	const log = openSync(options.logFile, 'w', 0o600);
	// A separate process group: Ctrl-C reaches only this process, which then stops things in the
	// right order.
	const command = options.command ?? ['start'];
	const child = spawn(process.execPath, [n8nProgram(options.installation), ...command], {
		cwd: options.folder,
		env: options.environment,
		stdio: ['ignore', log, log, 'ipc'],
		detached: true,
	});
	closeSync(log);
	const ended = new Promise<string>((resolve) => {
		child.on('error', (error) => {
			resolve(error.message);
		});
		child.on('exit', (code, signal) => {
			resolve(code === null ? `signal ${signal ?? ''}` : `exit code ${code}`);
		});
	});
	const killGroup = (): void => {
		try {
			if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
		} catch {
			// The process group has ended already.
		}
	};
	const stop = async (): Promise<void> => {
		child.kill('SIGTERM');
		await Promise.race([ended, sleep(stopMilliseconds, undefined, { ref: false })]);
		killGroup();
		await ended;
	};

	const up = new Promise<void>((resolve, reject) => {
		child.on('message', (message: N8nMessage) => {
			if (message.kind === 'execution') {
				options.onExecution(message.execution);
				return;
			}
			options.onReady().then(() => {
				child.send('go on');
				resolve();
			}, reject);
		});
		options.signal.addEventListener(
			'abort',
			() => {
				reject(options.signal.reason as Error);
			},
			{ once: true },
		);
	});
	const fail = (what: string): never => {
		throw new InstallationError(
			`${what} These are the last lines of its log file ${options.logFile}:\n\n${getLogTail(options.logFile)}`,
		);
	};
	try {
		await Promise.race([
			up,
			ended.then((reason) => fail(`n8n stopped while it was starting (${reason}).`)),
			sleep(startMilliseconds, undefined, { ref: false }).then(() =>
				fail(`n8n didn't start within ${startMilliseconds / 60_000} minutes.`),
			),
		]);
	} catch (error) {
		await stop();
		throw error;
	}
	return { processId: child.pid ?? 0, ended, stop };
}
