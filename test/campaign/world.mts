/** Lets a history happen: n8n's real engine, the package's node, the sandbox, and one clock for all of them. */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ServiceError } from '../../sandbox/errors.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { VirtualClock } from '../engine/clock.mts';
import { runNode } from '../engine/engine.mts';
import type { Event, Executed, Happened } from './happened.mts';
import type { Execution, History, Meanwhile, Step } from './history.mts';
import { inputItems, offerId, optionParameters } from './input.mts';
import { MarkedCredentials, N8nProcess } from './n8nProcess.mts';

const begins = Date.parse('2026-07-01T12:00:00Z');
const day = 24 * 3_600_000;
const wide = { perMinute: 1_000_000, perDay: 1_000_000 };

/** One history at a time in a process: it takes the place of the process's clock. */
export async function happen(history: History): Promise<Happened> {
	const world = new World(history);
	const { random } = Math;
	const uncaught: unknown[] = [];
	const note = (reason: unknown) => uncaught.push(reason);
	process.on('unhandledRejection', note);
	process.on('uncaughtException', note);
	Math.random = randomNumbers(history.randomSeed);
	world.clock.install();
	try {
		await world.happen();
		const { executed, events, apiKey } = world;
		return { history, executed, events, apiKey, uncaught };
	} finally {
		world.clock.uninstall();
		Math.random = random;
		process.off('unhandledRejection', note);
		process.off('uncaughtException', note);
	}
}

