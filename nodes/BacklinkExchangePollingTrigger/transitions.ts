import type { IDataObject } from 'n8n-workflow';

import { stateOf, states } from '../shared/state';
import { compareTimes, finer, readTime, writeTime } from './times';

/** How far an exchange has come: the index of its state in the order of the life cycle; -1 before it is listed. */
type Stage = number;

/** The stage that each transition leads to, in the order of the life cycle. */
const stageAfter = { requested: 0, accepted: 1, published: 2, broken: 3 } as const;
type TransitionName = keyof typeof stageAfter;

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
	counts: Readonly<Record<Exclude<TransitionName, 'requested'>, number>>;
	/** What the last poll showed, if that seemed to be older than what had been seen before. */
	doubt?: string;
}

/** Something that happened to an exchange. */
export interface Transition {
	event: string;
	/** Epoch seconds, where the record shows it. */
	time?: number;
	/** 2 for the second time with the same documented time, and so on. */
	occurrence: number;
}

const neverListed: KnownExchange = { stage: -1, counts: { accepted: 0, published: 0, broken: 0 } };

export function shownBy(record: IDataObject): Shown {
	const stage = states.findIndex((state) => state === stateOf(record));
	return {
		...(stage !== -1 && { stage }),
		acceptedAt: writeTime(record.accepted_at),
		publishedAt: writeTime(record.published_at),
	};
}

/**
 * What happened to an exchange since the poll before, in the order in which it happened; without `before`, everything that
 * led to what it is now. An exchange that is live was accepted before, whether or not a poll came in between.
 *
 * What has not been seen before is believed at once: a later stage, or a later time of publication. Anything else may be
 * older than what has been seen: either the service's list lags, or a link was repaired, or broke again, and kept its
 * time of publication, or a clock that was ahead was corrected. The second poll in a row that shows the same decides that
 * it was no lag. An earlier time of publication is a correction, and no event.
 */
export function advance(
	shown: Shown,
	before = neverListed,
): { transitions: Transition[]; known: KnownExchange } {
	const stage = stageOf(shown, Math.max(0, before.stage));
	const acceptance = compareTimes(shown.acceptedAt, before.acceptedAt);
	const publication = compareTimes(shown.publishedAt, before.publishedAt);
	const counts = { requested: 0, ...before.counts };
	if (acceptance === 'later') counts.accepted = 0;
	if (publication === 'later' || publication === 'other') counts.published = counts.broken = 0;

	const { accepted, published, broken } = stageAfter;
	const happened = {
		requested: before.stage < 0,
		// The same documented time is the same acceptance.
		accepted: counts.accepted === 0 || (before.stage < accepted && before.acceptedAt === undefined),
		// A broken link that is live is published again.
		published: counts.published === 0 || before.stage < published || before.stage > stage,
		broken: counts.broken === 0 || before.stage < broken,
	};
	const times: Partial<Record<TransitionName, string>> = {
		accepted: shown.acceptedAt,
		published: shown.publishedAt,
	};
	const transitions = (Object.keys(stageAfter) as TransitionName[])
		.filter((name) => stage >= stageAfter[name] && happened[name])
		.map((name) => ({
			event: `exchange.${name}`,
			time: readTime(times[name])?.seconds,
			occurrence: ++counts[name],
		}));

	const mayBeOld =
		publication === 'other' ||
		publication === 'earlier' ||
		(publication === 'same' && stage < before.stage) ||
		transitions.some(({ occurrence }) => occurrence > 1);
	const doubt = `${stage}/${shown.publishedAt ?? ''}`;
	if (mayBeOld && doubt !== before.doubt) return { transitions: [], known: { ...before, doubt } };
	const known: KnownExchange = {
		stage,
		acceptedAt:
			acceptance === 'later' ? shown.acceptedAt : finer(before.acceptedAt, shown.acceptedAt),
		publishedAt:
			publication === 'same' ? finer(before.publishedAt, shown.publishedAt) : shown.publishedAt,
		counts,
	};
	return { transitions, known };
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
	if (publishedAt !== undefined) return Math.max(atLeast, stageAfter.published);
	return acceptedAt === undefined ? atLeast : Math.max(atLeast, stageAfter.accepted);
}
