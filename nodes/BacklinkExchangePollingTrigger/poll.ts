import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { passesFilters } from '../shared/eventFilters';
import { eventKey, isId } from '../shared/events';
import { type Change, compare } from './changes';
import { fromStatic, mostAlerts, mostExchanges, toStatic } from './memory';
import { keepForLaterLooks, repetitions } from './repetition';
import { readSettings } from './settings';
import { takeSnapshot } from './snapshot';

/** Polls are numbered as they begin, so that one that took long does not undo what a later one has found. */
let polls = 0;
const lastPollApplied = new Map<string, number>();

/**
 * Looks at the service and gives out what happened since the last look; null if nothing did. The first look at an account
 * gives out nothing. With Repeat Events, what earlier looks gave out comes first, again.
 * @throws NodeApiError when the service cannot be read; the next poll then compares with the same state as this one
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const { events, emitExisting, repeatEvents, filters } = readSettings(context);
	const number = ++polls;
	const now = await takeSnapshot(context, {
		// An alert names its exchange; the sites are named by that.
		exchanges: events.some((event) => event !== 'watchdog.alert') || filters.sites.length > 0,
		alerts: events.includes('watchdog.alert'),
	});
	const exchangeOf = ({ exchange_id: id }: IDataObject) =>
		isId(id) ? now.exchanges?.get(String(id)) : undefined;
	const isSelected = ({ event, data }: Change) =>
		events.includes(event) && passesFilters(event, data, filters, exchangeOf(data));
	const lookedAt = repeatEvents ? { givenOutAt: new Date().toISOString() } : {};
	const toItem = (change: Change) => ({ ...toJson(change), ...lookedAt });

	if (context.getMode() === 'manual') {
		const existing = compare(now, {}, true).changes.filter(isSelected);
		return [[{ json: toItem(newest(existing) ?? refuseToShowNothing(context)) }]];
	}

	// From here on nothing waits, so polls that overlap cannot come between each other.
	const place = `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
	if ((lastPollApplied.get(place) ?? 0) > number) return null;
	const state = context.getWorkflowStaticData('node');
	const isSameAccount = state.scope === now.scope;
	const before = isSameAccount ? fromStatic(state.seen) : {};
	const { changes, memory, tooMany } = compare(now, before, emitExisting);
	if (tooMany !== undefined) refuseTooMany(context, tooMany);
	// Before the state is written: what fails here must come again with the next poll.
	const selected = changes.filter(isSelected).map(toItem);
	const repeated = repeatEvents && isSameAccount ? repetitions(state.givenOut, Date.now()) : [];
	lastPollApplied.set(place, number);
	// Whole values, because n8n does not notice a change inside one.
	state.scope = now.scope;
	state.seen = toStatic(memory);
	const givenOut = [...repeated, ...selected.map((item) => ({ item, times: 0 }))];
	state.givenOut = repeatEvents ? keepForLaterLooks(givenOut) : undefined;
	const items = givenOut.map(({ item }) => ({ json: item }));
	return items.length === 0 ? null : [items];
}

function toJson({ event, data, occurrence }: Change): IDataObject {
	return { event, eventKey: eventKey(event, data, occurrence), data, source: 'poll' };
}

function newest(changes: Change[]): Change | undefined {
	return changes.reduce<Change | undefined>(
		(latest, change) => (latest === undefined || change.time >= latest.time ? change : latest),
		undefined,
	);
}

function refuseToShowNothing(context: IPollFunctions): never {
	throw new NodeOperationError(context.getNode(), 'There is no event to show yet', {
		description:
			'The account has no exchange or watchdog event of the selected kinds. Select more events, or wait until something happens. A published workflow needs nothing to be there: it starts with the next event.',
	});
}

function refuseTooMany(context: IPollFunctions, what: 'exchanges' | 'alerts'): never {
	const most = what === 'exchanges' ? mostExchanges : mostAlerts;
	const kind = what === 'exchanges' ? 'pending exchange offers' : 'watchdog events';
	throw new NodeOperationError(context.getNode(), `The account has too many ${kind} to watch`, {
		description: `This trigger can keep track of up to ${most.toLocaleString('en')}. Use the webhook trigger for this account, or select only the other events.`,
	});
}
