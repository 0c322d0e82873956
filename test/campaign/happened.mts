/** What is known of a history when it is over. */
import type { ITaskData } from 'n8n-workflow';

import type { LedgerEntry } from '../../sandbox/store/records.mts';
import type { NodeRun } from '../engine/engine.mts';
import type { Execution, History } from './history.mts';

/** Something that the service saw, in the order in which it saw it. */
export type Event = { at: number } & (
	| {
			kind: 'request';
			execution: number;
			isAccept: false;
			/** Of a list of exchanges: what was asked for and shown. */
			list?: { url: string; body: string };
	  }
	/** A request to accept; the balance is that before it. */
	| {
			kind: 'request';
			execution: number;
			isAccept: true;
			id: string;
			balance: number;
			/** Undefined when the connection was cut. */
			status?: number;
	  }
	/** Credits were deducted, or an offer that costs nothing was accepted; without an execution, by somebody else. */
	| { kind: 'paid'; execution: number | undefined; id: string; amount: number }
);

/** What is known of an execution when it is over. */
export interface Executed {
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
