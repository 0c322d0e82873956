import { findExchange, isAccepted } from '../../../shared/exchanges';
import { type Explanation, isExplanation } from '../../../shared/explanation';
import { Turns } from '../../turns';
import { acceptMemory, isRecent, type Remembered } from './acceptMemory';
import { sendRequest } from './acceptRequest';
import {
	type AcceptResult,
	brokenLink,
	notChecked,
	stillPending,
	unknownOutcome,
} from './acceptResult';
import { type AcceptRun, type AcceptSettings, Offer } from './offer';

/** Milliseconds after a request in doubt before another one may be sent, if the offer is still pending then. */
const leastWait = 60_000;

/** One at a time in this process: for each exchange, and for the balance of each account. */
const turns = new Turns();

/**
 * Accepts one offer (docs/decisions/0003-accept-is-paid-once.md): what is remembered, check, guards, one POST, and a look
 * at the exchange when the answer does not settle it. An outcome that could not be seen is an explanation to throw, never
 * a result.
 */
export async function acceptOnce(
	run: AcceptRun,
	id: string,
	settings: AcceptSettings,
): Promise<AcceptResult | Explanation> {
	const offer = new Offer(run, id, settings);
	const { signal } = run.connection;
	return await turns.inTurn(offer.key, async () => await begin(offer), signal);
}

async function begin(offer: Offer): Promise<AcceptResult | Explanation> {
	const { connection, execution } = offer.run;
	const reached = execution.resultOf(offer.key);
	if (reached !== undefined) return reached;
	const remembered = acceptMemory.recall(offer.key);
	if (remembered?.state === 'accepted' && isRecent(remembered)) {
		return await offer.seen(remembered.record, 'memory');
	}
	const times = [remembered?.state === 'unknown' ? remembered.at : undefined];
	times.push(execution.sentAt(offer.key));
	offer.inDoubtSince = times.reduce(later);
	// If this process has asked for it before, the check is no longer a matter of choice.
	if (offer.settings.checkFirst || remembered !== undefined || offer.inDoubtSince !== undefined) {
		const settled = await check(offer, remembered);
		if (settled !== undefined) return settled;
	}
	if (offer.settings.minimumBalance === undefined) return await spend(offer);
	// Otherwise two executions could both see enough credits for one accept.
	const account = connection.accountKey('');
	return await turns.inTurn(account, async () => await spend(offer), connection.signal);
}

/** Looks at the exchange; undefined when a request may be sent. */
async function check(
	offer: Offer,
	remembered: Remembered | undefined,
): Promise<AcceptResult | Explanation | undefined> {
	const isInDoubt = offer.inDoubtSince !== undefined;
	const sighting = await findExchange(offer.run.connection, offer.id, {
		fresh: remembered !== undefined || isInDoubt,
	});
	const wasAccepted = remembered?.state === 'accepted';
	if (isExplanation(sighting)) {
		if (wasAccepted) return await offer.seen(remembered.record, 'memory');
		if (isInDoubt) return unknownOutcome(offer.id, offer.cause, sighting);
		return remembered ? notChecked(sighting) : sighting;
	}
	offer.record = sighting.record;
	if (isAccepted(offer.record)) return await offer.seen(offer.record, 'check');
	if (offer.record?.status === 'broken') return brokenLink(offer.id);
	if (offer.record?.status !== 'pending') {
		if (wasAccepted) return await offer.seen(remembered.record, 'memory');
		if (isInDoubt) return unknownOutcome(offer.id, offer.cause);
	}
	if (offer.inDoubtSince === undefined) return undefined;
	const isLongAgo = Date.now() - offer.inDoubtSince >= leastWait;
	return isLongAgo ? undefined : stillPending(offer.id, offer.cause);
}

/** Guards and request; with Retry Unconfirmed, once more a minute later. */
async function spend(offer: Offer): Promise<AcceptResult | Explanation> {
	const { connection, execution } = offer.run;
	for (let requests = 1; ; requests++) {
		const refusal = await refusalOf(offer);
		if (refusal !== undefined) return refusal;
		if (offer.settings.dryRun) {
			execution.wouldAccept(offer.key);
			return { id: offer.id, outcome: 'wouldAccept', ...offer.exchange() };
		}
		const result = await sendRequest(offer);
		if (result !== 'stillPending') return result;
		if (!offer.settings.retryUnconfirmed || requests > 1) {
			return stillPending(offer.id, offer.cause);
		}
		const since = offer.inDoubtSince ?? Date.now();
		await connection.pause(Math.max(since + leastWait - Date.now(), 0));
		const settled = await check(offer, acceptMemory.recall(offer.key));
		if (settled !== undefined) return settled;
	}
}

/** What keeps the request from being sent; undefined when nothing does. */
async function refusalOf(offer: Offer): Promise<AcceptResult | Explanation | undefined> {
	const { execution, credits } = offer.run;
	const { maxAccepts, minimumBalance } = offer.settings;
	let reason: string | undefined;
	if (maxAccepts > 0 && execution.countOthers(offer.key) >= maxAccepts) {
		reason = `The maximum of ${maxAccepts} accepts per execution is reached`;
	} else if (minimumBalance !== undefined) {
		const unsettled = execution.countUnsettledOthers(offer.key);
		const refusal = await credits.refusal(minimumBalance, unsettled);
		if (isExplanation(refusal)) {
			return offer.declined(refusal);
		}
		reason = refusal;
	}
	if (reason === undefined) return undefined;
	// "Skipped" would say that nothing was asked for.
	if (offer.inDoubtSince !== undefined) return stillPending(offer.id, offer.cause, reason);
	return { id: offer.id, outcome: 'skipped', reason, ...offer.exchange() };
}

function later(one: number | undefined, other: number | undefined): number | undefined {
	return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}
