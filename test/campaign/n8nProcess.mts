import type { INodeType } from 'n8n-workflow';

import { TestCredentials } from '../engine/credentials.mts';
import { credentialType, freshActionNode } from '../engine/engine.mts';

/** No execution needs more requests than this; one that sends more is taken to go on for ever. */
const mostRequests = 2000;
/** A process of n8n. When it is killed, nothing leaves it any more. */
export class N8nProcess {
	readonly number: number;

	readonly node: INodeType;

	isDead = false;

	readonly whenDead: Promise<undefined>;

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

	kill(): void {
		this.isDead = true;
		this.#die();
	}
}

/** Marks the requests of an execution, and ends them with its process. */
export class MarkedCredentials extends TestCredentials {
	requests = 0;

	readonly execution: number;

	readonly process: N8nProcess;

	readonly onEndless: () => void;

	constructor(
		values: { baseUrl: string; apiKey: string },
		execution: number,
		process: N8nProcess,
		onEndless: () => void,
	) {
		super(credentialType, values);
		this.execution = execution;
		this.process = process;
		this.onEndless = onEndless;
	}

	override async authenticate(
		...args: Parameters<TestCredentials['authenticate']>
	): ReturnType<TestCredentials['authenticate']> {
		if (++this.requests > mostRequests) this.onEndless();
		if (this.process.isDead || this.requests > mostRequests) await new Promise(() => undefined);
		const request = await super.authenticate(...args);
		return { ...request, headers: { ...request.headers, 'x-execution': String(this.execution) } };
	}
}
