import type { IDataObject } from 'n8n-workflow';

import { stateOf, states } from '../shared/api/exchangeStatus';
import { isLater, readFieldTime } from '../shared/utils/time';
import type { Change, KnownExchange } from './trigger.types';

/** The most exchanges that are remembered. As JSON, one takes about 100 bytes. */
export const maxTrackedExchanges = 10_000;

const [requested, accepted, published, broken] = [0, 1, 2, 3];
const names = ['requested', 'accepted', 'published', 'broken'];
const neverListed: KnownExchange = { stage: -1, publishCount: 0 };

/**
 * What has happened to the exchanges since the poll before, and what to remember of them. Those that are not listed are
 * remembered as long as there is room.
 * @param before undefined where none were watched: then nothing has happened
 */
export function compareExchanges(
	listed: ReadonlyMap<string, IDataObject>,
	before: Record<string, KnownExchange> | undefined,
) {
	const known = new Map(Object.entries(before ?? {}));
	const seen = new Map<string, KnownExchange>();
	const changes: Change[] = [];
	for (const [id, record] of listed) {
		const advanced = advance(record, known.get(id) ?? neverListed);
		seen.set(id, advanced.known);
		changes.push(...advanced.changes);
	}
	for (const [id, each] of known) {
		if (seen.size >= maxTrackedExchanges) break;
		if (!listed.has(id)) seen.set(id, { ...each, pendingObservation: 'missing' });
	}
	return { changes: before === undefined ? [] : changes, seen: Object.fromEntries(seen) };
}

/** Whether exchanges are known that a list does not show, and that were listed at the poll before. */
export function lacksKnown(
	listed: ReadonlySet<string | undefined>,
	before: Record<string, KnownExchange>,
): boolean {
	return Object.entries(before).some(
		([id, { pendingObservation }]) => !listed.has(id) && pendingObservation !== 'missing',
	);
}

/**
 * What has happened to an exchange, in the order in which it happened. A transition has happened if its stage was not reached
 * before, or its time is later: then another round has begun, and the stage may go back. A record that goes back without one
 * comes from an old list and is ignored; but a broken link that is live at two polls in a row is published again.
 */
function advance(
	record: IDataObject,
	before: KnownExchange,
): { changes: Change[]; known: KnownExchange } {
	const shown = read(record);
	const { stage } = shown;
	if (isLater(before.publishedAt, shown.publishedAt)) return { changes: [], known: before };
	const isAcceptedAnew = isLater(shown.acceptedAt, before.acceptedAt);
	const isPublishedAnew = isLater(shown.publishedAt, before.publishedAt);
	const isNewRound = isAcceptedAnew || isPublishedAnew;
	const mayBeRepaired = before.stage === broken && stage === published && !isNewRound;
	if (mayBeRepaired && before.pendingObservation !== 'live') {
		return { changes: [], known: { ...before, pendingObservation: 'live' } };
	}

	// A broken link that has a time of acceptance and none of publication has never been live.
	const wasNeverLive =
		stage === broken && shown.acceptedAt !== undefined && shown.publishedAt === undefined;
	const hasHappened = [
		before.stage < requested,
		before.stage < accepted || isAcceptedAnew,
		(before.stage < published && !wasNeverLive) || isPublishedAnew || mayBeRepaired,
		before.stage < broken || isPublishedAnew,
	];
	const happened = [requested, accepted, published, broken].filter(
		(each) => each <= stage && hasHappened[each],
	);
	const publishCount =
		(isPublishedAnew ? 0 : before.publishCount) + (happened.includes(published) ? 1 : 0);
	let time = 0;
	const changes = happened.map((each): Change => {
		const own = { [accepted]: shown.acceptedAt, [published]: shown.publishedAt }[each];
		time = Math.max(time, own ?? 0);
		const occurrence = each >= published ? publishCount : 1;
		return { event: `exchange.${names[each]}`, data: record, time, occurrence };
	});
	return {
		changes,
		known: {
			stage: isNewRound || mayBeRepaired ? stage : Math.max(before.stage, stage),
			publishCount,
			acceptedAt: shown.acceptedAt ?? before.acceptedAt,
			publishedAt: shown.publishedAt ?? before.publishedAt,
		},
	};
}

/** What a record shows. Where its status is not a documented one, the times show how far the exchange is. */
function read(record: IDataObject): KnownExchange {
	const acceptedAt = readFieldTime(record.accepted_at);
	const publishedAt = readFieldTime(record.published_at);
	const stageByTimes = publishedAt ? published : acceptedAt ? accepted : requested;
	const state = stateOf(record);
	return {
		stage: state === undefined ? stageByTimes : states.indexOf(state),
		publishCount: 0,
		acceptedAt,
		publishedAt,
	};
}
