import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { Exchange } from '../../../../shared/api/exchange';
import type { Balance } from '../../../../shared/api/fetchBalance';
import { findExchange } from '../../../../shared/api/fetchExchanges';
import { getStatus } from '../../../../shared/api/forms/exchangeStatus';
import { ServiceError, toServiceError } from '../../../../shared/errors';
import { OwnSites } from '../../../../shared/sites/ownSites';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { type CacheOptions, noCache } from '../../../../shared/transport/requestCache';
import { monotonicNow } from '../../../../shared/utils/time';
import { createDecision, type Decision, type DecisionDetails } from '../decision';
import type { AcceptOptions, GetDenial } from './accept.types';
import {
	acceptedDespiteErrorReason,
	createBrokenLinkError,
	createOutcomeUnknownError,
	createOutgoingError,
	createUnknownStatusError,
} from './acceptErrors';
import { fetchBalanceBefore, fetchCost, getMinimumBalanceDenial } from './balance';
import { ExecutionAccepts } from './executionAccepts';
import { parseAcceptResponse } from './parseAcceptResponse';

/** An older list is fetched again before a request. */
const maxListAgeMs = 5000;
/** List checks after an unclear response: about ten seconds in all. */
const maxVerifyAttempts = 6;

/** State that the items of one run and account share. */
export interface AcceptSession {
	readonly client: ApiClient;
	readonly results: ExecutionAccepts;
	/** By the ID of the offer. If the same offer comes again, it fails for the same reason. */
	readonly failures: Map<string, ServiceError>;
	/** Reason for accepting no further offer. */
	stopReason?: string;
	/** Set if a balance that nothing depends on couldn't be fetched: it isn't fetched again. */
	isBalanceUnavailable?: boolean;
}

export function createAcceptSession(context: IExecuteFunctions, client: ApiClient): AcceptSession {
	return { client, results: new ExecutionAccepts(context, client.account), failures: new Map() };
}

/**
 * Accepts one offer, only once (docs/decisions/0003-accept-is-paid-once.md).
 *
 * The service documents no idempotency key, so nothing but these steps prevents a second payment:
 * the execution notes the request before it leaves, the list was requested at most five seconds
 * before, and a response that doesn't show the outcome (a timeout, a 5xx) is never answered with a
 * second request by this execution, or within a minute by another one of this process. Accepts of
 * an account run one after the other.
 *
 * @param getDenial the user's rules; without them, only the limits apply
 * @throws {ServiceError} if nothing was accepted, or the outcome isn't known
 */
export async function acceptOffer(
	session: AcceptSession,
	id: string,
	options: AcceptOptions,
	getDenial: GetDenial = () => undefined,
): Promise<Decision> {
	const { client, results, failures } = session;
	const accept = async () => {
		const earlier = results.get(id);
		// A result of a dry run doesn't count for a live run.
		if (earlier && (earlier.outcome === 'accepted' || options.dryRun)) return earlier;
		const failure = failures.get(id);
		if (failure !== undefined) throw failure;
		try {
			return await new AcceptTask(session, id, options, getDenial).run();
		} catch (error) {
			const newFailure = toServiceError(error);
			failures.set(id, newFailure);
			throw newFailure;
		}
	};
	return await client.account.runExclusive('accept', accept, client.signal);
}

/** Its methods stand in the order in which they run. Those that several of them call come last. */
class AcceptTask {
	readonly session: AcceptSession;

	readonly id: string;

	readonly options: AcceptOptions;

	readonly getDenial: GetDenial;

	/** As the last list showed it; `undefined` while no list has shown it. */
	#exchange: Exchange | undefined;

	/** The balance before the request, if it could be read. */
	#balance: Balance | undefined;

	constructor(session: AcceptSession, id: string, options: AcceptOptions, getDenial: GetDenial) {
		this.session = session;
		this.id = id;
		this.options = options;
		this.getDenial = getDenial;
	}

