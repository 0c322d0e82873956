/** Processes of n8n that can be killed at any step, and the mark by which the service's requests are told apart. */
import { AsyncLocalStorage } from 'node:async_hooks';

import type { ICredentialDataDecryptedObject, INodeType } from 'n8n-workflow';

import { TestCredentials } from '../engine/credentials.mts';
import { credentialType, freshActionNode } from '../engine/engine.mts';

/** No execution needs more requests than this; one that sends more is taken to go on for ever. */
const mostRequests = 2000;

const never = new Promise<never>(() => undefined);

/** The process in which whatever runs at the moment was begun. */
const running = new AsyncLocalStorage<N8nProcess>();

/** A process of n8n. When it is killed, nothing leaves it any more. */
export class N8nProcess {
	readonly number: number;

	readonly node: INodeType = freshActionNode();

	isDead = false;

	/** How many more steps it does before it dies. */
	stepsLeft = Infinity;

	readonly #death = Promise.withResolvers<undefined>();

	readonly whenDead = this.#death.promise;

	constructor(number: number) {
		this.number = number;
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
		if (this.isDead) await never;
	}

	kill(): void {
		this.isDead = true;
		this.#death.resolve(undefined);
	}
}

/** The credential of an execution. Marks its requests, and ends them with its process. */
export function markedCredentials(
	account: ICredentialDataDecryptedObject,
	execution: number,
	process: N8nProcess,
	onEndless: () => void,
): TestCredentials {
	const credentials = new TestCredentials(credentialType, account);
	const authenticate = credentials.authenticate.bind(credentials);
	let requests = 0;
	credentials.authenticate = async (...args) => {
		if (++requests > mostRequests) {
			onEndless();
			await never;
		}
		await process.step();
		const request = await authenticate(...args);
		return { ...request, headers: { ...request.headers, 'x-execution': String(execution) } };
	};
	return credentials;
}
