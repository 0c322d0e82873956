import { timeOfAlert } from '../shared/descriptions/events';
import { compareAlerts } from './diffAlerts';
import { compareExchanges } from './diffExchanges';
import type { Account, Change, Seen } from './trigger.types';

/** What has been seen if everything that is there is to be new. */
export const nothingSeen: Seen = { exchanges: {}, alerts: [] };

/** Events whose time is not documented, or not their own: they come after the others. */
const lastEvents = ['exchange.broken', 'watchdog.alert', 'credits.low'];

/**
 * Compares the account with what was seen of it before. The changes come in the order in which they happened, as far as the
 * records show it. Of a part of which nothing was seen before there are none.
 * @param creditsLowBelow a balance below this is low
 */
export function compare(account: Account, before: Seen, creditsLowBelow: number) {
	const exchanges = account.exchanges && compareExchanges(account.exchanges, before.exchanges);
	const alerts = account.alerts && compareAlerts(account.alerts, before.alerts ?? []);
	const changes = [...(exchanges?.changes ?? [])];
	const isFirst = before.alerts === undefined;
	for (const { alert: data, occurrence } of isFirst ? [] : (alerts?.fresh ?? [])) {
		const time = timeOfAlert(data) ?? 0;
		changes.push({ event: 'watchdog.alert', data, time, occurrence });
	}
	const data = account.credits;
	const credits = data && (Number(data.balance) < creditsLowBelow ? 'low' : 'enough');
	// A balance that is low when it is first seen is a change, too: nobody has been told of it.
	if (data !== undefined && credits === 'low' && before.credits !== 'low') {
		changes.push({ event: 'credits.low', data, time: 0, occurrence: 1 });
	}
	const orderOf = ({ event, time }: Change) =>
		lastEvents.includes(event) ? Number.MAX_SAFE_INTEGER : time;
	const { name, key } = account;
	const seen: Seen = {
		account: name,
		key,
		exchanges: exchanges?.seen,
		alerts: alerts?.seen,
		credits,
	};
	return { changes: changes.sort((one, other) => orderOf(one) - orderOf(other)), seen };
}

/**
 * Whether this is the account that was seen. The service has nothing that names an account: with another key it is the same
 * one if it shows anything that was seen before, or nothing at all.
 */
export function isSameAccount(account: Account, seen: Seen): boolean {
	if (account.name !== seen.account) return false;
	if (account.key === seen.key) return true;
	const { exchanges = {}, alerts: knownAlerts = [] } = seen;
	const ids = [...(account.exchanges?.keys() ?? [])];
	const alerts = account.alerts ?? [];
	const newAlerts = compareAlerts(alerts, knownAlerts).fresh.length;
	const isNothingThere = ids.length + alerts.length === 0;
	return (
		isNothingThere || newAlerts < alerts.length || ids.some((id) => Object.hasOwn(exchanges, id))
	);
}
