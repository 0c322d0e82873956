import { randomBytes } from 'node:crypto';

import type { EventName, Exchange, WatchdogEvent } from '../store/records.mts';
import { type Exchanges, pageOf } from './exchanges.mts';

/**
 * What a test event is about: a real exchange, where there is one, as it would be if the event had just happened. Nothing is
 * changed. No two test events are the same, so that no receiver takes the second one for a repetition.
 *
 * @param now milliseconds since 1970
 */
export function testRecord(
	event: EventName,
	exchanges: Exchanges,
	now: number,
): Exchange | WatchdogEvent {
	const status = event === 'exchange.requested' ? 'pending' : 'live';
	const exchange = exchanges.list(status).at(-1) ?? exchanges.list().at(-1) ?? example(now);
	const mark = `test ${new Date(now).toISOString().slice(11, 19)} ${randomBytes(2).toString('hex')}`;
	switch (event) {
		case 'exchange.requested':
			return {
				...exchange,
				anchor: `${exchange.anchor} (${mark})`,
				status: 'pending',
				acceptedAt: undefined,
				liveUrl: undefined,
				publishedAt: undefined,
			};
		case 'exchange.accepted':
			return { ...exchange, status: 'accepted', acceptedAt: now };
		case 'exchange.published':
			return {
				...exchange,
				status: 'live',
				acceptedAt: exchange.acceptedAt ?? now,
				liveUrl: exchange.liveUrl ?? pageOf(exchange, 'test'),
				publishedAt: now,
			};
		case 'watchdog.alert':
			return {
				id: 'wde_test',
				exchangeId: exchange.id,
				severity: 'critical',
				type: 'link_removed',
				detail: `The link to ${exchange.toSite} is gone (${mark}).`,
				createdAt: now,
			};
	}
}

function example(now: number): Exchange {
	return {
		id: 'exc_test',
		fromSite: 'https://partner.example/',
		toSite: 'https://your-site.example/',
		anchor: 'a good read',
		status: 'pending',
		cost: 10,
		createdAt: now,
		acceptedAt: undefined,
		liveUrl: undefined,
		publishedAt: undefined,
	};
}
