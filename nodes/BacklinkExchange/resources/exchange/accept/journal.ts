import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceConnection } from '../../../../shared/service/connection';
import { steadyNow } from '../../../../shared/time';
import { NodeRecord } from '../../../nodeRecord';
import { Attempts } from './attempts';

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
	/** The requests to accept it that were not taken back, the oldest first. */
	requests: Request[];
	/** When the last request ended, in milliseconds, whatever came of it. */
	askedUntil?: number;
	/** When it was last seen as accepted or live, in milliseconds. */
	acceptedAt?: number;
	/** Why nobody but the service knows whose request was carried out, where it was refused and the offer is accepted. */
	dispute?: string;
	record?: IDataObject;
	/** Set when the service has refused it for lack of credits, with the balance of the account after that, if it is known. */
	refusedAt?: { balance?: number };
	/** After an accept of this process: what it cost. */
	cost?: Cost;
}

interface Request {
	/** When it ended, in milliseconds; while it is under way, when it left. */
	endedAt: number;
	/** Whether it has left, and has not ended. */
	isUnderWay?: boolean;
	/** The node whose claim in n8n's record it is: no other node has asked for the offer by it. */
	node: string;
	/** Whether this process has sent it; otherwise a claim of another process or worker says so. */
	isOurs: boolean;
	/** Whether Accept Many has returned its offer as accepted. */
	isReturned?: boolean;
}

interface Cost {
	/** When the offer was seen as accepted, in milliseconds. */
	at: number;
	/** The balance before the request, where its price can be read from it. */
	balanceBefore?: number;
	/** What the balance has shown, in credits. */
	credits?: number;
}

/** Why a request must not be sent. */
export type WhyWithheld = 'outdated' | 'claimed' | 'full' | 'unrecorded';

/** The entries of all executions of this process, by their keys; those last written are last. */
const entries = new Map<string, Entry>();
/** How many times something was written into them. */
let changes = 0;
/** Requests to accept that have left this process. */
let requestsSent = 0;

/**
 * The one journal of what was sent: an entry for each offer, opened when a request leaves, and then accepted, taken back, or
 * left open (docs/decisions/0003-accept-is-paid-once.md). Each step is written where it has to be found again: in this
 * process, for all executions; in n8n's execution data (`attempts.ts`); and, as a claim, in n8n's database, where it outlives
 * a killed process.
 */
export class Journal {
	/** What this execution has done. */
	readonly attempts: Attempts;

	readonly #record: NodeRecord;

	readonly #account: string;

	readonly #signal: AbortSignal | undefined;

	#spentToday: { keys: string[]; asOf: number } = { keys: [], asOf: -1 };

	constructor(context: IExecuteFunctions, connection: ServiceConnection) {
		this.attempts = new Attempts(context);
		this.#record = new NodeRecord(context);
		this.#account = connection.accountKey('');
		this.#signal = connection.signal;
	}

