import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceConnection } from '../../../../shared/connection';
import { Claims } from './claims';
import type { AcceptResult } from './result';

/** How long an accepted offer is remembered without asking the service; in milliseconds. */
const lifetime = 24 * 60 * 60_000;
/** A request that is carried out shows within this many milliseconds, and so does its price. */
const settlingTime = 60_000;
const mostEntries = 10_000;
/** Offers about which n8n's record is asked in one run; it keeps 5,000 names. */
const mostAsked = 200;
/** A larger record is not kept: characters of JSON. */
const largestRecord = 4096;

/** What is written down of one offer of one account. */
export interface Entry {
	account: string;
	/** One for each request whose outcome has not been seen: when it left, and when it ended, in milliseconds. */
	open: number[];
	/** The last of them has left, and nothing has come back yet. */
	isUnderWay?: boolean;
	/** How many claims of this node are known for it. */
	claims: number;
	/** It was accepted, and the execution that would have told so has failed. */
	isUntold?: boolean;
	/** When it was last seen as accepted or live, in milliseconds. */
	acceptedAt?: number;
	record?: IDataObject;
	/** After an accept of this process: what it cost. */
	cost?: Cost;
}

interface Cost {
	at: number;
	/** The balance before the request, where it was read. */
	balanceBefore?: number;
	/** What the balance has shown, in credits. */
	credits?: number;
}

/** What one execution has done about an offer at one node. It lives in n8n's execution data. */
interface Attempt {
	/** Requests that were not taken back, and when the last of them left or ended, in milliseconds. */
	sent: number;
	at?: number;
	wouldAccept?: boolean;
	result?: AcceptResult;
}

/** Of this process, for all executions; those last written last. */
const entries = new Map<string, Entry>();
/** Requests to accept that have left this process. */
let requests = 0;

/**
 * The one journal of what was sent: an entry for each offer, opened when a request leaves, and then accepted, taken back, or
 * left open (docs/decisions/0003-accept-is-paid-once.md). Each step is written where it has to be found again: in this
 * process, for all executions; in n8n's execution data, for Retry On Fail, the rounds of a loop, an AI agent's tool calls
 * and executions that wait; and, as a claim, in n8n's database, where it outlives a killed process.
 */
export class Journal {
	readonly #attempts: Record<string, Attempt>;

	readonly #claims: Claims;

	readonly #account: string;

	readonly #signal: AbortSignal | undefined;

	constructor(context: IExecuteFunctions, connection: ServiceConnection) {
		const ofNode = context.getContext('node');
		ofNode.accepts ??= {};
		this.#attempts = ofNode.accepts as unknown as Record<string, Attempt>;
		this.#claims = new Claims(context);
		this.#account = connection.accountKey('');
		this.#signal = connection.signal;
	}

	/** What this process knows of the offer. */
	recall(key: string): Readonly<Entry> | undefined {
		return entries.get(key);
	}

	/** What an earlier item, round or try of this execution has reached. */
	resultOf(key: string): AcceptResult | undefined {
		return this.#attempt(key).result;
	}

	/** Whether this execution has sent a request that was not taken back. */
	hasSent(key: string): boolean {
		return this.#attempt(key).sent > 0;
	}

	/** When the last request ended whose outcome nobody has seen, in milliseconds; undefined when there is none. */
	doubtSince(key: string): number | undefined {
		const { at, result } = this.#attempt(key);
		const last = Math.max(entries.get(key)?.open.at(-1) ?? 0, result === undefined ? (at ?? 0) : 0);
		return last === 0 ? undefined : last;
	}

