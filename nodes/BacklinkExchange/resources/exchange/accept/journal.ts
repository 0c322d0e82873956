import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceConnection } from '../../../../shared/connection';
import { steadyNow } from '../../../../shared/time';
import { executionMemory } from '../../../executionMemory';
import { NodeRecord } from '../../../nodeRecord';
import type { Decision } from '../decision';

/** How long an accepted offer is remembered without asking the service; in milliseconds, as all times here, by `steadyNow`. */
const lifetime = 24 * 60 * 60_000;
/** A request that is carried out shows within this many milliseconds, and so does its price. */
const settlingTime = 60_000;
const mostEntries = 10_000;
/** A larger record is not kept: characters of JSON. */
const largestRecord = 4096;

/** What is written down of one offer of one account. */
export interface Entry {
	key: string;
	account: string;
	/** One for each request that was not taken back: when it left, and then when it ended, in milliseconds. */
	requests: number[];
	/** When it was last seen as accepted or live, in milliseconds. */
	acceptedAt?: number;
	/** The nodes that have reported that it is accepted, or for which it was nothing to report. */
	reportedBy: Set<string>;
	record?: IDataObject;
	/** After an accept of this process: what it cost. */
	cost?: Cost;
}

interface Cost {
	at: number;
	/** The balance before the request, where its price can be read from it. */
	balanceBefore?: number;
	/** What the balance has shown, in credits. */
	credits?: number;
}

/** What one execution has done about an offer at one node. It lives in n8n's execution data. */
interface Attempt {
	/** Requests that were not taken back. */
	sent?: number;
	wouldAccept?: boolean;
	/** What its items have returned. */
	result?: Decision;
	/** The run of the node that has returned it, or what was decided: with Retry On Fail, a run has several tries. */
	run?: number;
}

/** Why a request must not be sent. */
export type Withheld = 'outdated' | 'claimed' | 'full' | 'unrecorded';

/** Of this process, for all executions; those last written last. */
const entries = new Map<string, Entry>();
/** Requests to accept that have left this process. */
let requestsSent = 0;

/**
 * The one journal of what was sent: an entry for each offer, opened when a request leaves, and then accepted, taken back, or
 * left open (docs/decisions/0003-accept-is-paid-once.md). Each step is written where it has to be found again: in this
 * process, for all executions; in n8n's execution data, for Retry On Fail, the rounds of a loop, an AI agent's tool calls
 * and executions that wait; and, as a claim, in n8n's database, where it outlives a killed process.
 */
export class Journal {
	readonly #attempts: Record<string, Attempt>;

	readonly #record: NodeRecord;

	readonly #account: string;

	readonly #signal: AbortSignal | undefined;

	readonly #run: number;

	readonly #ofEarlierTry: Set<string>;

	/** What was reported as this node's own, by the keys. */
	readonly #reported: string[] = [];

	constructor(context: IExecuteFunctions, connection: ServiceConnection) {
		const ofNode = executionMemory(context);
		ofNode.accepts ??= {};
		this.#attempts = ofNode.accepts as unknown as Record<string, Attempt>;
		this.#record = new NodeRecord(context);
		this.#account = connection.accountKey('');
		this.#signal = connection.signal;
		this.#run = context.getWorkflowDataProxy(0).$runIndex as number;
		const returned = Object.keys(this.#attempts).filter(
			(key) => this.attempt(key).run === this.#run,
		);
		this.#ofEarlierTry = new Set(returned);
	}

	/** What this process knows of the offer. */
	recall(key: string): Readonly<Entry> | undefined {
		return entries.get(key);
	}

	/** What this execution has done about the offer. */
	attempt(key: string): Readonly<Attempt> {
		return this.#attempts[key] ?? {};
	}

	/** Writes that down; of an offer that it has only looked at, there is nothing to write. */
	keep(key: string, attempt: Attempt): void {
		this.#attempts[key] = { ...this.attempt(key), ...attempt };
	}

	/** When the last request ended whose outcome nobody has seen, in milliseconds; undefined when there is none. */
	doubtSince(key: string): number | undefined {
		return openRequests(entries.get(key)).at(-1);
	}