	/** What this process knows of the offer. */
	recall(key: string): Readonly<Entry> | undefined {
		return entries.get(key);
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
	 * @throws the signal's reason when the execution is canceled
	 */
	async open(key: string, isCurrent: () => boolean): Promise<'open' | WhyWithheld> {
		if (!isCurrent()) return 'outdated';
		if (!makeRoom(key)) return 'full';
		const entry = this.#entry(key);
		const number = claimsOf(this.#record.node, entry.requests);
		const earlier = Array.from({ length: number }, (_, each) => claimName(key, each));
		const isOurs = await this.#record
			.claim(claimName(key, number), earlier, this.#signal)
			.catch(() => undefined);
		if (isOurs === undefined) {
			this.#signal?.throwIfAborted();
			return 'unrecorded';
		}
		const { node } = this.#record;
		entry.requests.push({ endedAt: steadyNow(), isUnderWay: isOurs, node, isOurs });
		changes++;
		if (!isOurs) return 'claimed';
		this.attempts.keep(key, { sent: this.attempts.sent(key) + 1 });
		// Another request may have left while the claim was written.
		if (!isCurrent()) {
			await this.takeBack(key);
			return 'outdated';
		}
		requestsSent++;
		return 'open';
	}

	/** What was under way has come to an end: the time that it may still take to show counts from here. */
	ended(key: string): void {
		const entry = this.#entry(key);
		entry.askedUntil = steadyNow();
		const request = entry.requests.at(-1);
		if (request?.isUnderWay) {
			Object.assign(request, { endedAt: entry.askedUntil, isUnderWay: false });
		}
	}

	/** The last request was certainly not carried out. */
	async takeBack(key: string): Promise<void> {
		const { requests } = this.#entry(key);
		requests.pop();
		this.attempts.keep(key, { sent: this.attempts.sent(key) - 1 });
		await this.#record.remove([claimName(key, claimsOf(this.#record.node, requests))]);
	}

	/** The last request was refused for lack of credits. @param balance of the account, undefined where it is not known */
	refusedForCredits(key: string, balance: number | undefined): void {
		this.#entry(key).refusedAt = { balance };
	}

	/** The last request was refused, and the offer is accepted: nobody but the service knows by which request. */
	dispute(key: string, reason: string): void {
		this.#entry(key).dispute = reason;
	}

	/**
	 * The offer was seen as accepted or live.
	 * @param balanceBefore the balance before the request, if it was sent a moment ago
	 */
	accepted(key: string, record?: IDataObject, balanceBefore?: number): void {
		const entry = this.#entry(key);
		const at = steadyNow();
		// Only where a request of this process was open until now has the accept cost anything that the balance may not show.
		if (openRequests(entry).length > 0) entry.cost = { at, balanceBefore };
		entry.acceptedAt = at;
		const isSmall = record !== undefined && JSON.stringify(record).length <= largestRecord;
		if (isSmall) entry.record = record;
	}

	/**
	 * Which of these offers this node has asked for, in whichever execution, process or worker: a request is in this journal,
	 * or its claim in n8n's record. Those of a workflow without an ID are known in this process alone.
	 */
	async askedFor(keys: string[]): Promise<ReadonlySet<string>> {
		const isOwn = (key: string) => this.attempts.sent(key) > 0 || this.#ownRequests(key).length > 0;
		const others = keys.filter((key) => !isOwn(key));
		const firstClaims = others.map((key) => claimName(key, 0));
		const claims = await this.#record.has(firstClaims).catch(() => new Set<string>());
		return new Set(keys.filter((key) => isOwn(key) || claims.has(claimName(key, 0))));
	}

	/** Whether Accept Many has returned at this node, in this process, that the offer is accepted. */
	isReturned(key: string): boolean {
		return this.#ownRequests(key).some(({ isReturned }) => isReturned);
	}

	/** Once Accept Many has returned that the offer is accepted, it need not look for it again, however long the list shows it. */
	setReturned(key: string, isReturned: boolean): void {
		for (const request of this.#ownRequests(key)) request.isReturned = isReturned;
	}

	/** Accepts of the account whose price has still to show in the balance that was read before them. */
	get unpriced(): Cost[] {
		return this.#costs.filter(
			({ balanceBefore, credits }) => balanceBefore !== undefined && credits === undefined,
		);
	}

	/**
	 * What may be spent without showing in the balance of the account, each as a moment in milliseconds: the end of each request
	 * of the last 24 hours whose outcome nobody has seen, and each accept of the last minute whose price cannot be read from the
	 * balance.
	 * @param asOf when the balance was asked for: what it shows may be as old as that
	 */
	doubts(asOf = steadyNow()): number[] {
		const open = this.#ofAccount.flatMap(openRequests).filter(isOfLastDay);
		const unseen = this.#costs.flatMap(({ at, balanceBefore }) =>
			balanceBefore === undefined && isSettling(at, asOf) ? [at] : [],
		);
		return [...open, ...unseen];
	}

	/** The most that an accept of the account has cost, as far as it was seen; 0 when it never was. */
	get highestPrice(): number {
		return Math.max(0, ...this.#costs.map(({ credits = 0 }) => credits));
	}

	/**
	 * Offers of the account that this process has accepted in the last 24 hours, or may have, by their keys. As long as nothing
	 * is written, they are those of the first time that they were asked for: at worst some that are a little older.
	 */
	get spentToday(): readonly string[] {
		if (this.#spentToday.asOf !== changes) {
			const moments = (entry: Entry) => [...openRequests(entry), entry.cost?.at ?? -Infinity];
			const spent = this.#ofAccount.filter((each) => moments(each).some(isOfLastDay));
			this.#spentToday = { keys: spent.map(({ key }) => key), asOf: changes };
		}
		return this.#spentToday.keys;
	}

	/** Changes whenever something is written into the journal of this process. */
	get changes(): number {
		return changes;
	}

	/** How many requests to accept have left this process. */
	get requests(): number {
		return requestsSent;
	}

	/** The requests of this node, in whichever execution of this process. */
	#ownRequests(key: string): Request[] {
		const requests = entries.get(key)?.requests ?? [];
		return requests.filter(({ node, isOurs }) => isOurs && node === this.#record.node);
	}

	get #costs(): Cost[] {
		return this.#ofAccount.flatMap(({ cost }) => cost ?? []);
	}

	get #ofAccount(): Entry[] {
		return [...entries.values()].filter(({ account }) => account === this.#account);
	}

	/** The entry of an offer, to be written into. */
	#entry(key: string): Entry {
		changes++;
		const entry = entries.get(key) ?? { key, account: this.#account, requests: [] };
		// An entry for which there is no room is forgotten at once; the list then shows what has become of the offer.
		if (!makeRoom(key)) return entry;
		entries.delete(key);
		entries.set(key, entry);
		return entry;
	}
}

/** Whether the offer was seen as accepted within the last 24 hours. */
export function isFresh({ acceptedAt = -Infinity }: Entry): boolean {
	return isOfLastDay(acceptedAt);
}

/**
 * Whether a request that ended at this time may still be carried out, or its price not show yet.
 * @param asOf the moment in question: what is read may be as old as the question, however long the answer takes
 */
export function isSettling(endedAt: number, asOf = steadyNow()): boolean {
	return asOf - endedAt < settlingTime;
}

function isOfLastDay(at: number): boolean {
	return steadyNow() - at < lifetime;
}

/** When each request ended whose outcome nobody has seen: the offer was not seen as accepted after it. */
function openRequests({ requests = [], acceptedAt = 0 }: Partial<Entry> = {}): number[] {
	// However long ago one that is under way has left, it has not ended.
	const ends = requests.map(({ endedAt, isUnderWay }) => (isUnderWay ? Infinity : endedAt));
	return ends.filter((endedAt) => endedAt > acceptedAt);
}

/** How many of these requests have a claim in the record of this node. */
function claimsOf(node: string, requests: Request[]): number {
	return requests.filter((request) => request.node === node).length;
}

/**
 * The name of the claim for a request.
 * @param number 0 for the first request of the node for the offer; a second one may follow a minute later
 */
function claimName(key: string, number: number): string {
	return `${key}#${number}`;
}

/**
 * Makes room for an entry, if there is none, by forgetting the oldest that has not been in doubt within 24 hours.
 * @returns whether there is room
 */
function makeRoom(key: string): boolean {
	if (entries.has(key) || entries.size < mostEntries) return true;
	for (const entry of entries.values()) {
		if (!openRequests(entry).some(isOfLastDay)) return entries.delete(entry.key);
	}
	return false;
}
