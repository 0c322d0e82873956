import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { hash } from '../../../../shared/identity';
import { sharedThread } from '../../../../shared/service/pause';
import { NodeRecord } from '../../../nodeRecord';
import type { AcceptRun } from '../accept/offer';
import { type Decision, toItem } from '../decision';
import { isAccepted, withoutFigures } from './decideAll';

/** How many decisions are recorded in one run at most: they push out the claims that n8n keeps beside them. */
const mostInARun = 1000;

export type Returned = 'all' | 'decisions' | 'needsPerson';

export interface ReturnSettings {
	returned: Returned;
	isSimple: boolean;
}

/** The items of one run, and which of them are not returned, because n8n's record or an earlier input item has the same decision. */
export class ReturnedOnce {
	readonly #run: AcceptRun;

	readonly #record: NodeRecord;

	/** An execution by hand shows everything, and changes nothing for later ones; but what was paid is told once. */
	readonly #isByHand: boolean;

	/** The items that are returned once, with the names of their decisions. */
	readonly #names = new Map<IDataObject, string>();

	/** Items that are not returned: they need no person, or an earlier input item has the same. */
	readonly #hidden = new Set<IDataObject>();

	/** The names that this run has written down. */
	#added: ReadonlySet<string> = new Set();

	constructor(context: IExecuteFunctions, run: AcceptRun) {
		this.#run = run;
		this.#record = new NodeRecord(context);
		this.#isByHand = context.getMode() === 'manual';
	}

	/** An item for each decision about one input item, in their order. */
	async itemsOf(decisions: Decision[], settings: ReturnSettings): Promise<IDataObject[]> {
		const { returned } = settings;
		const isAll = returned === 'all' || this.#isByHand;
		const ofEarlierItems = new Set(this.#names.values());
		const shareThread = sharedThread(this.#run.connection.signal);
		const items: IDataObject[] = [];
		for (const decision of decisions) {
			await shareThread();
			const item = toItem(decision, settings);
			items.push(item);
			const isHidden = returned === 'needsPerson' && !needsPerson(decision);
			const name = isAll && !isAccepted(decision) ? undefined : nameOf(this.#run, decision);
			if (name !== undefined) this.#names.set(item, name);
			if (isHidden || ofEarlierItems.has(name ?? '')) this.#hidden.add(item);
		}
		return items;
	}

	/**
	 * The items that are not returned. The names of the others are written down.
	 * @param isFinal otherwise nothing is written
	 */
	async notReturned(isFinal: boolean): Promise<ReadonlySet<IDataObject>> {
		const names = [...new Set(this.#names.values())];
		const asked = isFinal ? this.#note(names) : this.#record.has(names);
		// Where n8n cannot record decisions, none counts as known: to return one twice is better than not at all.
		const known = await asked.catch(() => new Set<string>());
		const before = [...this.#names].filter(([, name]) => known.has(name)).map(([item]) => item);
		return new Set([...this.#hidden, ...before]);
	}

	/** Writes names down, as many new ones as one run may. @returns those that were there before */
	async #note(names: string[]): Promise<ReadonlySet<string>> {
		// Few names are asked for in the same step in which they are written.
		const earlier = names.length > mostInARun ? await this.#record.has(names) : new Set<string>();
		const fresh = names.filter((name) => !earlier.has(name)).slice(0, mostInARun);
		const known = new Set([...earlier, ...(await this.#record.add(fresh))]);
		this.#added = new Set(fresh.filter((name) => !known.has(name)));
		this.#setReturned((name) => known.has(name) || this.#added.has(name), true);
		return known;
	}

	/** Forgets what this run has written down. */
	async takeBack(): Promise<void> {
		await this.#record.remove([...this.#added]);
		this.#setReturned((name) => this.#added.has(name), false);
	}

	/** Notes in the journal of accepts with such names whether they were returned. */
	#setReturned(isMeant: (name: string) => boolean, isReturned: boolean): void {
		const { connection, journal } = this.#run;
		for (const [item, name] of this.#names) {
			const isOne = isMeant(name) && isAccepted(item);
			if (isOne) journal.setReturned(connection.accountKey(String(item.id)), isReturned);
		}
	}
}

/** Whether a person has to know of it. */
function needsPerson({ outcome, reason }: Decision): boolean {
	// The reason says that nobody knows who accepted it.
	const isUnclear = outcome === 'alreadyAccepted' && reason !== undefined;
	return isUnclear || ['undecided', 'failed', 'unknown', 'wouldAccept'].includes(outcome);
}

/** A name for the decision: the same for the same offer, outcome and reason. */
function nameOf({ connection, journal }: AcceptRun, decision: Decision): string {
	const { id, outcome, reason = '', exchange } = decision;
	if (isAccepted(decision)) return connection.accountKey(JSON.stringify(['accepted', id]));
	// What is unknown is the outcome of a request, however it is said; that of another request is another decision.
	const requests = journal.recall(connection.accountKey(id))?.requests.length;
	const words = outcome === 'unknown' ? requests : withoutFigures(reason.replaceAll(id, ''));
	const name = JSON.stringify(['decision', id || hash(exchange), outcome, words]);
	return connection.accountKey(name);
}
