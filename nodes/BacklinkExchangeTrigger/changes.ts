import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/fields/events';
import type { Snapshot } from './account';
import { compareAlerts } from './alerts';
import { type Memory, missed, trimmed } from './memory';
import { advance, type Change, momentsOf } from './transitions';

/** What a comparison has found. */
export interface Comparison {
	changes: Change[];
	/** Whether n8n must save what is remembered: a later comparison with the memory before this one might find something else. */
	isLasting: boolean;
	/**
	 * What to remember.
	 * @param left records whose changes the next comparison is to find again
	 */
	remember(left: ReadonlySet<IDataObject>): Memory;
}

/** Events whose time is not documented, or not their own: they come after the others, in the order in which they are found. */
const lastEvents = ['exchange.broken', 'watchdog.alert', 'credits.low'];

/**
 * Compares what the service shows with what was seen before, and changes neither. The changes come in the order in which
 * they happened, as far as the records show it. Exchanges and alerts of which nothing was seen before give no changes.
 * @param creditsLowBelow a balance below this is low
 */
export function compare(
	now: Omit<Snapshot, 'scope'>,
	before: Memory,
	creditsLowBelow: number,
): Comparison {
	const parts = [
		...(now.exchanges ? [compareExchanges(now.exchanges, before)] : []),
		...(now.alerts ? [compareWatchdog(now.alerts, before)] : []),
		...(now.credits ? [compareCredits(now.credits, before, creditsLowBelow)] : []),
	];
	const orderOf = ({ event, time }: Change) =>
		lastEvents.includes(event) ? Number.MAX_SAFE_INTEGER : time;
	return {
		changes: parts
			.flatMap(({ changes }) => changes)
			.sort((one, other) => orderOf(one) - orderOf(other)),
		isLasting: parts.some(({ isLasting }) => isLasting),
		remember: (left) =>
			parts.reduce<Memory>((memory, part) => ({ ...memory, ...part.remember(left) }), {}),
	};
}

/**
 * Whether a new API key is of the account that was seen: at least half of what it lists was seen before. (The service has
 * nothing that names the account.)
 */
export function isSameAccount(now: Omit<Snapshot, 'scope'>, before: Memory): boolean {
	const alerts = now.alerts ?? [];
	const newAlerts = compareWatchdog(alerts, { alerts: [], ...before }).changes.length;
	const ids = [...(now.exchanges?.keys() ?? [])];
	const newExchanges = ids.filter((id) => !before.exchanges?.has(id)).length;
	const [all, fresh] = [ids.length + alerts.length, newExchanges + newAlerts];
	return all > 0 && fresh <= all / 2;
}

function compareExchanges(now: Map<string, IDataObject>, before: Memory): Comparison {
	const { exchanges: earlier, forgottenUntil = -1 } = before;
	const advanced = [...now].map(([id, record]) => ({
		id,
		record,
		...advance(record, earlier?.get(id)),
	}));
	const fresh = advanced.flatMap(({ id, changes, known }) => {
		const [firstMoment = Infinity] = momentsOf(known);
		// An exchange as old as those that were forgotten is taken for one of them: only what has happened since is a change.
		const wasForgotten = earlier?.has(id) !== true && firstMoment <= forgottenUntil;
		return wasForgotten ? changes.filter(({ time }) => time > forgottenUntil) : changes;
	});
	return {
		changes: earlier === undefined ? [] : fresh,
		isLasting: earlier === undefined || advanced.some(({ isDecided }) => isDecided),
		remember(left) {
			const exchanges = new Map(earlier);
			for (const [id, known] of exchanges) if (!now.has(id)) exchanges.set(id, missed(known));
			for (const { id, record, known } of advanced) if (!left.has(record)) exchanges.set(id, known);
			const memory = { exchanges, forgottenUntil: before.forgottenUntil };
			// Forgetting waits while records are left: the next comparison would take one of them for a forgotten exchange.
			return left.size > 0 ? memory : trimmed(memory);
		},
	};
}

function compareWatchdog(now: IDataObject[], before: Memory): Comparison {
	const { alerts = [], alertsAwaySince } = before;
	const comparison = compareAlerts(now, { alerts, alertsAwaySince }, Date.now() / 1000);
	const changes = comparison.fresh.map(({ alert: data, occurrence }): Change => {
		const time = timeOfAlert(data)?.seconds ?? 0;
		return { event: 'watchdog.alert', data, time, occurrence };
	});
	return {
		changes: before.alerts === undefined ? [] : changes,
		isLasting: before.alerts === undefined || comparison.hasGone,
		remember: comparison.remember,
	};
}

/** A balance that is low when it is first seen is a change, too: nobody has been told of it. */
function compareCredits(now: IDataObject, before: Memory, creditsLowBelow: number): Comparison {
	const credits = Number(now.balance) < creditsLowBelow ? 'low' : 'enough';
	const isNew = credits === 'low' && before.credits !== 'low';
	return {
		changes: isNew ? [{ event: 'credits.low', data: now, time: 0 }] : [],
		isLasting: credits !== before.credits,
		remember: (left) => ({ credits: left.has(now) ? before.credits : credits }),
	};
}