/** The same numbers for the same seed (mulberry32), for the jitter of the node's pauses. */
function randomNumbers(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

class World {
	readonly clock = new VirtualClock(begins);

	readonly executed: Executed[] = [];

	readonly events: Event[] = [];

	readonly #history: History;

	#sandbox!: Sandbox;

	#process!: N8nProcess;

	#processes = 0;

	#underWay = 0;

	#ledgerEntries = 0;

	#isSomebodyElse = false;

	constructor(history: History) {
		this.#history = history;
	}

	async happen(): Promise<void> {
		const { dialect, credits, costs, perMinute, latencyMilliseconds, steps } = this.#history;
		this.#sandbox = await startSandbox({
			dialect,
			credits,
			latencyMilliseconds,
			limits: perMinute === undefined ? wide : { ...wide, perMinute },
			onActivity: () => {
				this.#noteLedger();
			},
		});
		channel('http.server.request.start').subscribe(this.#onRequest);
		try {
			for (const [number, cost] of costs.entries()) {
				this.#sandbox.requestOffer({ id: offerId(number), cost });
			}
			this.#ledgerEntries = this.#sandbox.books.ledger().length;
			this.#startProcess();
			for (const step of steps) await this.#take(step);
		} finally {
			channel('http.server.request.start').unsubscribe(this.#onRequest);
			this.#process.kill();
			await this.#sandbox.close();
		}
	}

	get apiKey(): string {
		return this.#sandbox.apiKey;
	}

	#startProcess(): void {
		this.#process = new N8nProcess(this.#processes++);
	}

	async #take(step: Step): Promise<void> {
		switch (step.kind) {
			case 'wait':
				await this.clock.wait(step.milliseconds);
				return;
			case 'restart':
				this.#process.kill();
				this.#startProcess();
				return;
			case 'run':
				await this.#run(step);
		}
	}

	async #run(step: Step & { kind: 'run' }): Promise<void> {
		for (const fault of step.faults) this.#sandbox.addFault(fault);
		const isAlone = step.executions.length === 1 && step.meanwhile.length === 0;
		const others = step.meanwhile.map(async (each) => {
			await this.clock.wait(each.after);
			this.#doMeanwhile(each);
		});
		const kill =
			step.killedAfter === undefined
				? undefined
				: this.clock.wait(step.killedAfter).then(() => {
						this.#process.kill();
					});
		await Promise.all(step.executions.map((execution) => this.#execute(execution, isAlone)));
		await Promise.all(others);
		await kill;
		// Two processes at the same time are not what this is about: what the dead one sent comes to its end first.
		while (this.#underWay > 0) await this.clock.wait(1000);
		if (step.killedAfter !== undefined) this.#startProcess();
	}

	async #execute(spec: Execution, isAlone: boolean): Promise<void> {
		const process = this.#process;
		const sandbox = this.#sandbox;
		await this.clock.wait(spec.startsAfter);
		if (process.isDead) return;
		const executed: Executed = {
			number: this.executed.length,
			process: process.number,
			spec,
			ids: spec.items.map(offerId),
			isAlone,
			startedAt: this.clock.now(),
			before: this.#states(),
			isEndless: false,
		};
		this.executed.push(executed);
		let giveUp = () => {};
		const endless = new Promise<'endless'>((resolve) => {
			giveUp = () => {
				resolve('endless');
			};
		});
		const credential = { baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey };
		const run = runNode({
			credential,
			credentials: new MarkedCredentials(credential, executed.number, process, giveUp),
			actionNode: process.node,
			parameters: {
				resource: 'exchange',
				operation: 'accept',
				exchangeId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
				options: optionParameters(spec),
			},
			items: inputItems(spec),
			rounds: spec.rounds,
			...(spec.continues && { onError: 'continueRegularOutput' }),
			...(spec.tries > 1 && { retryOnFail: { maxTries: spec.tries, waitBetweenTries: 1000 } }),
			...(spec.canceledAfter !== undefined && { cancelAfter: spec.canceledAfter }),
		});
		const hanging = this.clock.wait(day).then(() => 'endless' as const);
		const result = await Promise.race([run, process.whenDead, endless, hanging]);
		if (result === 'endless') executed.isEndless = true;
		else if (result !== undefined) {
			this.#noteLedger();
			executed.end = {
				at: this.clock.now(),
				events: this.events.length,
				after: this.#states(),
				status: result.run.status,
				tasks: result.run.data.resultData.runData['Backlink Exchange'] ?? [],
				error: result.error,
			};
		}
	}

	#states(): Map<string, string> {
		return new Map(this.#sandbox.books.exchanges().map(({ id, status }) => [id, status]));
	}

	#doMeanwhile({ what, offer }: Meanwhile): void {
		const id = offerId(offer);
		const { status } = this.#sandbox.books.exchange(id);
		const balance = this.#sandbox.books.balance();
		this.#noteLedger();
		this.#isSomebodyElse = true;
		try {
			if (what === 'accept' && status === 'pending' && balance >= 25) this.#sandbox.accept(id);
			else if (what === 'publish') this.#sandbox.publish(id);
			else if (what === 'break') this.#sandbox.breakLink(id);
			else if (what === 'earn') this.#sandbox.setCredits(balance + 20);
			else if (what === 'spend') this.#sandbox.setCredits(Math.max(0, balance - 20));
		} catch (error) {
			// What does not fit the state of the exchange does not happen.
			if (!(error instanceof ServiceError)) throw error;
		}
		this.#isSomebodyElse = false;
	}

	readonly #onRequest = (message: unknown): void => {
		const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
		this.#underWay++;
		response.once('close', () => {
			this.#underWay--;
			this.#noteLedger();
		});
		this.#noteLedger();
		const execution = Number(request.headers['x-execution']);
		const id = /^\/api\/exchanges\/([^/]+)\/accept$/.exec(request.url ?? '')?.[1];
		this.events.push({
			at: this.clock.now(),
			kind: 'request',
			execution,
			...(request.method === 'POST' && id !== undefined
				? { isAccept: true, id, balance: this.#sandbox.books.balance() }
				: { isAccept: false }),
		});
	};

	/** Notes what has been deducted since it was last called: for the latest request to accept that exchange. */
	#noteLedger(): void {
		const entries = this.#sandbox.books.ledger();
		const added = entries.slice(0, entries.length - this.#ledgerEntries).reverse();
		this.#ledgerEntries = entries.length;
		for (const { exchangeId, amount } of added) {
			if (exchangeId === undefined || amount >= 0) continue;
			const post = this.events.findLast(
				(event) => event.kind === 'request' && event.isAccept && event.id === exchangeId,
			);
			const execution = this.#isSomebodyElse ? undefined : post?.execution;
			this.events.push({
				at: this.clock.now(),
				kind: 'paid',
				execution,
				id: exchangeId,
				amount: -amount,
			});
		}
	}
}
