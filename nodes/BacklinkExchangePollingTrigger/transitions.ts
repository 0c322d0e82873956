import type { IDataObject } from 'n8n-workflow';

import { stateOf, states } from '../shared/state';
import { compareTimes, finer, readTime, writeTime } from './times';

/** The stage that each transition leads to, in the order of the life cycle. */
const stageAfter = { requested: 0, accepted: 1, published: 2, broken: 3 } as const;
type TransitionName = keyof typeof stageAfter;

/** What is remembered of an exchange. */
export interface KnownExchange {
	/** How far it has come: the index of its state in the order of the life cycle; -1 before it is listed. */
	stage: number;
	/** As `writeTime` writes them. */
	acceptedAt?: string;
	publishedAt?: string;
	/** How often it was accepted, and how often published and broken with the time of publication that it has. */
	counts: Readonly<Record<Exclude<TransitionName, 'requested'>, number>>;
	/** What the last poll showed, if that seemed to be older than what had been seen before. */
	doubt?: string;
}

/** An event that the trigger has found. */
export interface Change {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Of an alert: the record of its exchange, where the list was read. */
	exchange?: IDataObject;
	/** Epoch seconds of the event, or of what came right before it in the same exchange; 0 where the record shows neither. */
	time: number;
	/** 2 for the second time with the same documented time, and so on; 1 if left out. */
	occurrence?: number;
}

const neverListed: KnownExchange = { stage: -1, counts: { accepted: 0, published: 0, broken: 0 } };

/**
 * What happened to an exchange since the poll before, in the order in which it happened; without `before`, everything that
 * led to what it is now. An exchange that is live was accepted before, whether or not a poll came in between.
 *
 * A later stage, or a later time of publication, is believed at once. Anything else may be older than what has been seen,
 * until the second poll in a row shows it (`isDecided`; decision 0008).
 */
export function advance(record: IDataObject, before = neverListed) {
	const acceptedAt = writeTime(record.accepted_at);
	const publishedAt = writeTime(record.published_at);
	const acceptance = compareTimes(acceptedAt, before.acceptedAt);
	const publication = compareTimes(publishedAt, before.publishedAt);
	const { requested, accepted, published, broken } = stageAfter;
	const stageByTimes = publishedAt ? published : acceptedAt ? accepted : requested;
	// A status that is not documented says nothing; then the times may.
	const state = stateOf(record);
	const stage = state ? states.indexOf(state) : Math.max(before.stage, stageByTimes);
	const counts = { requested: 0, ...before.counts };
	if (acceptance === 'later') counts.accepted = 0;
	if (publication === 'later' || publication === 'other') counts.published = counts.broken = 0;

	const happened = {
		requested: before.stage < requested,
		// The same documented time is the same acceptance.
		accepted: counts.accepted === 0 || (before.stage < accepted && before.acceptedAt === undefined),
		// A broken link that is live is published again.
		published: counts.published === 0 || before.stage < published || before.stage > stage,
		broken: counts.broken === 0 || before.stage < broken,
	};
	const times: Partial<Record<TransitionName, string>> = {
		accepted: acceptedAt,
		published: publishedAt,
	};
	let time = 0;
	const changes: Change[] = (Object.keys(stageAfter) as TransitionName[])
		.filter((name) => stage >= stageAfter[name] && happened[name])
		.map((name) => {
			time = Math.max(time, readTime(times[name])?.seconds ?? 0);
			return { event: `exchange.${name}`, data: record, time, occurrence: ++counts[name] };
		});

	const mayBeOld =
		publication === 'other' ||
		publication === 'earlier' ||
		(publication === 'same' && stage < before.stage) ||
		changes.some(({ occurrence = 1 }) => occurrence > 1);
	const doubt = `${stage}/${publishedAt ?? ''}`;
	if (mayBeOld && doubt !== before.doubt) {
		return { changes: [], known: { ...before, doubt }, isDecided: false };
	}
	const known: KnownExchange = {
		stage,
		acceptedAt: acceptance === 'later' ? acceptedAt : finer(before.acceptedAt, acceptedAt),
		publishedAt: publication === 'same' ? finer(before.publishedAt, publishedAt) : publishedAt,
		counts,
	};
	return { changes, known, isDecided: mayBeOld };
}

/** The documented moments of an exchange, in epoch seconds and in the order of the life cycle. */
export function momentsOf({ acceptedAt, publishedAt }: KnownExchange): number[] {
	return [acceptedAt, publishedAt].flatMap((time) => readTime(time)?.seconds ?? []);
}
