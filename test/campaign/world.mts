/** Lets a history happen: n8n's real engine, the package's node, the sandbox, and one clock for all of them. */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { ServiceError } from '../../sandbox/errors.mts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.mts';
import { VirtualClock } from '../engine/clock.mts';
import { processedData, runNode } from '../engine/engine.mts';
import { randomNumbers } from '../randomNumbers.mts';
import { acceptsOf, type Event, type Happened, type Ran, withBooks } from './happened.mts';
import type { Execution, History, Meanwhile, Step } from './history.mts';
import { offerId, parametersOf } from './input.mts';
import { markedCredentials, N8nProcess } from './n8nProcess.mts';

const begins = Date.parse('2026-07-01T12:00:00Z');
const day = 24 * 3_600_000;
const wide = { perMinute: 1_000_000, perDay: 1_000_000 };

/** One history at a time in a process: it takes the place of the process's clock. */
export async function happen(history: History): Promise<Happened> {
	const clock = new VirtualClock(begins);
	const { random } = Math;
	const uncaught: unknown[] = [];
	const note = (reason: unknown) => uncaught.push(reason);
	process.on('unhandledRejection', note);
	process.on('uncaughtException', note);
	// For the jitter of the node's pauses.
	Math.random = randomNumbers(history.randomSeed);
	clock.install();
	try {
		return { ...(await new World(history, clock).happen()), uncaught };
	} finally {
		clock.uninstall();
		Math.random = random;
		process.off('unhandledRejection', note);
		process.off('uncaughtException', note);
	}
}

class World {
	readonly #history: History;

	readonly #clock: VirtualClock;

	readonly #ran: Ran[] = [];

	readonly #events: Event[] = [];

	#sandbox!: Sandbox;

	/** Of the books, those that have been noted. */
	#ledgerEntries = 0;

	/** Offers that cost nothing, and that nobody has accepted. */
	#free: string[] = [];

	/** Those that run, by the number of the worker. */
	readonly #workers: N8nProcess[] = [];

	#processes = 0;

	#underWay = 0;

	#isSomebodyElse = false;

	constructor(history: History, clock: VirtualClock) {
		this.#history = history;
		this.#clock = clock;
	}

	async happen(): Promise<Omit<Happened, 'uncaught'>> {
		const { steps, workers, storeTakes } = this.#history;
		await processedData.clearAllProcessedItems();
		processedData.delay = storeTakes;
		processedData.beforeEach = async () => {
			await N8nProcess.step();
		};
		await this.#openAccount();
		channel('http.server.request.start').subscribe(this.#onRequest);
		try {
			for (let worker = 0; worker < workers; worker++) this.#startProcess(worker);
			for (const step of steps) await this.#take(step);
			return {
				history: this.#history,
				executed: this.#ran.map((ran) => withBooks(ran, this.#events)),
				events: this.#events,
				ledger: this.#sandbox.books.ledger().toReversed(),
				apiKey: this.#sandbox.apiKey,
			};
		} finally {
			channel('http.server.request.start').unsubscribe(this.#onRequest);
			for (const process of this.#workers) process.kill();
			processedData.beforeEach = undefined;
			processedData.delay = 0;
			await this.#sandbox.close();
		}
	}

	async #openAccount(): Promise<void> {
		const { dialect, credits, costs, partners, perMinute, latencyMilliseconds } = this.#history;
		let isOpen = false;
		this.#sandbox = await startSandbox({
			dialect,
			credits,
			latencyMilliseconds,
			limits: perMinute === undefined ? wide : { ...wide, perMinute },
			onActivity: () => {
				if (isOpen) this.#noteLedger();
			},
		});
		for (const [offer, cost] of costs.entries()) {
			this.#sandbox.requestOffer({ id: offerId(offer), cost, ...partners[offer] });
			if (cost === 0) this.#free.push(offerId(offer));
		}
		this.#ledgerEntries = this.#sandbox.books.ledger().length;
		isOpen = true;
	}

