import { AsyncLocalStorage } from 'node:async_hooks';

import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';

import { TestCredentials } from '../engine/credentials.mts';
import { credentialType, freshActionNode } from '../engine/engine.mts';

/** No execution needs more requests than this; one that sends more is taken to go on for ever. */
const mostRequests = 2000;

/** The process in which whatever runs at the moment was begun. */
const running = new AsyncLocalStorage<N8nProcess>();

/** A process of n8n. When it is killed, nothing leaves it any more. */
export class N8nProcess {
	readonly number: number;

	readonly node: INodeType;

	isDead = false;

	readonly whenDead: Promise<undefined>;

	/** How many more steps it does before it dies. */
	stepsLeft = Infinity;

	#die!: () => void;

	constructor(number: number) {
		this.number = number;
		this.node = freshActionNode();
		this.whenDead = new Promise((resolve) => {
			this.#die = () => {
				resolve(undefined);
			};
		});
	}

	/** Awaited by whatever is about to leave a process: never ends when that is dead. */
	static async step(): Promise<void> {
		await running.getStore()?.step();
	}

	async run<Result>(work: () => Promise<Result>): Promise<Result> {
		return await running.run(this, work);
	}

	async step(): Promise<void> {
		if (--this.stepsLeft < 0) this.kill();
		if (this.isDead) await new Promise(() => undefined);
	}

	kill(): void {
		this.isDead = true;
		this.#die();
	}
}

/** The credential of an execution. Marks its requests, and ends them with its process. */
export class MarkedCredentials extends TestCredentials {
	requests = 0;

	readonly #execution: number;

	readonly #process: N8nProcess;

	readonly #onEndless: () => void;

	constructor(
		account: ICredentialDataDecryptedObject,
		execution: number,
		process: N8nProcess,
		onEndless: () => void,
	) {
		super(credentialType, account);
		this.#execution = execution;
		this.#process = process;
		this.#onEndless = onEndless;
	}

	override async authenticate(
		...args: Parameters<TestCredentials['authenticate']>
	): ReturnType<TestCredentials['authenticate']> {
		if (++this.requests > mostRequests) {
			this.#onEndless();
			await new Promise(() => undefined);
		}
		await this.#process.step();
		const request = await super.authenticate(...args);
		return { ...request, headers: { ...request.headers, 'x-execution': String(this.#execution) } };
	}
}
