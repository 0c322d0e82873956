/** What a history consists of: a service, what happens there, and executions that accept offers in n8n. */
import type { Dialect } from '../../sandbox/dialects.mts';
import type { Fault } from '../../sandbox/faults.mts';

export const sites = [
	'https://tea.example',
	'https://blog.tea.example/links',
	'http://WWW.Tea.example:8080',
	'https://evil-tea.example',
	'https://spam.example',
] as const;
export const anchors = ['green tea', 'green tea', 'Casino night', 'ca\u200bsino'] as const;

/** Offers of an account; the next number names an exchange that does not exist. */
export const offersOfAccount = 4;

export interface Options {
	dryRun?: boolean;
	maxAccepts?: number;
	maxRateLimitWait?: number;
	minimumBalance?: number;
	timeout?: number;
}

/** What Accept Many goes by. */
export interface Rules {
	acceptFrom: 'anyone' | 'listed';
	allowedPartners: string;
	options: {
		includeSubdomains?: boolean;
		maxPerDay?: number;
		refusedAnchorWords?: string;
		refusedPartners?: string;
		return?: 'all' | 'decisions';
	};
	/** Not run by hand: what was not accepted is returned once. */
	isPublished: boolean;
}

/** One execution of a workflow with the action node. */
export interface Execution {
	/** Of Accept Many; without them, it accepts by ID. */
	rules: Rules | undefined;
	/** Milliseconds after the step has begun. */
	startsAfter: number;
	/** Of the n8n processes that there are. */
	worker: number;
	/** Numbers of offers; of Accept Many, only how many they are counts. */
	items: number[];
	options: Options;
	continues: boolean;
	/** Tries of Retry On Fail; 1 is off. */
	tries: number;
	/** How often the node is called, as in a loop. */
	rounds: number;
	/** Milliseconds after its start; undefined: never. */
	canceledAfter: number | undefined;
}

/** Something that somebody else does with the account. */
export interface Meanwhile {
	after: number;
	offer: number;
	what: 'accept' | 'publish' | 'break' | 'earn' | 'spend';
}

export type Step =
	| {
			kind: 'run';
			executions: Execution[];
			faults: Fault[];
			meanwhile: Meanwhile[];
			kill: Kill | undefined;
	  }
	| { kind: 'restart' }
	| { kind: 'wait'; milliseconds: number };

/** An n8n process dies, and another one takes its place. */
export interface Kill {
	worker: number;
	/** After this many steps: requests that are sent, and its store read or written. */
	steps: number;
}

export interface Partner {
	fromSite: (typeof sites)[number];
	anchor: (typeof anchors)[number];
}

export interface History {
	dialect: Partial<Dialect>;
	/** Credits at the beginning. */
	credits: number;
	/** Price of each offer. */
	costs: number[];
	/** Of each offer: who wants the link, and what it says. */
	partners: Partner[];
	/** Requests a minute; undefined: more than are ever sent. */
	perMinute: number | undefined;
	latencyMilliseconds: number;
	/** n8n processes at the same time, with one store. */
	workers: number;
	/** Milliseconds between reading a record of that store and writing it back. */
	storeTakes: number;
	steps: Step[];
	/** For the jitter of the node's pauses. */
	randomSeed: number;
}
