import type { IDataObject } from 'n8n-workflow';

import { alertsByIdentity, isKnown, rememberAlerts, timeOfAlert } from './alerts';
import { bound, type Memory, mostAlerts, wasForgotten } from './memory';
import type { Snapshot } from './snapshot';
import {
	advance,
	firstSeen,
	type SeenExchange,
	sightOf,
	type Transition,
	transitionsSoFar,
} from './transitions';

/** An event that the trigger has found. */
export interface Change {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Orders the events of one poll; epoch seconds where the record tells. */
	order: number;
	/** 2 for the second time with the same documented time, and so on. */
	occurrence: number;
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
 * Compares what the service shows with what was seen before. Changes neither. A list that was not watched before
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
			const { transitions, exchange } = compareExchange(record, known?.get(id), before);
			if (known !== undefined || emitExisting) changes.push(...changesOf(record, transitions));
			seen.set(id, exchange);
		}
		memory.exchanges = seen;
		if (!bound(memory, new Set(now.exchanges.keys()))) tooMany = 'exchanges';
	}
	if (now.alerts !== undefined) {
		const known = before.alerts;
		const listed = alertsByIdentity(now.alerts);
		for (const [identity, alert] of listed) {
			const isNew = known === undefined ? emitExisting : !isKnown(known, identity);
			if (isNew) changes.push(changeOfAlert(alert));
		}
		memory.alerts = rememberAlerts(new Set(listed.keys()), known ?? new Set(), mostAlerts);
		if (listed.size > mostAlerts) tooMany = 'alerts';
	}
	changes.sort((one, other) => one.order - other.order);
	return { changes, memory, ...(tooMany && { tooMany }) };
}

function compareExchange(
	record: IDataObject,
	earlier: SeenExchange | undefined,
	before: Memory,
): { transitions: Transition[]; exchange: SeenExchange } {
	const sight = sightOf(record);
	if (earlier !== undefined) {
		const { transitions, seen } = advance(sight, earlier);
		return { transitions, exchange: seen };
	}
	const exchange = firstSeen(sight);
	const isForgotten = wasForgotten(before, sight);
	const isAfterwards = ({ time }: Transition) => (time ?? 0) > (before.forgottenUntil ?? 0);
	const transitions = transitionsSoFar(exchange).filter(
		(transition) => !isForgotten || isAfterwards(transition),
	);
	return { transitions, exchange };
}

function changesOf(data: IDataObject, transitions: Transition[]): Change[] {
	// What has no time of its own comes right after what came before it in the same exchange.
	let latest = 0;
	return transitions.map(({ event, time = 0, occurrence }) => {
		latest = Math.max(latest, time);
		const order = event === 'exchange.broken' ? Number.MAX_SAFE_INTEGER : latest;
		return { event, data, order, time: latest, occurrence };
	});
}

function changeOfAlert(data: IDataObject): Change {
	const time = timeOfAlert(data) ?? 0;
	return { event: 'watchdog.alert', data, order: Number.MAX_SAFE_INTEGER, time, occurrence: 1 };
}
