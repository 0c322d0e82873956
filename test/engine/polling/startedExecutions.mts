/** The executions that a poll starts, as n8n runs them: so many at once, and the others wait for their turn. */
import type { IDataObject, IPollFunctions, IRun } from 'n8n-workflow';

import { n8nWorkflow } from '../n8n.mts';

const { sleep } = n8nWorkflow;

/** How an execution ends; `silent`: n8n never says. */
export type Ending = IRun['status'] | 'silent' | 'not started';

type Done = Parameters<IPollFunctions['__emit']>[2];

export class StartedExecutions {
	/** The items of each execution that was started. */
	readonly executions: IDataObject[][] = [];

	/** How the executions end that are started from now on; the items of each are given. */
	ending: (items: IDataObject[]) => Ending = () => 'success';

	/** Milliseconds that such an execution takes; without any it ends at once. */
	takes: (items: IDataObject[]) => number = () => 0;

	/** Called when n8n tells how an execution has ended. */
	onEnd: (items: IDataObject[], ending: Ending) => void = () => undefined;

	/** How many executions n8n runs at once; n8n does not wait for the others when it stops. */
	limit = Infinity;

	/** Goes up when the process is gone: what it still does has no effect. */
	protected life = 0;

	/** Executions that are running, and end by themselves. */
	readonly #running = new Set<Promise<unknown>>();

	/** What starts the executions that wait for their turn, in order. */
	readonly #waiting: Array<() => void> = [];

	/** n8n was killed, with all that is running. */
	kill(): void {
		this.life++;
		this.#running.clear();
		this.#waiting.length = 0;
	}

	/** n8n is stopped: it waits for the executions that run, without a limit from now on, and is gone as soon as none does. */
	async stop(): Promise<void> {
		const { limit } = this;
		this.#waiting.length = 0;
		this.limit = Infinity;
		while (this.#running.size > 0) await Promise.race(this.#running);
		for (let microtask = 0; microtask < 50; microtask++) await Promise.resolve();
		this.kill();
		this.limit = limit;
	}

	/** @param lastNodeExecuted the node that runs last: the trigger, where nothing follows it */
	protected startExecution(items: IDataObject[], done: Done, lastNodeExecuted: string): void {
		this.executions.push(items);
		const status = this.ending(items);
		if (status === 'silent') return;
		const end = () => {
			this.onEnd(items, status);
			if (status === 'not started') done?.reject(new Error('the execution was not started'));
			else done?.resolve({ status, data: { resultData: { lastNodeExecuted } } } as IRun);
		};
		const milliseconds = this.takes(items);
		if (milliseconds === 0 && this.#running.size < this.limit) {
			end();
			return;
		}
		const { life } = this;
		this.#waiting.push(() => {
			const run = sleep(milliseconds).then(() => {
				this.#running.delete(run);
				if (life !== this.life) return;
				end();
				this.#takeUp();
			});
			this.#running.add(run);
		});
		this.#takeUp();
	}

	#takeUp(): void {
		while (this.#running.size < this.limit && this.#waiting.length > 0) this.#waiting.shift()?.();
	}
}
