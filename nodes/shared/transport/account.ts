import type { IDataObject } from 'n8n-workflow';

import type { OwnSites } from '../sites/ownSites';
import { BoundedMap } from '../utils/boundedMap';
import { hash } from '../utils/ids';
import { monotonicNow } from '../utils/time';
import type { ApiCredential } from './credential';
import { raceWithAbort } from './delay';
import { RateLimiter } from './rateLimiter';
import { RequestCache } from './requestCache';

/** After this time, lists and the balance show every request that was processed. */
const consistencyDelayMs = 60_000;

/** A response that was requested within the same millisecond as a change may not show it. */
export const minTimeDifferenceMs = 1;

/** A request to accept an offer or to add a site. */
interface SentRequest {
	/** Monotonic. A list that was requested earlier may not show what it changed. */
	endedAt: number;
	outcome: 'succeeded' | 'rejected' | 'unknown';
	/** The record of the site that it added, or of the offer before it was accepted. */
	record?: IDataObject;
}

/** The last request to change each thing: an offer by its ID, or a site by its URL. */
class RecentRequests {
	readonly #requests = new BoundedMap<string, SentRequest>(10_000);

	/** Records a request that has ended. */
	record(name: string, outcome: SentRequest['outcome'], record?: IDataObject): void {
		this.#requests.set(name, { endedAt: monotonicNow(), outcome, record });
	}

	/** Marks the last request, if there is one, as succeeded. */
	confirm(name: string): void {
		const request = this.#requests.get(name);
		if (request) request.outcome = 'succeeded';
	}

	/** Returns when the last request ended (monotonic); `-Infinity` if there is none. */
	getEnd(name: string): number {
		return this.#requests.get(name)?.endedAt ?? -Infinity;
	}

	isRejected(name: string): boolean {
		return this.#requests.get(name)?.outcome === 'rejected';
	}

	/**
	 * Returns the last request, unless a list that was requested at this time (monotonic) shows what
	 * it changed.
	 */
	getUnlisted(name: string, requestedAt: number): SentRequest | undefined {
		const request = this.#requests.get(name);
		return request && requestedAt - request.endedAt < consistencyDelayMs ? request : undefined;
	}

	/** Returns the requests of the last minute that have this outcome, by name. */
	getRecent(outcome: SentRequest['outcome']): Array<[name: string, request: SentRequest]> {
		const since = monotonicNow() - consistencyDelayMs;
		return [...this.#requests].filter(
			([, request]) => request.outcome === outcome && request.endedAt > since,
		);
	}
}

/**
 * An account of the service: one base URL and API key. All executions, list searches and polls of
 * this process share it.
 */
export class Account {
	/** Identifies the account, and doesn't reveal the API key. */
	readonly key: string;

	readonly rateLimiter = new RateLimiter();

	readonly cache = new RequestCache();

	/** Requests to accept, by the ID of the offer. */
	readonly accepts = new RecentRequests();

	/** Requests to add a site, by its URL. */
	readonly creates = new RecentRequests();

	/** The last known sites, for when the service can't list them. */
	ownSites: OwnSites | undefined;

	/** When the last request ended that may have changed something (monotonic). */
	changedAt = -Infinity;

	/** When the last request to add a site ended (monotonic). */
	sitesChangedAt = -Infinity;

	/** When the sites were last fetched for an exchange of none of them (monotonic). */
	sitesLookedUpAt = -Infinity;

	/** When the exchanges were last fetched again for one that they lacked (monotonic). */
	refetchedAt = -Infinity;

	/** The end of the last task of each lock. */
	readonly #tails = new Map<string, Promise<unknown>>();

	constructor(key: string) {
		this.key = key;
	}

	/** Returns the account of a credential. */
	static for({ baseUrl, apiKey }: ApiCredential): Account {
		const key = hash([baseUrl, apiKey]);
		return accounts.getOrCreate(key, () => new Account(key));
	}

	/**
	 * Runs a task under a lock of the account: tasks with the same lock run one after the other, in
	 * the order of the calls. Workers of n8n's queue mode don't share it.
	 *
	 * @throws the error of the task, or the signal's reason if it is aborted while the task waits
	 */
	async runExclusive<Result>(
		lock: string,
		task: () => Promise<Result>,
		signal?: AbortSignal,
	): Promise<Result> {
		const previous = this.#tails.get(lock) ?? Promise.resolve();
		const result = raceWithAbort(previous, signal).then(task);
		// The next task also waits for the previous ones, even if this one was aborted while waiting.
		const tail = previous.then(async () => await result).catch(() => undefined);
		this.#tails.set(lock, tail);
		void tail.then(() => {
			if (this.#tails.get(lock) === tail) this.#tails.delete(lock);
		});
		return await result;
	}
}

const accounts = new BoundedMap<string, Account>(1000);
