import type { IDataObject } from 'n8n-workflow';

import { stateOf, states } from '../shared/reading/state';
import { isLater, readFieldTime } from '../shared/time';

/** The stage that each transition leads to, in the order of the life cycle. */
const stageAfter = { requested: 0, accepted: 1, published: 2, broken: 3 } as const;
type TransitionName = keyof typeof stageAfter;

/** What is remembered of an exchange; times in epoch seconds. */
export interface KnownExchange {
	/** How far it has come: the index of its state in the order of the life cycle; -1 before it is listed. */
	stage: number;
	acceptedAt?: number;
	publishedAt?: number;
	/** How often it was published with the time of publication that it has. */
	rounds: number;
	/**
	 * What the last poll showed, if that may be older than what had been seen before (`advance`), or that the exchange was not
	 * listed (`missed`).
	 */
	doubt?: string;
}

/** An event that the trigger has found. */
export interface Change {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Epoch seconds of the event, or of what came right before it in the same exchange; 0 where the record shows neither. */
	time: number;
	/** 2 for the second time with the same documented time, and so on; 1 if left out. */
	occurrence?: number;
	/** When the exchange was published, in epoch seconds, where that was seen before and the record does not show it any more. */
	publishedAt?: number;
}

const neverListed: KnownExchange = { stage: -1, rounds: 0 };

/**
 * What happened to an exchange since the poll before, in the order in which it happened; without `before`, everything that
 * led to what it is now. A transition has happened if its stage was not reached before, or its time is later (decision 0008).
 *
 * Three records may be real or come from an old list: a broken link that is live with the same time (or was repaired), a
 * repaired link that is broken again, and an earlier time (or the clock was corrected). Such a record is believed when a
 * second poll in a row shows it; the result then has `isDecided`.
 * @returns the changes, what to remember of the exchange, and whether such a record was believed
 */
export function advance(record: IDataObject, before = neverListed) {
	const { requested, accepted, published, broken } = stageAfter;
	const { stage, acceptedAt, publishedAt } = read(record, before);
	const isAcceptedAnew = isLater(acceptedAt, before.acceptedAt);
	const isPublishedAnew = isLater(publishedAt, before.publishedAt);
	const isRepaired = before.stage === broken && stage === published && !isPublishedAnew;
	const isBrokenAgain =
		before.stage === published && before.rounds > 1 && stage === broken && !isPublishedAnew;
	const isCorrected = isLater(before.publishedAt, publishedAt);

	// If the last poll has shown the same, the record is believed.
	const mayBeOld = isRepaired || isBrokenAgain || isCorrected;
	const doubt = `${stage}/${publishedAt ?? ''}`;
	if (mayBeOld && doubt !== before.doubt) {
		return { changes: [], known: { ...before, doubt }, isDecided: false };
	}

	// A broken link whose record has a time of acceptance and none of publication has not been live.
	const wasNeverLive = stage === broken && acceptedAt !== undefined && record.published_at === null;
	const happened: Record<TransitionName, boolean> = {
		requested: before.stage < requested,
		accepted: before.stage < accepted || isAcceptedAnew,
		published: (before.stage < published && !wasNeverLive) || isPublishedAnew || isRepaired,
		broken: before.stage < broken || isPublishedAnew,
	};
	const transitions = (Object.keys(stageAfter) as TransitionName[]).filter(
		(name) => stage >= stageAfter[name] && happened[name],
	);
	const earlierRounds = isPublishedAnew ? 0 : before.rounds;
	const rounds = earlierRounds + (transitions.includes('published') ? 1 : 0);
	const known: KnownExchange = {
		stage: isRepaired || isPublishedAnew ? stage : Math.max(before.stage, stage),
		acceptedAt: isAcceptedAnew ? acceptedAt : (before.acceptedAt ?? acceptedAt),
		publishedAt: isPublishedAnew || isCorrected ? publishedAt : (before.publishedAt ?? publishedAt),
		rounds,
	};
	const times = { requested: 0, accepted: acceptedAt, published: publishedAt, broken: 0 };
	const seenBefore = publishedAt === undefined ? known.publishedAt : undefined;
	const changes = transitions.map((name, index): Change => {
		const upToIt = transitions.slice(0, index + 1).map((each) => times[each] ?? 0);
		return {
			event: `exchange.${name}`,
			data: record,
			time: Math.max(...upToIt),
			occurrence: stageAfter[name] >= published ? rounds : 1,
			publishedAt: seenBefore,
		};
	});
	return { changes, known, isDecided: mayBeOld };
}

/** The documented moments of an exchange, in epoch seconds and in the order of the life cycle. */
export function momentsOf({ acceptedAt, publishedAt }: KnownExchange): number[] {
	return [acceptedAt, publishedAt].filter((time) => time !== undefined);
}

/**
 * What a record shows. Where the status is not a documented one, the times show how far the exchange is: a link with a later
 * time of publication is live again.
 */
function read(record: IDataObject, before: KnownExchange) {
	const { requested, accepted, published } = stageAfter;
	const acceptedAt = readFieldTime(record.accepted_at)?.seconds;
	const publishedAt = readFieldTime(record.published_at)?.seconds;
	const stageByTimes = publishedAt ? published : acceptedAt ? accepted : requested;
	const state = stateOf(record);
	const reached = isLater(publishedAt, before.publishedAt) ? published : before.stage;
	const stage = state ? states.indexOf(state) : Math.max(reached, stageByTimes);
	return { stage, acceptedAt, publishedAt };
}
