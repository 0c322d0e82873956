import type { IDataObject } from 'n8n-workflow';

import { events } from '../shared/fields/events';
import type { Snapshot } from './account';
import type { PollingSettings } from './settings';

/**
 * The item of a test where there is no event: what would make one. Not an error, because nothing is wrong; and without
 * `event` and `data`, so that nothing takes it for one.
 * @param leftOut how many events of those that are selected the filters leave out
 */
export function nothingYet(
	{ credits }: Snapshot,
	{ events: selected, creditsLowBelow }: PollingSettings,
	leftOut: number,
): IDataObject {
	const reasons = selected.map((event) => {
		const { name = event, description = '' } = events[event] ?? {};
		const balance = `the balance, ${Number(credits?.balance)}, is not below ${creditsLowBelow}`;
		const cause = description.charAt(0).toLowerCase() + description.slice(1);
		return `${name} (${event === 'credits.low' ? balance : cause})`;
	});
	const filtered = leftOut > 0 ? ` The filters leave out ${leftOut} that the account has.` : '';
	const message = `There is no event to show yet.${filtered} What would make one: ${reasons.join(', ')}. A published workflow starts with the next event.`;
	return { message, source: 'poll' };
}
