import { getAlertTime } from '../shared/descriptions/events';
import { diffAlerts } from './diffAlerts';
import { diffExchanges } from './diffExchanges';
import type { AccountSnapshot, DetectedEvent, KnownState } from './trigger.types';

/** Known state that makes every record new. */
export const emptyState: KnownState = { exchanges: {}, alerts: [] };

/** Events without a documented time of their own. They come after all others. */
const lastEvents = ['exchange.broken', 'watchdog.alert', 'credits.low'];

/**
 * Returns the diff between a snapshot and the known state, and the next known state.
 *
 * The events are in the order in which they happened, if the records show it. Exchanges or alerts
 * that were not watched before have no events: they are the baseline.
 *
 * @param lowCreditThreshold a balance below this is low
 */
export function diffSnapshot(
	snapshot: AccountSnapshot,
	previous: KnownState,
	lowCreditThreshold: number,
) {
	const exchanges = snapshot.exchanges && diffExchanges(snapshot.exchanges, previous.exchanges);
	const alerts = snapshot.alerts && diffAlerts(snapshot.alerts, previous.alerts ?? []);
	const events = [...(exchanges?.events ?? [])];
	const isBaseline = previous.alerts === undefined;
	for (const { alert: data, occurrence } of isBaseline ? [] : (alerts?.newAlerts ?? [])) {
		const time = getAlertTime(data) ?? 0;
		events.push({ event: 'watchdog.alert', data, time, occurrence });
	}
	const data = snapshot.credits;
	const credits = data && (Number(data.balance) < lowCreditThreshold ? 'low' : 'enough');
	// A low balance is an event in the baseline too, because the user hasn't been notified yet.
	if (data !== undefined && credits === 'low' && previous.credits !== 'low') {
		events.push({ event: 'credits.low', data, time: 0, occurrence: 1 });
	}
	const getSortTime = ({ event, time }: DetectedEvent) =>
		lastEvents.includes(event) ? Number.MAX_SAFE_INTEGER : time;
	const { accountName, key } = snapshot;
	const known: KnownState = {
		accountName,
		key,
		exchanges: exchanges?.known,
		alerts: alerts?.known,
		credits,
	};
	return { events: events.sort((one, other) => getSortTime(one) - getSortTime(other)), known };
}

/**
 * Returns whether a snapshot is of the known account.
 *
 * The service has no ID of an account. With another API key, it's the same account if the snapshot
 * contains anything that is known, or nothing at all.
 */
export function isSameAccount(snapshot: AccountSnapshot, known: KnownState): boolean {
	if (snapshot.accountName !== known.accountName) return false;
	if (snapshot.key === known.key) return true;
	const { exchanges = {}, alerts: knownAlerts = [] } = known;
	const ids = [...(snapshot.exchanges?.keys() ?? [])];
	const alerts = snapshot.alerts ?? [];
	const newAlerts = diffAlerts(alerts, knownAlerts).newAlerts.length;
	const isEmpty = ids.length + alerts.length === 0;
	return isEmpty || newAlerts < alerts.length || ids.some((id) => Object.hasOwn(exchanges, id));
}
