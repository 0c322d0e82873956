import type { Exchange } from '../../../../shared/api/exchange';
import {
	type ExchangeList,
	fetchExchanges,
	getMissingStatuses,
} from '../../../../shared/api/fetchExchanges';
import {
	formatError,
	outcomeUnknownCode,
	ServiceError,
	toServiceError,
} from '../../../../shared/errors';
import { sanitize } from '../../../../shared/formatting/message';
import type { ApiClient } from '../../../../shared/transport/apiClient';
import { noCache } from '../../../../shared/transport/requestCache';
import { createYielder } from '../../../../shared/transport/yieldToEventLoop';
import { isPathSegment } from '../../../../shared/utils/ids';
import { truncatedHint } from '../../../commonHints';
import type { OperationContext } from '../../../operation.types';
import type { AcceptOptions, Denial } from '../accept/accept.types';
import { acceptOffer, type AcceptSession } from '../accept/acceptOffer';
import { createDecision, type Decision } from '../decision';
import { DayLimit, getAcceptedInLast24Hours } from './maxPerDay';
import { getCombinedDenial, type Rules } from './rules';

/** The first failure doesn't end a run, because other offers may be cheaper. */
const maxFailuresInRow = 3;

/** Failures that concern one offer only: it's gone, or no longer pending. */
const statusesOfOneOffer: ReadonlyArray<number | undefined> = [404, 409];

/** The rules of one input item, and how many offers they may accept in 24 hours. */
export interface RuleSet {
	rules: Rules;
	/** Infinity if it isn't set. */
	maxPerDay: number;
}

export interface AcceptPolicy {
	ruleSets: readonly RuleSet[];
	options: AcceptOptions;
}

export interface RunResult {
	/** In the order of the list. */
	decisions: Decision[];
	/** Reason for accepting no further offer, if the run stopped. */
	stopReason?: string;
	/** Number of listed offers from partners that were accepted at any time. */
	acceptedCount: number;
	/** Entries of Allowed Partners from whom no offer is pending. */
	partnersWithoutOffer: string[];
}

/**
 * Fetches the list, decides about each offer that is pending or has an unreadable status, and
 * accepts the offers that the policy allows.
 *
 * @throws {ServiceError} if the list can't be used
 */
export async function acceptOffers(
	session: AcceptSession,
	policy: AcceptPolicy,
	hint: OperationContext['hint'],
): Promise<RunResult> {
	const { client } = session;
	const isPerDay = policy.ruleSets.some(({ maxPerDay }) => maxPerDay !== Infinity);
	// Max per Day and the estimate of a dry run also count exchanges that the list without a status
	// leaves out.
	const extraStatuses = isPerDay || policy.options.dryRun ? getMissingStatuses : undefined;
	const list = await fetchExchanges(client, { ...noCache, extraStatuses });
	const run = new Run(session, policy, isPerDay ? getAcceptedInLast24Hours(client, list) : []);
	const incoming = list.exchanges.filter(({ direction }) => direction === 'incoming');
	const decisions = await decideAll(run, incoming);
	addHints(hint, run, list, decisions);
	const pending = incoming.filter(({ status }) => status === 'pending');
	return {
		decisions,
		stopReason: session.stopReason,
		acceptedCount: incoming.filter(({ wasAccepted }) => wasAccepted).length,
		partnersWithoutOffer: [
			...new Set(policy.ruleSets.flatMap(({ rules }) => rules.getPartnersWithout(pending))),
		],
	};
}

/** Decides about the offers that the rules concern, and returns the decisions in the same order. */
async function decideAll(run: Run, incoming: readonly Exchange[]): Promise<Decision[]> {
	const { client } = run.session;
	const offers = incoming.filter((exchange) => run.isConcerned(exchange));
	const decisionsByOffer = new Map<Exchange, Decision | undefined>();
	const yieldIfBusy = createYielder(client.signal);
	for (const exchange of sortRejectedLast(client, offers)) {
		decisionsByOffer.set(exchange, await run.decide(exchange));
		await yieldIfBusy();
	}
	return offers.flatMap((exchange) => decisionsByOffer.get(exchange) ?? []);
}

/** Adds the hints about why the run ended, and about offers that it left out. */
function addHints(
	hint: OperationContext['hint'],
	run: Run,
	list: ExchangeList,
	decisions: readonly Decision[],
): void {
	const { client, stopReason } = run.session;
	// Without all of your sites, the direction may be wrong.
	const isIncomplete = list.truncated || client.account.ownSites?.truncated === true;
	if (isIncomplete) hint('truncated', truncatedHint);
	if (stopReason !== undefined) {
		hint('stopReason', `No further offer can be accepted now: ${stopReason}`);
	}
	const pending = list.exchanges.filter(({ status }) => status === 'pending');
	const otherCount = pending.filter(
		(each) => each.direction === 'incoming' && !run.isConcerned(each),
	).length;
	if (otherCount > 0) hint('otherSites', getOtherSitesHint(otherCount));
	else if (decisions.length === 0) {
		const count = list.exchanges.length;
		const nothingPending = 'No offer from a partner is pending.';
		hint('nothingPending', `${nothingPending} Exchanges that the service lists: ${count}.`);
	}
	const outgoingCount = pending.filter(({ direction }) => direction === 'outgoing').length;
	if (outgoingCount > 0) hint('outgoing', getOutgoingHint(outgoingCount));
}

/** Counts the pending offers that are for none of Your Sites. */
function getOtherSitesHint(count: number): string {
	const subject = count === 1 ? '1 pending offer was' : `${count} pending offers were`;
	return `${subject} left out, because no site in 'Your Sites' gets the link.`;
}

