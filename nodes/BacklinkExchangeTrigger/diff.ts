import { timeOfAlert } from '../shared/descriptions/events';
import { diffAlerts } from './diffAlerts';
import { diffExchanges } from './diffExchanges';
import type { AccountSnapshot, DetectedEvent, KnownState } from './trigger.types';

/** What has been seen if everything that is there is to be new. */
export const emptyState: KnownState = { exchanges: {}, alerts: [] };

/** Events whose time is not documented, or not their own: they come after the others. */
const lastEvents = ['exchange.broken', 'watchdog.alert', 'credits.low'];

/**
 * Compares the account with what was seen of it before. The changes come in the order in which they happened, as far as the
 * records show it. Of a part of which nothing was seen before there are none.
 * @param creditsLowBelow a balance below this is low
 */
export function diffSnapshot(
	snapshot: AccountSnapshot,
	previous: KnownState,
	creditsLowBelow: number,
) {
	const exchanges = snapshot.exchanges && diffExchanges(snapshot.exchanges, previous.exchanges);
	const alerts = snapshot.alerts && diffAlerts(snapshot.alerts, previous.alerts ?? []);
	const events = [...(exchanges?.events ?? [])];
	const isBaseline = previous.alerts === undefined;
	for (const { alert: data, occurrence } of isBaseline ? [] : (alerts?.newAlerts ?? [])) {
		const time = timeOfAlert(data) ?? 0;
		events.push({ event: 'watchdog.alert', data, time, occurrence });
	}
	const data = snapshot.credits;
	const credits = data && (Number(data.balance) < creditsLowBelow ? 'low' : 'enough');
	// A balance that is low when it is first seen is a change, too: nobody has been told of it.
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
 * Whether this is the account that was seen. The service has nothing that names an account: with another key it is the same
 * one if it shows anything that was seen before, or nothing at all.
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
