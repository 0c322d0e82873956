import type { IDataObject } from 'n8n-workflow';

import { epochSeconds } from '../shared/events';
import { exchangeStatuses } from '../shared/exchanges';

/** What is remembered of an exchange: its status, and the documented times of its transitions in epoch seconds. */
export interface SeenExchange {
	status: string;
	acceptedAt?: string;
	publishedAt?: string;
}

/** Something that happened to an exchange. */
export interface Transition {
	event: string;
	/** Epoch seconds, where the record tells. */
	time?: number;
}

export function seenExchange(record: IDataObject): SeenExchange {
	return {
		status: typeof record.status === 'string' ? record.status : 'unknown',
		acceptedAt: epochSeconds(record.accepted_at),
		publishedAt: epochSeconds(record.published_at),
	};
}

/**
 * What happened to an exchange since it was last seen, in the order in which it happened; since its beginning if it has
 * never been seen. An exchange that is live has been accepted before, whether or not anybody looked in between.
 */
export function transitionsOf(now: SeenExchange, before: SeenExchange | undefined): Transition[] {
	const stage = stageOf(now);
	const stageBefore = before === undefined ? -1 : stageOf(before);
	const isAnother = (time?: string, earlier?: string) =>
		time !== undefined && earlier !== undefined && time !== earlier;
	const published = isAnother(now.publishedAt, before?.publishedAt);
	const isBroken = now.status === 'broken';
	const wasBroken = before?.status === 'broken';

	const transitions: Transition[] = [];
	if (before === undefined) transitions.push({ event: 'exchange.requested' });
	if (stage >= 1 && (stageBefore < 1 || isAnother(now.acceptedAt, before?.acceptedAt))) {
		transitions.push({ event: 'exchange.accepted', time: numberOf(now.acceptedAt) });
	}
	if (stage >= 2 && (stageBefore < 2 || published || (wasBroken && !isBroken))) {
		transitions.push({ event: 'exchange.published', time: numberOf(now.publishedAt) });
	}
	if (isBroken && (!wasBroken || published)) {
		transitions.push({ event: 'exchange.broken' });
	}
	return transitions;
}

/** The documented moment of the last transition that has one, in epoch seconds. */
export function lastTime({ acceptedAt, publishedAt }: SeenExchange): number | undefined {
	return numberOf(publishedAt) ?? numberOf(acceptedAt);
}

/** The documented moment of the first transition that has one, in epoch seconds. */
export function firstTime({ acceptedAt, publishedAt }: SeenExchange): number | undefined {
	return numberOf(acceptedAt) ?? numberOf(publishedAt);
}

/** How far an exchange has come (service-api.md, "States and transitions"). For a status that is not documented, the times tell. */
function stageOf({ status, acceptedAt, publishedAt }: SeenExchange): number {
	const stage = exchangeStatuses.findIndex((known) => known === status);
	if (stage !== -1) return stage;
	if (publishedAt !== undefined) return 2;
	return acceptedAt === undefined ? 0 : 1;
}

function numberOf(time: string | undefined): number | undefined {
	return time !== undefined && /^\d+$/.test(time) ? Number(time) : undefined;
}
