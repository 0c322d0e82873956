import type { IDataObject } from 'n8n-workflow';

import { timeToken } from '../shared/events';
import { stateOf, states } from '../shared/state';
import { readFieldTime } from '../shared/time';

/** How far an exchange has come: the index of its status in the order of the life cycle. */
type Stage = number;
const [accepted, live, broken] = [1, 2, 3];

/** What one look shows of an exchange. */
export interface Sight {
	/** Undefined for a status that is not documented. */
	stage?: Stage;
	/** As `rememberTime` writes them. */
	acceptedAt?: string;
	publishedAt?: string;
}

/** What is remembered of an exchange. */
export interface SeenExchange extends Sight {
	stage: Stage;
	/** How often it was accepted, and how often published and broken with the time of publication that it has. */
	counts: readonly [accepted: number, published: number, broken: number];
	/** What the last look showed, if that seemed to be older than what had been seen before. */
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

export function sightOf(record: IDataObject): Sight {
	const stage = states.findIndex((state) => state === stateOf(record));
	return {
		...(stage !== -1 && { stage }),
		acceptedAt: rememberTime(record.accepted_at),
		publishedAt: rememberTime(record.published_at),
	};
}

/** What is known of an exchange that is seen for the first time. */
export function firstSeen(sight: Sight): SeenExchange {
	const stage = stageOf(sight, 0);
	return { ...sight, stage, counts: usualCounts(stage) };
}

/** What an exchange that came so far without any detour has behind it. */
export function usualCounts(stage: Stage): SeenExchange['counts'] {
	return [stage >= accepted ? 1 : 0, stage >= live ? 1 : 0, stage >= broken ? 1 : 0];
}

/** Everything that happened to an exchange until it came as far as it is seen for the first time. */
export function transitionsSoFar(seen: SeenExchange): Transition[] {
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
 * time of publication. The second look in a row that shows the same decides that it was no lag.
 */
export function advance(
	sight: Sight,
	before: SeenExchange,
): { transitions: Transition[]; seen: SeenExchange } {
	const stage = stageOf(sight, before.stage);
	const published = compareTimes(sight.publishedAt, before.publishedAt);
	const isPublishedAnew = published !== 'same';
	const isAcceptedAnew = compareTimes(sight.acceptedAt, before.acceptedAt) === 'later';
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
		transitions.push(transition('accepted', sight.acceptedAt, ++counts[0]));
	}
	if (stage >= live && (before.stage < live || isPublishedAnew || isLiveAgain)) {
		transitions.push(transition('published', sight.publishedAt, ++counts[1]));
	}
	if (stage === broken && (before.stage < broken || isPublishedAnew)) {
		transitions.push(transition('broken', undefined, ++counts[2]));
	}

	const mayBeOld =
		published === 'other' ||
		(published === 'same' && stage < before.stage) ||
		transitions.some(({ occurrence }) => occurrence > 1);
	if (mayBeOld) {
		const doubt = `${stage}/${sight.publishedAt ?? ''}`;
		if (doubt !== before.doubt) return { transitions: [], seen: { ...before, doubt } };
	}
	const seen: SeenExchange = {
		stage,
		acceptedAt: isAcceptedAnew ? sight.acceptedAt : finer(before.acceptedAt, sight.acceptedAt),
		publishedAt: isPublishedAnew ? sight.publishedAt : finer(before.publishedAt, sight.publishedAt),
		counts,
	};
	return { transitions, seen };
}

/** The documented moment of the last transition that has one, in epoch seconds. */
export function lastTime({ acceptedAt, publishedAt }: Sight): number | undefined {
	return recall(publishedAt)?.seconds ?? recall(acceptedAt)?.seconds;
}

/** The documented moment of the first transition that has one, in epoch seconds. */
export function firstTime({ acceptedAt, publishedAt }: Sight): number | undefined {
	return recall(acceptedAt)?.seconds ?? recall(publishedAt)?.seconds;
}

/** A status that is not documented says nothing; then the times may. */
function stageOf({ stage, acceptedAt, publishedAt }: Sight, atLeast: Stage): Stage {
	if (stage !== undefined) return stage;
	if (publishedAt !== undefined) return Math.max(atLeast, live);
	return acceptedAt === undefined ? atLeast : Math.max(atLeast, accepted);
}

/** A time that is missing on one side is no other time. Texts that are no moments have no order. */
function compareTimes(
	now: string | undefined,
	before: string | undefined,
): 'same' | 'later' | 'other' {
	if (now === undefined || before === undefined || now === before) return 'same';
	const [time, earlier] = [recall(now), recall(before)];
	if (time === undefined || earlier === undefined) return 'other';
	// One of the two may be written without seconds, or as a date alone.
	const unit = Math.max(time.precision, earlier.precision);
	const difference = Math.floor(time.seconds / unit) - Math.floor(earlier.seconds / unit);
	if (difference === 0) return 'same';
	return difference > 0 ? 'later' : 'other';
}

/** Of two ways to write the same time, the one that tells more. */
function finer(one: string | undefined, other: string | undefined): string | undefined {
	const [precision = Infinity, otherPrecision = Infinity] = [one, other].map(
		(token) => recall(token)?.precision,
	);
	return otherPrecision < precision ? other : (one ?? other);
}

/** Epoch seconds, with the precision behind a slash where it is coarser; what is no moment as `timeToken` writes it. */
function rememberTime(value: unknown): string | undefined {
	const time = readFieldTime(value);
	if (time === undefined || time.precision === 1) return timeToken(value);
	return `${time.seconds}/${time.precision}`;
}

function recall(token: string | undefined): { seconds: number; precision: number } | undefined {
	const [, seconds, precision = 1] = /^(\d+)(?:\/(\d+))?$/.exec(token ?? '') ?? [];
	return seconds === undefined
		? undefined
		: { seconds: Number(seconds), precision: Number(precision) };
}

function transition(
	name: 'accepted' | 'published' | 'broken',
	token: string | undefined,
	occurrence: number,
): Transition {
	return { event: `exchange.${name}`, time: recall(token)?.seconds, occurrence };
}
