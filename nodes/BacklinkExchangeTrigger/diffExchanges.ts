import type { IDataObject } from 'n8n-workflow';

import { exchangeStatuses, getStatus } from '../shared/api/exchangeStatus';
import { isAfter, parseEpochSeconds } from '../shared/utils/time';
import type { DetectedEvent, KnownExchange } from './trigger.types';

/** The most exchanges that are remembered. As JSON, one takes about 100 bytes. */
export const maxTrackedExchanges = 10_000;

const stage = { requested: 0, accepted: 1, published: 2, broken: 3 } as const;
const stageNames = Object.keys(stage);
const neverListed: KnownExchange = { stage: -1, publishCount: 0 };

/**
 * What has happened to the exchanges since the poll before, and what to remember of them. Those that are not listed are
 * remembered as long as there is room.
 * @param previous undefined where none were watched: then nothing has happened
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

/** Whether exchanges are known that a list does not show, and that were listed at the poll before. */
export function hasMissingExchanges(
	listed: ReadonlySet<string | undefined>,
	previous: Record<string, KnownExchange>,
): boolean {
	return Object.entries(previous).some(
		([id, { pendingObservation }]) => !listed.has(id) && pendingObservation !== 'missing',
	);
}

/**
 * What has happened to an exchange, in the order in which it happened. A transition has happened if its stage was not reached
 * before, or its time is later: then another round has begun, and the stage may go back. A record that goes back without one
 * comes from an old list and is ignored; but a broken link that is live at two polls in a row is published again.
 */
function diffExchange(
	record: IDataObject,
	previous: KnownExchange,
): { events: DetectedEvent[]; known: KnownExchange } {
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

	// A broken link that has a time of acceptance and none of publication has never been live.
	const wasNeverLive =
		current.stage === stage.broken &&
		current.acceptedAt !== undefined &&
		current.publishedAt === undefined;
	const isNewTransition = [
		previous.stage < stage.requested,
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

/** What a record shows. Where its status is not a documented one, the times show how far the exchange is. */
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
		stage: status === undefined ? stageByTimes : exchangeStatuses.indexOf(status),
		publishCount: 0,
		acceptedAt,
		publishedAt,
	};
}
