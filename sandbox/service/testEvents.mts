import { randomBytes } from 'node:crypto';

import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import type { Store } from '../store/store.mts';
import { getPageUrl } from './exchanges.mts';
import { removedLink } from './watchdog.mts';

const example = {
	id: 'exc_test',
	fromSite: 'https://partner.example/',
	toSite: 'https://your-site.example/',
	anchor: 'a good read',
	liveUrl: undefined,
};

/**
 * What a test event is about: a real exchange, where there is one, as it would be if the event had just happened. Nothing is
 * changed. No two test events are the same, so that no receiver takes the second one for a repetition.
 */
export function testRecord(event: EventName, store: Store): Exchange | WatchdogEvent {
	const status = event === 'exchange.requested' ? 'pending' : 'live';
	const fitting = store.rows<Exchange>('exchanges', { status }).at(-1);
	const exchange = fitting ?? store.rows<Exchange>('exchanges').at(-1) ?? example;
	const now = store.now();
	const mark = `test ${new Date(now).toISOString().slice(11, 19)} ${randomBytes(2).toString('hex')}`;
	const liveUrl = exchange.liveUrl ?? getPageUrl(exchange, 'test');
	if (event === 'watchdog.alert') {
		const alert = removedLink({ ...exchange, liveUrl: `${liveUrl} (${mark})` });
		return { ...alert, id: 'wde_test', createdAt: now };
	}
	const anchor = `${exchange.anchor} (${mark})`;
	const times = { createdAt: now, acceptedAt: now, publishedAt: now };
	return { ...exchange, anchor, liveUrl, ...times, status, cost: 0 };
}
