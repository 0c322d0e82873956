/** Runs `npm start` as a user does: in a terminal, with its output as the only interface. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { findFreePort } from '../../sandbox/start/n8n/ports.mts';
import type { Login } from './realN8n.mts';

/** Timeout for the output to appear. The first start installs n8n. */
const patience = 840_000;

const root = join(import.meta.dirname, '../..');

/** Information in the terminal once everything runs. */
export interface Terminal extends Login {
	dashboardUrl: string;
	/** Output so far. */
	text: string;
}

export class PlaygroundProcess {
	readonly #arguments: string[];

	#process: ChildProcess | undefined;

	#text = '';

	/**
	 * Creates the process without starting it.
	 *
	 * @param data folder for all data of the playground
	 * @param further options of `npm start`
	 */
	private constructor(data: string, ports: [number, number], further: string[]) {
		const [n8n, sandbox] = ports.map(String) as [string, string];
		const own = ['--data', data, '--n8n-port', n8n, '--sandbox-port', sandbox];
		this.#arguments = [...own, ...further];
	}

	static async prepare(data: string, ...further: string[]): Promise<PlaygroundProcess> {
		return new PlaygroundProcess(data, [await findFreePort(), await findFreePort()], further);
	}

	/**
	 * Starts the playground.
	 *
	 * @returns the information in the terminal, once everything runs
	 */
	async start(): Promise<Terminal> {
		this.#text = '';
		const child = spawn('npm', ['start', '--', ...this.#arguments], {
			cwd: root,
			// In a process group of its own, as in a terminal.
			detached: true,
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		this.#process = child;
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding('utf8').on('data', (text: string) => (this.#text += text));
		}
		const end = performance.now() + patience;
		for (;;) {
			try {
				return this.#read();
			} catch (error) {
				if (performance.now() > end) throw error;
			}
			await sleep(500);
		}
	}

	/**
	 * Stops the playground as Ctrl-C does: npm, its shell and all of their child processes get the
	 * signal.
	 */
	async stop(): Promise<void> {
		const child = this.#process;
		this.#process = undefined;
		if (child === undefined || child.exitCode !== null) return;
		const ended = new Promise((resolve) => child.once('close', resolve));
		if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
		await ended;
	}

	#read(): Terminal {
		const find = (pattern: RegExp): string => {
			const found = pattern.exec(this.#text)?.[1];
			if (found === undefined) throw new Error(`npm start has not said so yet:\n${this.#text}`);
			return found;
		};
		find(/(Press Ctrl\+C to stop)/);
		return {
			editorUrl: find(/^ {2}n8n +(http\S+)/m),
			dashboardUrl: find(/^ {2}Sandbox +(http\S+)/m),
			email: find(/Log in as (\S+)/),
			password: find(/with the password (\S+)/),
			text: this.#text,
		};
	}
}
