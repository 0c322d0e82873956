import type { IDataObject } from 'n8n-workflow';

import { exchangeStatuses, getStatus } from '../shared/api/forms/exchangeStatus';
import { isAfter, parseEpochSeconds } from '../shared/utils/time';
import type { DetectedEvent, KnownExchange } from './trigger.types';

/** Each takes about 100 bytes of static data, as JSON. */
export const maxTrackedExchanges = 10_000;

/** In the order of the life cycle, as `exchangeStatuses`. */
const stage = { requested: 0, accepted: 1, published: 2, broken: 3 } as const;
const stageNames = Object.keys(stage);
const neverListed: KnownExchange = { stage: -1, publishCount: 0 };

/**
 * Returns the diff between the listed exchanges and the known ones, and the next known exchanges.
 *
 * Exchanges that aren't listed stay known while there is capacity.
 *
 * @param previous `undefined` if no exchanges were watched before; then there are no events
 */
export function diffExchanges(
	listed: ReadonlyMap<string, IDataObject>,
	previous: Record<string, KnownExchange> | undefined,
) {
	const previousById = new Map(Object.entries(previous ?? {}));
	const next = new Map<string, KnownExchange>();
	const events: DetectedEvent[] = [];
	for (const [id, record] of listed) {
		const diff = diffExchange(record, previousById.get(id) ?? neverListed);
		next.set(id, diff.known);
		events.push(...diff.events);
	}
	for (const [id, each] of previousById) {
		if (next.size >= maxTrackedExchanges) break;
		if (!listed.has(id)) next.set(id, { ...each, pendingObservation: 'missing' });
	}
	return { events: previous === undefined ? [] : events, known: Object.fromEntries(next) };
}

/** Returns whether a list lacks known exchanges that the previous poll still listed. */
export function hasMissingExchanges(
	listed: ReadonlySet<string | undefined>,
	previous: Record<string, KnownExchange>,
): boolean {
	return Object.entries(previous).some(
		([id, { pendingObservation }]) => !listed.has(id) && pendingObservation !== 'missing',
	);
}

/**
 * Returns the transitions of an exchange since the previous poll, in order.
 *
 * A transition counts if its stage is new, or if its timestamp is later (accepted again,
 * republished): then a new cycle has begun, and the stage may move back. A record that moves back
 * without a later timestamp is a stale read and is ignored. A broken link that is live in two
 * consecutive polls was republished. A record with any other status is closed: it has no
 * transitions, and what follows it is compared with what was known before.
 */
function diffExchange(
	record: IDataObject,
	previous: KnownExchange,
): { events: DetectedEvent[]; known: KnownExchange } {
	if (getStatus(record) === 'closed') {
		return { events: [], known: { ...previous, pendingObservation: undefined } };
	}
	const current = parseExchange(record);
	if (isAfter(previous.publishedAt, current.publishedAt)) return { events: [], known: previous };
	const wasReaccepted = isAfter(current.acceptedAt, previous.acceptedAt);
	const wasRepublished = isAfter(current.publishedAt, previous.publishedAt);
	const isNewCycle = wasReaccepted || wasRepublished;
	const isLiveAgain =
		previous.stage === stage.broken && current.stage === stage.published && !isNewCycle;
	if (isLiveAgain && previous.pendingObservation !== 'live') {
		return { events: [], known: { ...previous, pendingObservation: 'live' } };
	}

	// Broken with `accepted_at` and without `published_at`: the link has never been live.
	const wasNeverLive =
		current.stage === stage.broken &&
		current.acceptedAt !== undefined &&
		current.publishedAt === undefined;
	// An exchange that was closed when it was first listed isn't new, unless it can be accepted now.
	const isNewOffer = previous === neverListed || current.stage === stage.requested;
	const isNewTransition = [
		previous.stage < stage.requested && isNewOffer,
		previous.stage < stage.accepted || wasReaccepted,
		(previous.stage < stage.published && !wasNeverLive) || wasRepublished || isLiveAgain,
		previous.stage < stage.broken || wasRepublished,
	];
	const transitions = Object.values(stage).filter(
		(each) => each <= current.stage && isNewTransition[each],
	);
	const publishCount =
		(wasRepublished ? 0 : previous.publishCount) + (transitions.includes(stage.published) ? 1 : 0);
	const timestamps: Partial<Record<number, number>> = {
		[stage.accepted]: current.acceptedAt,
		[stage.published]: current.publishedAt,
	};
	let time = 0;
	const events = transitions.map((each): DetectedEvent => {
		time = Math.max(time, timestamps[each] ?? 0);
		const occurrence = each >= stage.published ? publishCount : 1;
		return { event: `exchange.${stageNames[each]}`, data: record, time, occurrence };
	});
	return {
		events,
		known: {
			stage: isNewCycle || isLiveAgain ? current.stage : Math.max(previous.stage, current.stage),
			publishCount,
			acceptedAt: current.acceptedAt ?? previous.acceptedAt,
			publishedAt: current.publishedAt ?? previous.publishedAt,
		},
	};
}

/** Parses a record. If its status can't be read, its timestamps determine the stage. */
function parseExchange(record: IDataObject): KnownExchange {
	const acceptedAt = parseEpochSeconds(record.accepted_at);
	const publishedAt = parseEpochSeconds(record.published_at);
	const stageByTimes = publishedAt
		? stage.published
		: acceptedAt
			? stage.accepted
			: stage.requested;
	const status = getStatus(record);
	return {
		stage:
			status === undefined || status === 'closed' ? stageByTimes : exchangeStatuses.indexOf(status),
		publishCount: 0,
		acceptedAt,
		publishedAt,
	};
}