	/**
	 * To be called when a request is about to leave; it must not be sent unless it is `open` then. `outdated`: what it was
	 * decided by is not current any more. `claimed`: this node has sent one before, in a process that was killed or on another
	 * worker, so the offer is in doubt from now on. `full`: there is no room for one more. `unrecorded`: n8n's database did
	 * not take the claim.
	 * @throws the signal's reason when the execution is cancelled
	 */
	async open(key: string, isCurrent: () => boolean): Promise<'open' | Withheld> {
		if (!isCurrent()) return 'outdated';
		if (!makeRoom(key)) return 'full';
		const entry = this.#entry(key);
		const claims = claimNames(key, entry.requests.length + 1);
		const isOurs = await this.#record.claim(claims, this.#signal).catch(() => undefined);
		if (isOurs === undefined) {
			this.#signal?.throwIfAborted();
			return 'unrecorded';
		}
		entry.requests.push(steadyNow());
		if (!isOurs) return 'claimed';
		this.keep(key, { sent: this.#sent(key) + 1 });
		// Another request may have left while the claim was written.
		if (!isCurrent()) {
			await this.takeBack(key);
			return 'outdated';
		}
		requestsSent++;
		return 'open';
	}

	/** When a request has come to an end: the time that it may still take to show counts from here. */
	ended(key: string): void {
		this.#entry(key).requests.splice(-1, 1, steadyNow());
	}

	/** The last request was certainly not carried out. */
	async takeBack(key: string): Promise<void> {
		const { requests } = this.#entry(key);
		const claims = claimNames(key, requests.length);
		requests.pop();
		this.keep(key, { sent: this.#sent(key) - 1 });
		await this.#record.remove(claims.slice(-1));
	}

	/**
	 * It was seen as accepted or live.
	 * @param balanceBefore the balance before the request, if it was sent a moment ago
	 */
	accepted(key: string, record?: IDataObject, balanceBefore?: number): void {
		const entry = this.#entry(key);
		const at = steadyNow();
		if (openRequests(entry).length > 0) entry.cost = { at, balanceBefore };
		entry.acceptedAt = at;
		const isSmall = record !== undefined && JSON.stringify(record).length <= largestRecord;
		if (isSmall) entry.record = record;
	}

	/** Whether this node knows that it is accepted, and has reported it if it was its own. */
	isReported(key: string): boolean {
		const isMarked = entries.get(key)?.reportedBy.has(this.#record.node) === true;
		return isMarked && !this.isOfEarlierTry(key);
	}

	/** Whether an earlier try of this run has returned it, and this one has not: it did not come out. */
	isOfEarlierTry(key: string): boolean {
		return this.#ofEarlierTry.has(key);
	}

	/** To be called when something is returned that later executions do not return again. */
	returns(key: string): void {
		this.#ofEarlierTry.delete(key);
		this.keep(key, { run: this.#run });
	}

	/**
	 * Reports an offer that is accepted: whether a request of this execution has done it, or one that this node had left open,
	 * and that nobody has reported. The claims stay, so that another worker whose list is older finds them.
	 */
	async report(key: string): Promise<boolean> {
		const isSent = this.#sent(key) > 0;
		if (this.isReported(key)) return isSent;
		const { requests, reportedBy } = this.#entry(key);
		reportedBy.add(this.#record.node);
		// A killed process may have made one more than this one knows of.
		const claims = claimNames(key, requests.length + 1);
		const mark = reportMark(key);
		const names = [...claims, mark];
		const known = await this.#record.add(names).catch(() => new Set<string>());
		const isClaimed = claims.some((name) => known.has(name));
		// n8n adds what it is asked about.
		await this.#record.remove(names.filter((name) => !(isClaimed && known.has(name))));
		const isOwn = isSent || (isClaimed && !known.has(mark));
		if (isOwn) {
			this.#reported.push(key);
			this.returns(key);
		}
		return isOwn;
	}

	/** What was to be reported comes out: marks beside the claims say so. A process that is killed before leaves none. */
	async returned(): Promise<void> {
		await this.#record.add(this.#reported.map(reportMark)).catch(() => undefined);
	}

	/** What was to be reported did not come out: the next try or execution reports it. */
	async failed(): Promise<void> {
		for (const key of this.#reported) this.#entry(key).reportedBy.delete(this.#record.node);
		// Not before the next try either: another execution may have reported it by then.
		for (const key of Object.keys(this.#attempts)) this.keep(key, { run: undefined });
		await this.#record.remove(this.#reported.map(reportMark));
	}

	/** Other offers that this execution has accepted, or may have; in a dry run also those that it would have. */
	countOthers(key: string, { dryRun }: { dryRun: boolean }): number {
		return Object.entries(this.#attempts).filter(
			([other, { sent = 0, wouldAccept }]) =>
				other !== key && (sent > 0 || (dryRun && wouldAccept)),
		).length;
	}

	/** Accepts of the account whose price has still to show in the balance that was read before them. */
	get unpriced(): Cost[] {
		return this.#costs.filter(
			({ balanceBefore, credits }) => balanceBefore !== undefined && credits === undefined,
		);
	}

	/**
	 * Requests of the account in the last 24 hours that may have been paid, or may still be, without the balance showing it:
	 * the milliseconds at which each ended.
	 */
	get doubts(): number[] {
		const open = this.#ofAccount.flatMap(openRequests).filter(isOfADay);
		const unseen = this.#costs.flatMap(({ at, balanceBefore }) =>
			balanceBefore === undefined && isSettling(at) ? [at] : [],
		);
		return [...open, ...unseen];
	}

	/** The most that an accept of the account has cost, as far as it was seen; 0 when it never was. */
	get highestPrice(): number {
		return Math.max(0, ...this.#costs.map(({ credits = 0 }) => credits));
	}

	/** Offers of the account that this process has accepted in the last 24 hours, or may have, by their keys. */
	get spentToday(): string[] {
		const moments = (entry: Entry) => [...openRequests(entry), entry.cost?.at ?? -Infinity];
		return this.#ofAccount.filter((each) => moments(each).some(isOfADay)).map(({ key }) => key);
	}

	/** How many requests to accept have left this process. */
	get requests(): number {
		return requestsSent;
	}

	get #costs(): Cost[] {
		return this.#ofAccount.flatMap(({ cost }) => cost ?? []);
	}

	get #ofAccount(): Entry[] {
		return [...entries.values()].filter(({ account }) => account === this.#account);
	}

	#sent(key: string): number {
		return this.attempt(key).sent ?? 0;
	}

	#entry(key: string): Entry {
		const isNew = { key, account: this.#account, requests: [], reportedBy: new Set<string>() };
		const entry = entries.get(key) ?? isNew;
		// What cannot be kept is checked in the list the next time.
		if (!makeRoom(key)) return entry;
		entries.delete(key);
		entries.set(key, entry);
		return entry;
	}
}

/** Seen as accepted less than 24 hours ago. */
export function isFresh({ acceptedAt = -Infinity }: Entry): boolean {
	return isOfADay(acceptedAt);
}

/** Whether a request that ended at this time may still be carried out, or its price not show yet. */
export function isSettling(endedAt: number): boolean {
	return steadyNow() - endedAt < settlingTime;
}

function isOfADay(at: number): boolean {
	return steadyNow() - at < lifetime;
}

/** The requests whose outcome nobody has seen. */
function openRequests({ requests = [], acceptedAt = 0 }: Partial<Entry> = {}): number[] {
	return requests.filter((endedAt) => endedAt > acceptedAt);
}

/** One claim for each request about an offer: a second one may be sent a minute after the first. */
function claimNames(key: string, count: number): string[] {
	return Array.from({ length: count }, (_, index) => `${key}#${index}`);
}

/** Beside the claims: that their request was carried out was reported. */
function reportMark(key: string): string {
	return `${key}!`;
}

/** Room for this entry: the oldest that is not in doubt, or has been for more than 24 hours, is forgotten. */
function makeRoom(key: string): boolean {
	if (entries.has(key) || entries.size < mostEntries) return true;
	for (const entry of entries.values()) {
		if (!openRequests(entry).some(isOfADay)) return entries.delete(entry.key);
	}
	return false;
}
