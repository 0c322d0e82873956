/** What is known of a history when it is over: what the service saw and paid, and what each execution reported. */
import type { IDataObject, ITaskData } from 'n8n-workflow';

import type { LedgerEntry } from '../../sandbox/store/records.mts';
import type { NodeRun } from '../engine/engine.mts';
import type { Execution, History } from './history.mts';
import { offerId } from './input.mts';

/** Something that the service saw, in the order in which it saw it. */
export type Event = Accept | Read | Payment;

/** A request to accept. */
export interface Accept {
	kind: 'accept';
	at: number;
	execution: number;
	id: string;
	/** Before it. */
	balance: number;
	/** Undefined when the connection was cut. */
	status?: number;
}

/** Any other request. */
interface Read {
	kind: 'read';
	at: number;
	execution: number;
	/** Of a list of exchanges: what was asked for and shown. */
	list?: { url: string; body: string };
}

/** Credits were deducted, or an offer that costs nothing was accepted. */
export interface Payment {
	kind: 'paid';
	at: number;
	/** Undefined: by somebody else. */
	execution: number | undefined;
	id: string;
	amount: number;
}

/** An execution, as far as it came. */
export interface Ran {
	number: number;
	/** Number of the n8n process it ran in. */
	process: number;
	spec: Execution;
	/** Others that ran at the same time, somebody else's doing included. */
	isAlone: boolean;
	startedAt: number;
	/** Undefined when its process was killed, or when it did not come to an end. */
	end?: {
		at: number;
		/** Number of events by then. */
		events: number;
		status: string;
		/** Of each call of the node, its last try. */
		tasks: ITaskData[];
		error: NodeRun['error'];
	};
	/** It sent requests without end, or nothing happened any more. */
	isEndless: boolean;
}

/** What an execution reported about one item, or about itself. */
export interface Report {
	id: string | undefined;
	json: IDataObject;
	/** Says that the offer is accepted. */
	isAccepted: boolean;
	/** Message and description, when it is an error. */
	error: string | undefined;
	/** It is an error that says that credits may have been spent. */
	isDoubt: boolean;
}

/** An execution with its part of the books. */
export interface Executed extends Ran {
	requests: Array<Accept | Read>;
	accepts: Accept[];
	payments: Payment[];
	/** All events, of whomever, up to its end. */
	byThen: Event[];
	reports: Report[];
	hints: string[];
}

export type Ended = Executed & Required<Pick<Ran, 'end'>>;

export interface Happened {
	history: History;
	executed: Executed[];
	events: Event[];
	/** What moved the balance, the oldest first. */
	ledger: LedgerEntry[];
	/** To search for what must not be shown. */
	apiKey: string;
	/** What nobody caught; it would end n8n. */
	uncaught: unknown[];
}

export function withBooks(ran: Ran, events: Event[]): Executed {
	const own = events.filter(({ execution }) => execution === ran.number);
	return {
		...ran,
		requests: own.filter((event) => event.kind !== 'paid'),
		accepts: acceptsOf(own),
		payments: paymentsOf(own),
		byThen: events.slice(0, ran.end?.events),
		reports: reportsOf(ran),
		hints: ran.end?.tasks.flatMap(({ hints = [] }) => hints).map(({ message }) => message) ?? [],
	};
}

export function hasEnded(executed: Executed): executed is Ended {
	return executed.end !== undefined;
}

/** Requests to accept an offer, or any. */
export function acceptsOf(events: Event[], offer?: string): Accept[] {
	return events.filter((event) => event.kind === 'accept').filter(isAbout(offer));
}

/** Payments for an offer, or for any. */
export function paymentsOf(events: Event[], offer?: string): Payment[] {
	return events.filter((event) => event.kind === 'paid').filter(isAbout(offer));
}

/** The list of exchanges that a request was shown, if it was one. */
export function listIn(event?: Event): string {
	return event?.kind === 'read' ? (event.list?.body ?? '') : '';
}

function isAbout(offer?: string) {
	return ({ id }: { id: string }) => offer === undefined || id === offer;
}

function reportsOf({ end, spec }: Ran): Report[] {
	if (end === undefined) return [];
	/** The exchange of an item; of Accept Many, the one that it names. */
	const offerOf = (item: number | undefined, named?: unknown) => {
		if (spec.rules !== undefined) return named as string | undefined;
		const number = spec.items[item ?? Infinity];
		return number === undefined ? undefined : offerId(number);
	};
	const items = end.tasks.flatMap((task) => task.data?.main?.[0] ?? []);
	const reports = items.map(({ json, pairedItem }) => {
		const { item } = (pairedItem ?? {}) as { item?: number };
		return report(offerOf(item, json.id), json, failureIn(json));
	});
	const { error, status } = end;
	if (error === undefined || status === 'canceled') return reports;
	const { message, description, context = {} } = error;
	const failure = { message, description, code: context.code };
	return [...reports, report(offerOf(context.itemIndex as number | undefined), {}, failure)];
}

/** What an item says of a failure; Accept Many has outcomes for an error about an offer. */
function failureIn(json: IDataObject): IDataObject | undefined {
	if (json.outcome === 'failed') return { message: json.reason };
	if (json.outcome === 'unknown') return { message: json.reason, code: 'outcome_unknown' };
	return json.error as IDataObject | undefined;
}

function report(id: string | undefined, json: IDataObject, failure?: IDataObject): Report {
	const texts = [failure?.message, failure?.description];
	return {
		id,
		json,
		isAccepted: json.outcome === 'accepted' || json.outcome === 'alreadyAccepted',
		error: failure && texts.filter((each) => typeof each === 'string').join(' '),
		isDoubt: failure?.code === 'outcome_unknown',
	};
}
