/** Events as the inbox's triggers put them out, and the settings to hand them on with. */
import type { TriggerItem } from './inboxModel.mts';

export const minute = 60_000;
export const hour = 60 * minute;

/** Hands all kinds on to one workflow. */
export const handOn = {
	watchdogAlert: 'a',
	exchangeRequested: 'a',
	exchangeAccepted: 'a',
	exchangePublished: 'a',
	exchangeBroken: 'a',
};

export function alert(name: string, source: 'webhook' | 'poll' = 'webhook'): TriggerItem {
	const data = { exchange_id: name };
	return { event: 'watchdog.alert', eventKey: `watchdog.alert:${name}:hash`, data, source };
}

export function offer(id: string, source: 'webhook' | 'poll' = 'webhook'): TriggerItem {
	const event = 'exchange.requested';
	return { event, eventKey: `${event}:${id}`, data: { id }, source };
}

/** Lets an execution come to its end. */
export function finish(execution: Generator): void {
	while (execution.next().done !== true);
}
