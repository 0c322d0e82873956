import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/events';
import type { Account } from './account';
import { compareAlerts } from './alerts';
import { bound, type Memory, wasForgotten } from './memory';
import {
	advance,
	firstSeen,
	type KnownExchange,
	shownBy,
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
	/** What to remember; the next comparison finds all changes of these records again. */
	remember: (except: ReadonlySet<IDataObject>) => Memory;
	/** There is more than can be remembered: say so instead of going on. */
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
 */
export function compare(
	now: Omit<Account, 'scope'>,
	before: Memory,
	{ emitExisting, creditsLowBelow }: ComparisonSettings,
): Comparison {
	const changes: Change[] = [];
	const steps: Array<(memory: Memory, except: ReadonlySet<IDataObject>) => void> = [];
	let tooMany: Comparison['tooMany'];

	if (now.exchanges !== undefined) {
		const { exchanges } = now;
		const known = before.exchanges;
		const seen = new Map(known);
		for (const [id, record] of exchanges) {
			const { transitions, exchange } = compareExchange(record, known?.get(id), before);
			if (known !== undefined || emitExisting) changes.push(...changesOf(record, transitions));
			seen.set(id, exchange);
		}
		const everything = (): Memory => ({
			exchanges: new Map(seen),
			forgottenUntil: before.forgottenUntil,
		});
		const listed = new Set(exchanges.keys());
		if (!bound(everything(), listed)) tooMany = 'exchanges';
		steps.push((memory, except) => {
			Object.assign(memory, everything());
			// What is forgotten now would be new with the next poll, had the others not been remembered, too.
			if (except.size === 0) bound(memory, listed);
			for (const [id, record] of exchanges) {
				if (!except.has(record)) continue;
				const earlier = known?.get(id);
				if (earlier === undefined) memory.exchanges?.delete(id);
				else memory.exchanges?.set(id, earlier);
			}
		});
	}
	if (now.alerts !== undefined) {
		const { fresh, remember, isTooMany } = compareAlerts(now.alerts, before.alerts ?? []);
		if (before.alerts !== undefined || emitExisting) changes.push(...fresh.map(changeOfAlert));
		steps.push((memory, except) => {
			memory.alerts = remember(except);
		});
		if (isTooMany) tooMany = 'alerts';
	}
	if (now.credits !== undefined) {
		const { credits } = now;
		const isLow = Number(credits.balance) < creditsLowBelow;
		const known = before.credits ?? (emitExisting ? 'enough' : 'low');
		if (isLow && known === 'enough') changes.push(lastly('credits.low', credits));
		steps.push((memory, except) => {
			memory.credits = except.has(credits) ? before.credits : isLow ? 'low' : 'enough';
		});
	}
	changes.sort((one, other) => one.order - other.order);
	return {
		changes,
		remember(except) {
			const memory: Memory = {};
			for (const step of steps) step(memory, except);
			return memory;
		},
		...(tooMany && { tooMany }),
	};
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

function compareExchange(
	record: IDataObject,
	earlier: KnownExchange | undefined,
	before: Memory,
): { transitions: Transition[]; exchange: KnownExchange } {
	const shown = shownBy(record);
	if (earlier !== undefined) {
		const { transitions, seen } = advance(shown, earlier);
		return { transitions, exchange: seen };
	}
	const exchange = firstSeen(shown);
	const isForgotten = wasForgotten(before, shown);
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
	return { ...lastly('watchdog.alert', data), time: timeOfAlert(data)?.seconds ?? 0 };
}

/** Comes after what has a time of its own. */
function lastly(event: string, data: IDataObject): Change {
	return { event, data, order: Number.MAX_SAFE_INTEGER, time: 0, occurrence: 1 };
}