	/**
	 * To be called when a request is about to leave; it must not be sent unless it is `open` then. `claimed`: this node has
	 * sent one before, in a process that was killed or on another worker, so the offer is in doubt from now on. `full`: there
	 * is no room for one more. `unrecorded`: n8n's database did not take the claim.
	 * @throws the signal's reason when the execution is cancelled
	 */
	async open(key: string): Promise<'open' | 'claimed' | 'full' | 'unrecorded'> {
		if (!makeRoom(key)) return 'full';
		const entry = this.#entry(key);
		const names = claimNames(key, entry.claims + 1);
		const isOurs = await this.#claims.take(names, this.#signal).catch(() => undefined);
		if (isOurs === undefined) {
			this.#signal?.throwIfAborted();
			return 'unrecorded';
		}
		entry.claims++;
		entry.open.push(Date.now());
		if (!isOurs) return 'claimed';
		entry.isUnderWay = true;
		requests++;
		this.#write(key, { sent: this.#attempt(key).sent + 1, at: Date.now() });
		return 'open';
	}

	/** When a request has come to an end, if one left: the time that it may still take to show counts from here. */
	ended(key: string): void {
		const entry = entries.get(key);
		if (entry?.isUnderWay !== true) return;
		entry.isUnderWay = false;
		const at = Date.now();
		entry.open[entry.open.length - 1] = at;
		this.#write(key, { ...this.#attempt(key), at });
	}

	/** The last request was certainly not carried out. */
	async takeBack(key: string): Promise<void> {
		const entry = this.#entry(key);
		const [last = ''] = claimNames(key, entry.claims--).slice(-1);
		entry.open.pop();
		entry.isUnderWay = false;
		const sent = this.#attempt(key).sent - 1;
		this.#write(key, sent > 0 ? { ...this.#attempt(key), sent } : { sent });
		await this.#claims.takeBack(last);
	}

	/**
	 * It was seen as accepted or live.
	 * @param balanceBefore the balance before the request, where its price can be told by it
	 */
	accepted(key: string, record?: IDataObject, balanceBefore?: number): void {
		const entry = this.#entry(key);
		const at = Date.now();
		if (entry.open.length > 0) entry.cost = { at, balanceBefore };
		entry.open = [];
		entry.acceptedAt = at;
		const isSmall = record !== undefined && JSON.stringify(record).length <= largestRecord;
		if (isSmall) entry.record = record;
	}

	/**
	 * Of an offer that is accepted: whether a request of this execution has done it, or one that this node had left open, and
	 * which nobody has told of yet.
	 */
	async isOwn(key: string): Promise<boolean> {
		const entry = this.#entry(key);
		// A killed process may have made one more than this one knows of.
		const names = claimNames(key, entry.claims + 1);
		const wasOpen = await this.#claims.settle(names, settledName(key));
		const isUntold = entry.isUntold === true;
		entry.isUntold = false;
		return wasOpen || isUntold || this.hasSent(key);
	}

	/** Of these offers, which are accepted by now: those of which nobody has told yet that this node had asked for them. */
	async leftOpen(keys: string[]): Promise<ReadonlySet<string>> {
		const isLeft = (key: string) =>
			this.doubtSince(key) !== undefined || entries.get(key)?.isUntold === true;
		// Asked once for each: what n8n's record is asked about is written into it for a moment.
		const unknown = keys.filter((key) => !entries.has(key)).slice(0, mostAsked);
		const claimOf = (key: string) => claimNames(key, 1).join('');
		const open = await this.#claims.open(unknown.map((key) => [claimOf(key), settledName(key)]));
		for (const key of unknown) this.#entry(key);
		return new Set(keys.filter((key) => isLeft(key) || open.has(claimOf(key))));
	}

	/** That it was accepted could not be told, because the execution failed: the next one tells it. */
	async untold(key: string): Promise<void> {
		this.#entry(key).isUntold = true;
		this.#write(key, { ...this.#attempt(key), result: undefined });
		await this.#claims.takeBack(settledName(key));
	}

	/** Keeps what the items for this offer put out. */
	settled(key: string, result: AcceptResult): void {
		this.#write(key, { ...this.#attempt(key), result });
	}

	wouldAccept(key: string): void {
		this.#write(key, { ...this.#attempt(key), wouldAccept: true });
	}

