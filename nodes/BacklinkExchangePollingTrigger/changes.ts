import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/events';
import type { Account } from './account';
import { compareAlerts, mostAlerts } from './alerts';
import { type Memory, trim, wasForgotten } from './memory';
import { advance, shownBy, type Transition } from './transitions';

/** An event that the trigger has found. */
export interface Change {
	event: string;
	/** The record as received. */
	data: IDataObject;
	/** Orders the events of one poll; epoch seconds where the record shows them. */
	order: number;
	/** 2 for the second time with the same documented time, and so on. */
	occurrence: number;
	/** Epoch seconds of the event or of what came right before it, for finding the newest. */
	time: number;
}

export interface Comparison {
	/** In the order in which they happened, as far as the records show it. */
	changes: Change[];
	/** What to remember. */
	memory: Memory;
	/** There is more than can be remembered. */
	tooMany?: 'exchanges' | 'alerts';
}

interface ComparisonSettings {
	/** Whether what is there already is a change when it is seen for the first time. */
	emitExisting: boolean;
	/** A balance below this is low. */
	creditsLowBelow: number;
}

/**
 * Compares what the service shows with what was seen before. Changes neither. What was not watched before gives no
 * changes, unless `emitExisting` asks for what is there already.
 * @param left records whose changes the next comparison is to find again
 */
export function compare(
	now: Omit<Account, 'scope'>,
	before: Memory,
	{ emitExisting, creditsLowBelow }: ComparisonSettings,
	left: ReadonlySet<IDataObject> = new Set(),
): Comparison {
	const changes: Change[] = [];
	const memory: Memory = {};
	let tooMany: Comparison['tooMany'];
	if (now.exchanges !== undefined) {
		const exchanges = (memory.exchanges = new Map(before.exchanges));
		memory.forgottenUntil = before.forgottenUntil;
		const isNews = before.exchanges !== undefined || emitExisting;
		for (const [id, record] of now.exchanges) {
			const shown = shownBy(record);
			const earlier = before.exchanges?.get(id);
			const { transitions, known } = advance(shown, earlier);
			const since =
				earlier === undefined && wasForgotten(before, shown) ? (before.forgottenUntil ?? 0) : -1;
			if (isNews) changes.push(...changesOf(record, transitions, since));
			if (!left.has(record)) exchanges.set(id, known);
		}
		// What is forgotten now would be new with the next poll, had the others not been remembered, too.
		if (left.size === 0 && !trim(memory, now.exchanges)) tooMany = 'exchanges';
	}
	if (now.alerts !== undefined) {
		const { fresh, known, count } = compareAlerts(now.alerts, before.alerts ?? [], left);
		const isNews = before.alerts !== undefined || emitExisting;
		if (isNews) changes.push(...fresh.map((alert) => lastly('watchdog.alert', alert)));
		memory.alerts = known;
		if (count > mostAlerts) tooMany = 'alerts';
	}
	if (now.credits !== undefined) {
		const { credits } = now;
		const isLow = Number(credits.balance) < creditsLowBelow;
		const known = before.credits ?? (emitExisting ? 'enough' : 'low');
		if (isLow && known === 'enough') changes.push(lastly('credits.low', credits));
		memory.credits = left.has(credits) ? before.credits : isLow ? 'low' : 'enough';
	}
	changes.sort((one, other) => one.order - other.order);
	return { changes, memory, ...(tooMany && { tooMany }) };
}

/**
 * Whether a new API key is of the account that was seen: at least half of what it lists was seen before. (The service has
 * nothing that names the account.)
 */
export function isSameAccount(now: Omit<Account, 'scope'>, before: Memory): boolean {
	const alerts = now.alerts ?? [];
	const newAlerts = compareAlerts(alerts, before.alerts ?? []).fresh.length;
	const ids = [...(now.exchanges?.keys() ?? [])];
	const newExchanges = ids.filter((id) => !before.exchanges?.has(id)).length;
	const [all, fresh] = [ids.length + alerts.length, newExchanges + newAlerts];
	return all > 0 && fresh <= all / 2;
}

/** @param since only what happened after this moment, in epoch seconds, and not what has no time; -1 for all */
function changesOf(data: IDataObject, transitions: Transition[], since: number): Change[] {
	// What has no time of its own comes right after what came before it in the same exchange.
	let latest = 0;
	return transitions
		.filter(({ time = 0 }) => time > since)
		.map(({ event, time = 0, occurrence }) => {
			latest = Math.max(latest, time);
			const order = event === 'exchange.broken' ? Number.MAX_SAFE_INTEGER : latest;
			return { event, data, order, time: latest, occurrence };
		});
}

/** Comes after what has a time of its own. */
function lastly(event: string, data: IDataObject): Change {
	const time = event === 'watchdog.alert' ? (timeOfAlert(data)?.seconds ?? 0) : 0;
	return { event, data, order: Number.MAX_SAFE_INTEGER, time, occurrence: 1 };
}
