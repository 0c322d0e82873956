import type { Exchange } from '../../shared/api/exchange';
import { exchangeStatuses } from '../../shared/api/forms/exchangeStatus';
import { type EventData, type Stage, stages } from '../../shared/events/event.types';
import { isAfter } from '../../shared/utils/time';

/** Known exchange. Times are in epoch seconds. */
export interface KnownExchange {
	/** Index of its stage in the life cycle; -1 while it has only been closed. */
	stage: number;
	/** Number of times that the link was published with this `publishedAt`. */
	publishCount: number;
	acceptedAt?: number;
	publishedAt?: number;
	/** Seen in the last poll only: a broken link is live (possibly a stale read), or isn't listed. */
	pendingObservation?: 'live' | 'missing';
}

interface ExchangeDiff {
	/** The stages that it has reached since the previous poll, in their order. */
	newStages: Array<Pick<EventData, 'count' | 'sortTime'> & { stage: Stage }>;
	known: KnownExchange;
}

const [requested, accepted, published, broken] = [0, 1, 2, 3] as const;
const neverListed: KnownExchange = { stage: -1, publishCount: 0 };

/**
 * Returns the stages that an exchange has reached since the previous poll.
 *
 * A stage counts if it's new, or if its timestamp is later (accepted again, republished): then a
 * new cycle has begun, and the stage may move back. A record that moves back without a later
 * timestamp is a stale read and is ignored. A broken link that is live in two consecutive polls was
 * republished. A closed exchange has reached nothing, and what follows it is compared with what was
 * known before.
 */
export function diffExchange(
	exchange: Exchange,
	previous: KnownExchange = neverListed,
): ExchangeDiff {
	if (exchange.status === 'closed') {
		return { newStages: [], known: { ...previous, pendingObservation: undefined } };
	}
	const { acceptedAt, publishedAt } = exchange;
	const stage = getStage(exchange);
	if (isAfter(previous.publishedAt, publishedAt)) return { newStages: [], known: previous };
	const wasReaccepted = isAfter(acceptedAt, previous.acceptedAt);
	const wasRepublished = isAfter(publishedAt, previous.publishedAt);
	const isNewCycle = wasReaccepted || wasRepublished;
	const isLiveAgain = previous.stage === broken && stage === published && !isNewCycle;
	if (isLiveAgain && previous.pendingObservation !== 'live') {
		return { newStages: [], known: { ...previous, pendingObservation: 'live' } };
	}

	// Broken with `accepted_at` and without `published_at`: the link has never been live.
	const wasNeverLive = stage === broken && acceptedAt !== undefined && publishedAt === undefined;
	// An exchange that was closed when it was first listed isn't new, unless it can be accepted now.
	const isNewOffer = previous === neverListed || stage === requested;
	const isNewStage = {
		requested: previous.stage < requested && isNewOffer,
		accepted: previous.stage < accepted || wasReaccepted,
		published: (previous.stage < published && !wasNeverLive) || wasRepublished || isLiveAgain,
		broken: previous.stage < broken || wasRepublished,
	};
	const newStages = stages.filter((each, index) => index <= stage && isNewStage[each]);
	const previousCount = wasRepublished ? 0 : previous.publishCount;
	const publishCount = previousCount + (newStages.includes('published') ? 1 : 0);
	const counts = { requested: 1, accepted: 1, published: publishCount, broken: publishCount };
	// An offer comes first, a broken link last: the service documents no times for them.
	const sortTimes = {
		requested: 0,
		accepted: acceptedAt ?? 0,
		published: publishedAt ?? acceptedAt ?? 0,
		broken: undefined,
	};
	return {
		newStages: newStages.map((each) => ({
			stage: each,
			count: counts[each],
			sortTime: sortTimes[each],
		})),
		known: {
			stage: isNewCycle || isLiveAgain ? stage : Math.max(previous.stage, stage),
			publishCount,
			acceptedAt: acceptedAt ?? previous.acceptedAt,
			publishedAt: publishedAt ?? previous.publishedAt,
		},
	};
}

/** Returns the index of the stage. If the status can't be read, the times determine it. */
function getStage({ status, acceptedAt, publishedAt }: Exchange): number {
	if (status !== undefined && status !== 'closed') return exchangeStatuses.indexOf(status);
	return publishedAt ? published : acceptedAt ? accepted : requested;
}