/** Counts the offers that wait for partners. */
function getOutgoingHint(count: number): string {
	return count === 1
		? '1 of your own offers is waiting for its partner.'
		: `${count} of your own offers are waiting for partners.`;
}

/** Moves offers whose last request was rejected to the end, so that they don't delay the others. */
function sortRejectedLast({ account }: ApiClient, offers: Exchange[]): Exchange[] {
	const isRejected = ({ id = '' }: Exchange) => account.accepts.isRejected(id);
	return [...offers.filter((offer) => !isRejected(offer)), ...offers.filter(isRejected)];
}

/** Decides about the offers of one run. */
class Run {
	readonly session: AcceptSession;

	readonly policy: AcceptPolicy;

	readonly #rules: readonly Rules[];

	readonly #dayLimits: readonly DayLimit[];

	/** Kind of the last failure, `undefined` after a success, and how many came in a row. */
	#lastFailure: string | undefined;

	#countInRow = 0;

	constructor(session: AcceptSession, policy: AcceptPolicy, acceptedToday: readonly Exchange[]) {
		this.session = session;
		this.policy = policy;
		this.#rules = policy.ruleSets.map(({ rules }) => rules);
		this.#dayLimits = policy.ruleSets.map(({ rules, maxPerDay }) => new DayLimit(rules, maxPerDay));
		for (const exchange of acceptedToday) this.#addToday(exchange);
	}

	/** Returns whether a set of rules decides about an exchange. */
	isConcerned(exchange: Exchange): boolean {
		return this.#rules.some(({ isForYourSites }) => isForYourSites(exchange) !== false);
	}

	/**
	 * Decides about a listed exchange, and accepts it if nothing denies it.
	 *
	 * @returns `undefined` if the exchange isn't an offer
	 */
	async decide(exchange: Exchange): Promise<Decision | undefined> {
		const { session, policy } = this;
		const { id = '', status } = exchange;
		// The result of an earlier request is reported even if the rules now deny the offer.
		if (session.results.get(id) === undefined) {
			if (status !== undefined && status !== 'pending') return undefined;
			const denial = this.#getDenial(exchange);
			if (denial !== undefined) return createDecision(id, exchange, denial, policy.options);
		}
		const result = await acceptOffer(session, id, policy.options, (listed) =>
			listed === undefined
				? toNeedsReview('The service no longer lists it')
				: this.#getDenial(listed),
		).catch(toServiceError);
		this.#updateStopReason(result);
		const decision = result instanceof ServiceError ? this.#toFailed(exchange, result) : result;
		if (['accepted', 'unknown', 'wouldAccept'].includes(decision.outcome)) {
			this.#addToday(exchange);
		}
		return decision;
	}

	/** Evaluates the rules, the state of the run and the limits on an offer. */
	#getDenial(exchange: Exchange): Denial | undefined {
		const { session, policy } = this;
		if (!isPathSegment(exchange.id ?? '')) return toNeedsReview("Its ID can't be read");
		if (exchange.status === undefined) return toNeedsReview("Its status can't be read");
		const ruleDenial = getCombinedDenial(this.#rules, exchange);
		if (ruleDenial !== undefined) return ruleDenial;
		if (session.stopReason !== undefined) {
			return { outcome: 'skipped', reason: session.stopReason };
		}
		const dayDenials = this.#dayLimits.flatMap((limit) => limit.getDenial(exchange) ?? []);
		return dayDenials[0] ?? session.results.getMaxAcceptsDenial(policy.options);
	}

	#addToday(exchange: Exchange): void {
		for (const limit of this.#dayLimits) limit.add(exchange);
	}

	/** Ends the run after several failures of the same kind in a row. */
	#updateStopReason(result: Decision | ServiceError): void {
		const kind = result instanceof ServiceError ? getFailureKind(result) : undefined;
		this.#countInRow = kind === this.#lastFailure ? this.#countInRow + 1 : 1;
		this.#lastFailure = kind;
		if (result instanceof ServiceError && kind !== undefined) {
			if (this.#countInRow >= maxFailuresInRow) this.session.stopReason ??= getStopReason(result);
		}
	}

	/** Converts a failed accept: `unknown` if credits may have been spent, `failed` if none were. */
	#toFailed(exchange: Exchange, error: ServiceError): Decision {
		const isUnknown = error.code === outcomeUnknownCode;
		const outcome = isUnknown ? 'unknown' : 'failed';
		const reason = isUnknown ? error.description : formatError(error);
		return createDecision(exchange.id ?? '', exchange, { outcome, reason }, this.policy.options);
	}
}

/** @returns `undefined` for a failure that concerns one offer only */
function getFailureKind({ statusCode, code }: ServiceError): string | undefined {
	if (statusCode === undefined && code === undefined) return undefined;
	return statusesOfOneOffer.includes(statusCode) ? undefined : `${statusCode} ${code}`;
}

/** Describes failures in a row, of which this is the last one. */
function getStopReason({ statusCode, code }: ServiceError): string {
	if (code === outcomeUnknownCode) {
		return `The outcome of the last ${maxFailuresInRow} requests isn't known. Check the offers with this outcome in your dashboard, then run the workflow again`;
	}
	const reason =
		code === 'insufficient_credits'
			? "because you don't have enough credits"
			: `with the same response (HTTP ${statusCode}${code === undefined ? '' : `, ${sanitize(code, 60)}`})`;
	return `The service declined ${maxFailuresInRow} offers in a row ${reason}`;
}

function toNeedsReview(reason: string): Denial {
	return { outcome: 'needsReview', reason };
}