	/** Other offers that this execution has accepted, or may have; in a dry run also those that it would have. */
	countOthers(key: string, { dryRun }: { dryRun: boolean }): number {
		return Object.entries(this.#attempts).filter(
			([other, { sent, wouldAccept }]) =>
				other !== key && (sent > 0 || (dryRun && wouldAccept === true)),
		).length;
	}

	/** Accepts of the account whose price has still to show in the balance that was read before them. */
	get unpriced(): Array<Cost & { balanceBefore: number }> {
		return this.#ofAccount().flatMap(([, { cost }]) =>
			cost?.balanceBefore === undefined || cost.credits !== undefined
				? []
				: [cost as Cost & { balanceBefore: number }],
		);
	}

	/**
	 * Requests of the account in the last 24 hours that may have been paid, or may still be, without the balance showing it:
	 * the milliseconds at which each ended.
	 */
	get doubts(): number[] {
		return this.#ofAccount().flatMap(([, { open, cost }]) => {
			const recent = open.filter((at) => Date.now() - at < lifetime);
			const isUnseen =
				cost !== undefined && cost.balanceBefore === undefined && isSettling(cost.at);
			return isUnseen ? [...recent, cost.at] : recent;
		});
	}

	/** The most that an accept of the account has cost, as far as it was seen. */
	get highestPrice(): number | undefined {
		const prices = this.#ofAccount().map(([, { cost }]) => cost?.credits ?? 0);
		const highest = Math.max(0, ...prices);
		return highest === 0 ? undefined : highest;
	}

	/** Offers of the account that this process has accepted since this moment, or may have, by their keys. */
	spentSince(moment: number): string[] {
		return this.#ofAccount().flatMap(([key, { open, cost }]) =>
			open.length > 0 || (cost !== undefined && cost.at >= moment) ? [key] : [],
		);
	}

	/** How many requests to accept have left this process. */
	get requests(): number {
		return requests;
	}

	#ofAccount(): Array<[string, Entry]> {
		return [...entries].filter(([, { account }]) => account === this.#account);
	}

	#entry(key: string): Entry {
		const entry = entries.get(key) ?? { account: this.#account, open: [], claims: 0 };
		// What cannot be kept is looked up in the list the next time.
		if (!makeRoom(key)) return entry;
		entries.delete(key);
		entries.set(key, entry);
		return entry;
	}

	#attempt(key: string): Attempt {
		return Object.hasOwn(this.#attempts, key) ? (this.#attempts[key] as Attempt) : { sent: 0 };
	}

	#write(key: string, attempt: Attempt): void {
		this.#attempts[key] = attempt;
	}
}

/** Seen as accepted less than 24 hours ago. */
export function isFresh({ acceptedAt }: Entry): boolean {
	return acceptedAt !== undefined && Date.now() - acceptedAt < lifetime;
}

/** Whether a request that ended at this time may still be carried out, or its price not show yet. */
export function isSettling(endedAt: number): boolean {
	return Date.now() - endedAt < settlingTime;
}

/** One claim for each request about an offer: a second one may be sent a minute after the first. */
function claimNames(key: string, count: number): string[] {
	return Array.from({ length: count }, (_, index) => `${key}#${index + 1}`);
}

/** Beside the claims: that their request was carried out has been told. */
function settledName(key: string): string {
	return `${key}!`;
}

/** Room for this entry: the oldest that is not in doubt, or has been for more than 24 hours, is forgotten. */
function makeRoom(key: string): boolean {
	if (entries.has(key) || entries.size < mostEntries) return true;
	const isForgettable = ({ open }: Entry) => Date.now() - (open.at(-1) ?? 0) >= lifetime;
	const [oldest] = [...entries].find(([, entry]) => isForgettable(entry)) ?? [];
	if (oldest !== undefined) entries.delete(oldest);
	return entries.size < mostEntries;
}