	#startProcess(worker: number): void {
		this.#workers[worker] = new N8nProcess(this.#processes++);
	}

	#process(worker: number): N8nProcess {
		return this.#workers[worker % this.#workers.length] as N8nProcess;
	}

	async #take(step: Step): Promise<void> {
		switch (step.kind) {
			case 'wait':
				await this.#clock.wait(step.milliseconds);
				return;
			case 'restart':
				for (const [worker, process] of this.#workers.entries()) {
					process.kill();
					this.#startProcess(worker);
				}
				return;
			case 'run':
				await this.#run(step);
		}
	}

	async #run(step: Step & { kind: 'run' }): Promise<void> {
		for (const fault of step.faults) this.#sandbox.addFault(fault);
		const isAlone = step.executions.length === 1 && step.meanwhile.length === 0;
		const { kill } = step;
		if (kill !== undefined) this.#process(kill.worker).stepsLeft = kill.steps;
		const others = step.meanwhile.map(async (each) => {
			await this.#clock.wait(each.after);
			this.#doMeanwhile(each);
		});
		await Promise.all(step.executions.map((execution) => this.#execute(execution, isAlone)));
		await Promise.all(others);
		// What a dead one sent comes to its end first.
		while (this.#underWay > 0) await this.#clock.wait(1000);
		for (const [worker, process] of this.#workers.entries()) {
			process.stepsLeft = Infinity;
			if (process.isDead) this.#startProcess(worker);
		}
	}

	async #execute(spec: Execution, isAlone: boolean): Promise<void> {
		await this.#clock.wait(spec.startsAfter);
		const process = this.#process(spec.worker);
		if (process.isDead) return;
		const ran: Ran = {
			number: this.#ran.length,
			process: process.number,
			spec,
			isAlone,
			startedAt: this.#clock.now(),
			isEndless: false,
		};
		this.#ran.push(ran);
		const endless = Promise.withResolvers<'endless'>();
		const giveUp = () => {
			endless.resolve('endless');
		};
		const { baseUrl, apiKey } = this.#sandbox;
		const credential = { baseUrl, apiKey };
		const run = process.run(
			async () =>
				await runNode({
					credential,
					credentials: markedCredentials(credential, ran.number, process, giveUp),
					actionNode: process.node,
					nodeId: `node ${spec.node}`,
					parameters: parametersOf(spec),
					mode: spec.rules?.isPublished === true ? 'trigger' : 'manual',
					items: spec.items.map((number) => ({ id: offerId(number) })),
					rounds: spec.rounds,
					continues: spec.continues,
					...(spec.tries > 1 && { tries: spec.tries }),
					cancelAfter: spec.canceledAfter,
				}),
		);
		void this.#clock.wait(day).then(giveUp);
		const result = await Promise.race([run, process.whenDead, endless.promise]);
		if (result === 'endless') ran.isEndless = true;
		else if (result !== undefined) {
			this.#noteLedger();
			ran.end = {
				at: this.#clock.now(),
				events: this.#events.length,
				status: result.run.status,
				tasks: result.run.data.resultData.runData['Backlink Exchange'] ?? [],
				error: result.error,
			};
		}
	}

	#doMeanwhile({ what, offer }: Meanwhile): void {
		const id = offerId(offer);
		const sandbox = this.#sandbox;
		const { status, cost } = sandbox.books.exchange(id);
		const balance = sandbox.books.balance();
		this.#noteLedger();
		this.#isSomebodyElse = true;
		try {
			if (what === 'accept' && status === 'pending' && balance >= cost) sandbox.accept(id);
			else if (what === 'publish') sandbox.publish(id);
			else if (what === 'break') sandbox.breakLink(id);
			else if (what === 'earn') sandbox.setCredits(balance + 20);
			else if (what === 'spend') sandbox.setCredits(Math.max(0, balance - 20));
		} catch (error) {
			// What does not fit the state of the exchange does not happen.
			if (!(error instanceof ServiceError)) throw error;
		}
		this.#noteLedger();
		this.#isSomebodyElse = false;
	}

	readonly #onRequest = (message: unknown): void => {
		const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
		const { url = '', method } = request;
		this.#noteLedger();
		const execution = Number(request.headers['x-execution']);
		const sent = { at: this.#clock.now(), execution };
		const id = /^\/api\/exchanges\/([^/]+)\/accept$/.exec(url)?.[1];
		const event: Event =
			method === 'POST' && id !== undefined
				? { kind: 'accept', ...sent, id, balance: this.#sandbox.books.balance() }
				: { kind: 'read', ...sent };
		this.#events.push(event);
		this.#underWay++;
		response.once('close', () => {
			this.#underWay--;
			this.#noteLedger();
			if (event.kind === 'accept' && response.writableFinished) event.status = response.statusCode;
		});
		if (event.kind === 'accept' || !url.startsWith('/api/exchanges')) return;
		const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
		response.end = (chunk?: unknown, ...others: unknown[]) => {
			const whole = typeof chunk === 'string' || Buffer.isBuffer(chunk) ? chunk.toString() : '';
			const body = this.#history.showsTimes ? whole : withoutTimes(whole);
			event.list = { url, body };
			return end(chunk === undefined ? chunk : body, ...others);
		};
	};

	/** Notes what has been deducted since it was last called: for the latest request to accept that exchange. */
	#noteLedger(): void {
		const { books } = this.#sandbox;
		const entries = books.ledger();
		const added = entries.slice(0, entries.length - this.#ledgerEntries).reverse();
		this.#ledgerEntries = entries.length;
		for (const { exchangeId, amount } of added) {
			if (exchangeId !== undefined && amount < 0) this.#notePaid(exchangeId, -amount);
		}
		const taken = this.#free.filter((id) => books.exchange(id).status !== 'pending');
		this.#free = this.#free.filter((id) => !taken.includes(id));
		for (const id of taken) this.#notePaid(id, 0);
	}

	#notePaid(id: string, amount: number): void {
		const asked = acceptsOf(this.#events, id).at(-1)?.execution;
		const execution = this.#isSomebodyElse ? undefined : asked;
		this.#events.push({ kind: 'paid', at: this.#clock.now(), execution, id, amount });
	}
}

/** Of the same length, because that was announced. */
function withoutTimes(body: string): string {
	return body.replace(
		/("accepted_at":\s*)("[^"]*"|\d{4,})/g,
		(_, name: string, time: string) => `${name}${'null'.padEnd(time.length)}`,
	);
}
