import type { IDataObject } from 'n8n-workflow';

import { stateOf, states } from '../shared/state';
import { compareTimes, finer, readTime, writeTime } from './times';

/** How far an exchange has come: the index of its status in the order of the life cycle. */
type Stage = number;
const [accepted, live, broken] = [1, 2, 3];

/** What one poll shows of an exchange. */
export interface Shown {
	/** Undefined for a status that is not documented. */
	stage?: Stage;
	/** As `writeTime` writes them. */
	acceptedAt?: string;
	publishedAt?: string;
}

/** What is remembered of an exchange. */
export interface KnownExchange extends Shown {
	stage: Stage;
	/** How often it was accepted, and how often published and broken with the time of publication that it has. */
	counts: readonly [accepted: number, published: number, broken: number];
	/** What the last poll showed, if that seemed to be older than what had been seen before. */
	doubt?: string;
}

/** Something that happened to an exchange. */
export interface Transition {
	event: string;
	/** Epoch seconds, where the record tells. */
	time?: number;
	/** 2 for the second time with the same documented time, and so on. */
	occurrence: number;
}

export function shownBy(record: IDataObject): Shown {
	const stage = states.findIndex((state) => state === stateOf(record));
	return {
		...(stage !== -1 && { stage }),
		acceptedAt: writeTime(record.accepted_at),
		publishedAt: writeTime(record.published_at),
	};
}

/** What is known of an exchange that is seen for the first time. */
export function firstSeen(shown: Shown): KnownExchange {
	const stage = stageOf(shown, 0);
	return { ...shown, stage, counts: usualCounts(stage) };
}

/** What an exchange that came so far without any detour has behind it. */
export function usualCounts(stage: Stage): KnownExchange['counts'] {
	return [stage >= accepted ? 1 : 0, stage >= live ? 1 : 0, stage >= broken ? 1 : 0];
}

/** Everything that happened to an exchange until it came as far as it is seen for the first time. */
export function transitionsSoFar(seen: KnownExchange): Transition[] {
	return [
		{ event: 'exchange.requested', occurrence: 1 },
		...(seen.stage >= accepted ? [transition('accepted', seen.acceptedAt, 1)] : []),
		...(seen.stage >= live ? [transition('published', seen.publishedAt, 1)] : []),
		...(seen.stage >= broken ? [transition('broken', undefined, 1)] : []),
	];
}

/**
 * What happened to an exchange since it was last seen, in the order in which it happened. An exchange that is live has
 * been accepted before, whether or not anybody looked in between.
 *
 * What has not been seen before is believed at once: a later stage, or a later time of publication. Anything else may be
 * older than what has been seen: either the service's list lags, or a link was repaired, or broke again, and kept its
 * time of publication, or a clock that was ahead was corrected. The second poll in a row that shows the same decides that
 * it was no lag. An earlier time of publication is a correction, and no event.
 */
export function advance(
	shown: Shown,
	before: KnownExchange,
): { transitions: Transition[]; seen: KnownExchange } {
	const stage = stageOf(shown, before.stage);
	const published = compareTimes(shown.publishedAt, before.publishedAt);
	const isPublishedAnew = published === 'later' || published === 'other';
	const isAcceptedAnew = compareTimes(shown.acceptedAt, before.acceptedAt) === 'later';
	const isLiveAgain = before.stage === broken && stage === live;
	const counts: [number, number, number] = [
		isAcceptedAnew ? 0 : before.counts[0],
		isPublishedAnew ? 0 : before.counts[1],
		isPublishedAnew ? 0 : before.counts[2],
	];

	const transitions: Transition[] = [];
	// The same documented time is the same acceptance.
	const isSameAcceptance = counts[0] > 0 && before.acceptedAt !== undefined;
	if (stage >= accepted && (isAcceptedAnew || (before.stage < accepted && !isSameAcceptance))) {
		transitions.push(transition('accepted', shown.acceptedAt, ++counts[0]));
	}
	if (stage >= live && (before.stage < live || isPublishedAnew || isLiveAgain)) {
		transitions.push(transition('published', shown.publishedAt, ++counts[1]));
	}
	if (stage === broken && (before.stage < broken || isPublishedAnew)) {
		transitions.push(transition('broken', undefined, ++counts[2]));
	}

	const mayBeOld =
		published === 'other' ||
		published === 'earlier' ||
		(published === 'same' && stage < before.stage) ||
		transitions.some(({ occurrence }) => occurrence > 1);
	if (mayBeOld) {
		const doubt = `${stage}/${shown.publishedAt ?? ''}`;
		if (doubt !== before.doubt) return { transitions: [], seen: { ...before, doubt } };
	}
	const seen: KnownExchange = {
		stage,
		acceptedAt: isAcceptedAnew ? shown.acceptedAt : finer(before.acceptedAt, shown.acceptedAt),
		publishedAt:
			published === 'same' ? finer(before.publishedAt, shown.publishedAt) : shown.publishedAt,
		counts,
	};
	return { transitions, seen };
}

/** The documented moment of the last transition that has one, in epoch seconds. */
export function lastTime({ acceptedAt, publishedAt }: Shown): number | undefined {
	return readTime(publishedAt)?.seconds ?? readTime(acceptedAt)?.seconds;
}

/** The documented moment of the first transition that has one, in epoch seconds. */
export function firstTime({ acceptedAt, publishedAt }: Shown): number | undefined {
	return readTime(acceptedAt)?.seconds ?? readTime(publishedAt)?.seconds;
}

/** A status that is not documented says nothing; then the times may. */
function stageOf({ stage, acceptedAt, publishedAt }: Shown, atLeast: Stage): Stage {
	if (stage !== undefined) return stage;
	if (publishedAt !== undefined) return Math.max(atLeast, live);
	return acceptedAt === undefined ? atLeast : Math.max(atLeast, accepted);
}

function transition(
	name: 'accepted' | 'published' | 'broken',
	token: string | undefined,
	occurrence: number,
): Transition {
	return { event: `exchange.${name}`, time: readTime(token)?.seconds, occurrence };
}
