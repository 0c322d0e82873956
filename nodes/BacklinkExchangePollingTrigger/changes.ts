import type { IDataObject } from 'n8n-workflow';

import { eventKey, hash, isId } from '../shared/events';
import { readMoment } from '../shared/time';
import { bound, type Memory, mostAlerts, wasForgotten } from './memory';
import type { Snapshot } from './snapshot';
import { type SeenExchange, seenExchange, type Transition, transitionsOf } from './transitions';

/** An event that the trigger has found. */
export interface Change {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Orders the events of one poll; epoch seconds where the record tells. */
	order: number;
	/** Epoch seconds of the event or of what came right before it, for finding the newest. */
	time: number;
}

export interface Comparison {
	/** In the order in which they happened, as far as the records tell. */
	changes: Change[];
	memory: Memory;
	/** There is more than can be remembered: say so instead of going on. */
	tooMany?: 'exchanges' | 'alerts';
}

/**
 * Compares what the service shows with what was seen before. Changes none of the two. A list that was not watched before
 * gives no changes, unless `emitExisting` asks for what is there already.
 */
export function compare(now: Snapshot, before: Memory, emitExisting: boolean): Comparison {
	const memory: Memory = {};
	const changes: Change[] = [];
	let tooMany: Comparison['tooMany'];

	if (now.exchanges !== undefined) {
		const known = before.exchanges;
		const seen = new Map(known);
		memory.forgottenUntil = before.forgottenUntil;
		for (const [id, record] of now.exchanges) {
			const exchange = seenExchange(record);
			const earlier = known?.get(id);
			if (known !== undefined || emitExisting) {
				changes.push(...changesOf(record, exchange, earlier, before));
			}
			seen.set(id, exchange);
		}
		memory.exchanges = seen;
		if (!bound(memory, new Set(now.exchanges.keys()))) tooMany = 'exchanges';
	}
	if (now.alerts !== undefined) {
		const known = before.alerts;
		const listed = new Map(now.alerts.map((alert) => [alertIdentity(alert), alert]));
		for (const [identity, alert] of listed) {
			const isNew = known === undefined ? emitExisting : !known.has(identity);
			if (isNew) changes.push(changeOfAlert(alert));
		}
		// First those that are listed; those that are not any more as long as there is room.
		const remembered = new Set([...listed.keys(), ...(known ?? [])]);
		memory.alerts = new Set([...remembered].slice(0, mostAlerts));
		if (listed.size > mostAlerts) tooMany = 'alerts';
	}
	changes.sort((one, other) => one.order - other.order);
	return { changes, memory, ...(tooMany && { tooMany }) };
}

function changesOf(
	data: IDataObject,
	exchange: SeenExchange,
	earlier: SeenExchange | undefined,
	before: Memory,
): Change[] {
	const isForgotten = earlier === undefined && wasForgotten(before, exchange);
	const isAfterwards = ({ time }: Transition) => (time ?? 0) > (before.forgottenUntil ?? 0);
	const transitions = transitionsOf(exchange, earlier).filter(
		(transition) => !isForgotten || isAfterwards(transition),
	);
	// What has no time of its own comes right after what came before it in the same exchange.
	let time = 0;
	return transitions.map((transition) => {
		time = Math.max(time, transition.time ?? 0);
		const order = transition.event === 'exchange.broken' ? Number.MAX_SAFE_INTEGER : time;
		return { event: transition.event, data, order, time };
	});
}

function changeOfAlert(data: IDataObject): Change {
	// Not documented, but where it is there it tells which alert is the newest.
	const time = (readMoment(isId(data.created_at) ? String(data.created_at) : '', 0) ?? 0) / 1000;
	return { event: 'watchdog.alert', data, order: Number.MAX_SAFE_INTEGER, time };
}

/**
 * Tells alerts apart: two that read the same are two if the service gives them ids of their own. One whose record gets
 * further fields later stays the same.
 */
function alertIdentity(alert: IDataObject): string {
	const identity = isId(alert.id) ? [alert.id, eventKey('watchdog.alert', alert)] : alert;
	return hash(identity).slice(0, 18);
}