	/** Checks, sends and verifies, in the order of the decision. */
	async run(): Promise<Decision> {
		const { id, options, session } = this;
		// An execution never sends a second request while the outcome of the first isn't known.
		if (session.results.get(id) === null) return await this.#findOutcome();
		const decision =
			(await this.#checkOffer()) ??
			(await this.#checkBalance()) ??
			// Fetching the balance may have waited for the rate limit.
			(await this.#checkOffer());
		if (decision !== undefined) return decision;
		if (options.dryRun) return this.#record({ outcome: 'wouldAccept', ...this.#getBalance() });

		const response = parseAcceptResponse(await this.#send(), id);
		switch (response.kind) {
			case 'confirmed':
				return await this.#recordAccepted({}, response.record);
			case 'rejected':
				return await this.#handleRejection(response.error);
			case 'failed':
				throw this.#stopRun(response.error);
			case 'unclear':
				return await this.#verifyInList(response.cause);
		}
	}

	/**
	 * Checks the list for the offer, then the rules and Max Accepts.
	 *
	 * @returns the final decision, or `undefined` if nothing keeps the request from being sent
	 */
	async #checkOffer(): Promise<Decision | undefined> {
		const { id, session } = this;
		const list = await this.#findExchange(this.#maxAge()).catch((error: unknown) => {
			throw this.#stopRun(toServiceError(error));
		});
		if (this.#exchange?.direction === 'outgoing') throw createOutgoingError(id);
		if (list.exchange?.isAccepted) return await this.#recordAccepted({ alreadyAccepted: true });
		// The service decides about an offer that no list shows.
		const { status } = list.exchange ?? { status: 'pending' };
		const lastRequest = session.client.account.accepts.getUnlisted(id, list.requestedAt);
		if (lastRequest?.outcome === 'succeeded' && status === 'pending') {
			return await this.#recordAccepted({ alreadyAccepted: true });
		}
		if (lastRequest?.outcome === 'unknown') throw createOutcomeUnknownError(id);
		if (status === 'broken') throw createBrokenLinkError(id);
		if (status !== 'pending') throw createUnknownStatusError(id);
		return this.#checkRules();
	}

	#checkRules(): Decision | undefined {
		const { options, session } = this;
		const denial = this.getDenial(this.#exchange) ?? session.results.getMaxAcceptsDenial(options);
		return denial && this.#decide(denial);
	}

	/** Checks Minimum Balance, and fetches the balance from which the cost is derived afterward. */
	async #checkBalance(): Promise<Decision | undefined> {
		const { options, session } = this;
		try {
			this.#balance = await fetchBalanceBefore(session, options);
		} catch (error) {
			throw this.#stopRun(toServiceError(error));
		}
		const denial = getMinimumBalanceDenial(session, options, this.#balance);
		if (denial === undefined) return undefined;
		session.stopReason ??= denial.reason;
		return this.#decide({ ...denial, ...this.#getBalance() });
	}

	/** Sends the request. It counts as sent unless it provably wasn't processed. */
	async #send() {
		const { id, options, session } = this;
		const { client, results } = session;
		const onSent = (isSent: boolean) => {
			if (isSent) results.setSent(id, options);
			else results.delete(id);
		};
		try {
			return await client.post(['exchanges', id, 'accept'], undefined, onSent);
		} finally {
			if (results.get(id) === null) {
				client.account.accepts.record(id, 'unknown', this.#exchange?.record);
			}
		}
	}

	/** Returns the error of a rejected request, unless the list shows that the offer is accepted. */
	async #handleRejection(error: ServiceError): Promise<Decision> {
		const { id, session } = this;
		const isTooExpensive = error.code === 'insufficient_credits';
		// If no list has shown the offer either, a 404 is conclusive.
		const isConclusive =
			isTooExpensive || (error.statusCode === 404 && this.#exchange === undefined);
		if (!isConclusive) {
			const list = await this.#findExchange(noCache).catch(toServiceError);
			if (!(list instanceof ServiceError) && list.exchange?.isAccepted) {
				const reason = acceptedDespiteErrorReason(error.statusCode);
				return await this.#recordAccepted({ reason });
			}
		}
		session.results.delete(id);
		session.client.account.accepts.record(id, 'rejected');
		const concernsAllOffers = error.failure !== undefined && !isTooExpensive;
		throw concernsAllOffers ? this.#stopRun(error) : error;
	}

	/** Checks the list until it shows the offer as accepted, for about ten seconds. */
	async #verifyInList(cause: string): Promise<Decision> {
		const outcome = await this.session.client.retryUntil(
			maxVerifyAttempts,
			async () => await this.#findOutcome(cause).catch(toServiceError),
			(result) => !(result instanceof ServiceError),
		);
		if (outcome instanceof ServiceError) throw outcome;
		return outcome;
	}

	/**
	 * Looks up the outcome of a request of this execution in the list.
	 *
	 * @param cause describes the response of the request, such as "HTTP 500"
	 */
	async #findOutcome(cause?: string): Promise<Decision> {
		const list = await this.#findExchange(noCache).catch(toServiceError);
		if (list instanceof ServiceError) throw createOutcomeUnknownError(this.id, cause, list);
		if (list.exchange?.isAccepted) return await this.#recordAccepted();
		throw createOutcomeUnknownError(this.id, cause);
	}

	/** Records that the offer is accepted, with the cost if a request of this execution was sent. */
	async #recordAccepted(
		details: Pick<Decision, 'alreadyAccepted' | 'reason'> = {},
		confirmation: IDataObject = {},
	): Promise<Decision> {
		const { id, options, session } = this;
		const { accepts, ownSites = new OwnSites([]) } = session.client.account;
		accepts.confirm(id);
		const record = { ...this.#exchange?.record, ...confirmation };
		// The list may be late.
		if (getStatus(record) === 'pending') delete record.status;
		this.#exchange = Exchange.parse([record], ownSites);
		const cost = details.alreadyAccepted
			? {}
			: await fetchCost(session, id, options, this.#balance);
		return this.#record({ outcome: 'accepted', alreadyAccepted: false, ...details, ...cost });
	}

	async #findExchange(cacheOptions: CacheOptions) {
		const list = await findExchange(this.session.client, this.id, cacheOptions);
		this.#exchange = list.exchange ?? this.#exchange;
		return list;
	}

	/** Returns the cache option for a list that was requested recently, and by this execution. */
	#maxAge(): CacheOptions {
		const { createdAt } = this.session.client;
		return { notBefore: Math.max(monotonicNow() - maxListAgeMs, createdAt) };
	}

	#getBalance(): { balance?: number } {
		return { balance: this.#balance?.balance };
	}

	#record(details: DecisionDetails): Decision {
		return this.session.results.set(this.id, this.#decide(details));
	}

	#decide(details: DecisionDetails): Decision {
		return createDecision(this.id, this.#exchange, details, this.options);
	}

	/** Ends the run, because the error concerns every offer. */
	#stopRun(error: ServiceError): ServiceError {
		this.session.stopReason ??= error.message;
		return error;
	}
}
