import type { IDataObject } from 'n8n-workflow';

import { timeOfAlert } from '../shared/events';
import { isId } from '../shared/identity';
import type { Account } from './account';
import { compareAlerts } from './alerts';
import { type Memory, missed, trim } from './memory';
import { advance, type Change, momentsOf } from './transitions';

/** Their time is not documented, or not their own. They come after those that have one, in the order in which they are found. */
const lastEvents = ['exchange.broken', 'watchdog.alert', 'credits.low'];

/**
 * Compares what the service shows with what was seen before, and changes neither. A part of the account of which nothing
 * was seen before gives no changes.
 * @param creditsLowBelow a balance below this is low
 * @param left records whose changes the next comparison is to find again
 * @returns the changes in the order in which they happened, as far as the records show it, what to remember, and whether
 * that must not be forgotten, because a later comparison with what was seen before might not give the same
 */
export function compare(
	now: Omit<Account, 'scope'>,
	before: Memory,
	creditsLowBelow: number,
	left: ReadonlySet<IDataObject> = new Set(),
): { changes: Change[]; memory: Memory; isLasting: boolean } {
	const changes: Change[] = [];
	let isLasting = false;
	const memory: Memory = {};
	if (now.exchanges !== undefined) {
		const { forgottenUntil = -1 } = before;
		const exchanges = (memory.exchanges = new Map(before.exchanges));
		memory.forgottenUntil = before.forgottenUntil;
		isLasting = before.exchanges === undefined;
		for (const [id, record] of now.exchanges) {
			const earlier = before.exchanges?.get(id);
			const { changes: found, known, isDecided } = advance(record, earlier);
			isLasting ||= isDecided;
			const [firstMoment = Infinity] = momentsOf(known);
			// One that was forgotten, rather than a new one: only what has happened since is a change.
			const wasForgotten = earlier === undefined && firstMoment <= forgottenUntil;
			const fresh = wasForgotten ? found.filter(({ time }) => time > forgottenUntil) : found;
			if (before.exchanges !== undefined) changes.push(...fresh);
			if (!left.has(record)) exchanges.set(id, known);
		}
		for (const [id, known] of before.exchanges ?? []) {
			if (!now.exchanges.has(id)) exchanges.set(id, missed(known));
		}
		// What is forgotten now would be new with the next poll, had the others not been remembered, too.
		if (left.size === 0) trim(memory);
	}
	if (now.alerts !== undefined) {
		const { fresh, known, hasGone } = compareAlerts(now.alerts, before.alerts ?? [], left);
		memory.alerts = known;
		isLasting ||= hasGone || before.alerts === undefined;
		for (const { data, occurrence } of before.alerts === undefined ? [] : fresh) {
			const { exchange_id: id } = data;
			const exchange = isId(id) ? now.exchanges?.get(String(id)) : undefined;
			const time = timeOfAlert(data)?.seconds ?? 0;
			changes.push({ event: 'watchdog.alert', data, exchange, time, occurrence });
		}
	}
	if (now.credits !== undefined) {
		const data = now.credits;
		const credits = Number(data.balance) < creditsLowBelow ? 'low' : 'enough';
		if (credits === 'low' && before.credits === 'enough') {
			changes.push({ event: 'credits.low', data, time: 0 });
		}
		memory.credits = left.has(data) ? before.credits : credits;
		isLasting ||= credits !== before.credits;
	}
	const orderOf = ({ event, time }: Change) =>
		lastEvents.includes(event) ? Number.MAX_SAFE_INTEGER : time;
	changes.sort((one, other) => orderOf(one) - orderOf(other));
	return { changes, memory, isLasting };
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
