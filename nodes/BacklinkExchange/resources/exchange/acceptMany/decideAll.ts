import type { IDataObject } from 'n8n-workflow';

import { byId, whyNotASegment } from '../../../../shared/identity';
import { furthest, stateOf } from '../../../../shared/reading/state';
import { sharedThread } from '../../../../shared/service/pause';
import { type Explanation, inOneText, isExplanation } from '../../../../shared/words/explanation';
import { lastRequests } from '../../../lastRequests';
import {
	acceptOffer,
	type AcceptRun,
	type AcceptSettings,
	type Objection,
} from '../accept/acceptOffer';
import { outcomeUnknown } from '../accept/result';
import type { Decision } from '../decision';
import type { Judgement } from './rules';

/** How many offers in a row end a run, if each is refused for lack of credits, because others may cost less; or its outcome is unknown. */
const mostInARow = { tooExpensive: 10, unknown: 5 };

const endings = {
	tooExpensive: `The service has refused ${mostInARow.tooExpensive} offers in a row for lack of credits`,
	unknown: `The outcome of the last ${mostInARow.unknown} accepts is not known`,
};

/** What the user has set. */
export interface Bounds {
	judge: (offer: IDataObject) => Judgement;
	/** Infinity where it is not set. */
	maxPerDay: number;
	settings: AcceptSettings;
}

export interface Decided {
	/** The decisions, in the order of the list. */
	decisions: Decision[];
	/** Why the run accepts nothing more; undefined while it could. */
	end?: string;
}

/** An offer as the list shows it. */
interface Listed {
	/** Empty where the record has none. */
	id: string;
	key: string;
	exchange: IDataObject;
}

/**
 * Decides about each offer that is pending, or whose state cannot be read, and accepts what the rules allow.
 * @param today the keys of exchanges that were accepted within 24 hours
 */
export async function decideAll(
	run: AcceptRun,
	entries: IDataObject[],
	today: ReadonlySet<string>,
	bounds: Bounds,
): Promise<Decided> {
	const { connection, attempts } = run;
	const shareThread = sharedThread(connection.signal);
	const offers: Listed[] = [];
	for (const [id, same] of byId(entries)) {
		const name = typeof id === 'string' ? id : '';
		const { record: exchange = {} } = furthest(same);
		offers.push({ id: name, key: connection.accountKey(name), exchange });
		await shareThread();
	}
	const course = new Course(run, new Set([...today, ...attempts.sentKeys]), bounds);
	const decisions = new Map<Listed, Decision | undefined>();
	for (const offer of refusedLast(offers)) {
		decisions.set(offer, await course.decide(offer));
		await shareThread();
	}
	const inOrder = offers.map((offer) => decisions.get(offer));
	return { decisions: inOrder.filter((each) => each !== undefined), end: course.end };
}

/** A reason is the same whatever the figures and times in it are now. */
export function withoutFigures(reason: string): string {
	return reason.replace(/\d+/g, '#');
}

/** Those last whose last request was refused: they would hold up the others. */
function refusedLast(offers: Listed[]): Listed[] {
	const isRefused = ({ key }: Listed) => lastRequests.get(key)?.ended === 'refused';
	return [...offers.filter((offer) => !isRefused(offer)), ...offers.filter(isRefused)];
}

/** How a run goes on. */
class Course {
	readonly #run: AcceptRun;

	readonly #today: Set<string>;

	readonly #bounds: Bounds;

	#inARow: { kind?: keyof typeof mostInARow; count: number } = { count: 0 };

	/** Why no other offer can be accepted. */
	end: string | undefined;

	constructor(run: AcceptRun, today: Set<string>, bounds: Bounds) {
		this.#run = run;
		this.#today = today;
		this.#bounds = bounds;
	}

	async decide({ id, key, exchange }: Listed): Promise<Decision | undefined> {
		const { settings } = this.#bounds;
		const wasAnswered = this.#run.attempts.answer(key) !== undefined;
		// Whatever the rules say now, Accept tells what has become of an offer that this execution has asked for.
		if (!wasAnswered) {
			const state = stateOf(exchange);
			if (state !== undefined && state !== 'pending') return undefined;
			const objected = this.#objection(id, exchange);
			if (objected !== undefined) return { id, ...objected, exchange };
		}
		const objection = (record: IDataObject | undefined) => this.#objection(id, record);
		const result = await acceptOffer(this.#run, id, { ...settings, objection });
		this.#learnFrom(result);
		const decision = isExplanation(result) ? failed(id, result, exchange) : result;
		if (['accepted', 'unknown', 'wouldAccept'].includes(decision.outcome)) this.#today.add(key);
		return decision;
	}

	/** Why an offer is not to be accepted, by the rules and limits; undefined when it may be. */
	#objection(id: string, exchange: IDataObject | undefined): Objection | undefined {
		const { judge, maxPerDay, settings } = this.#bounds;
		if (whyNotASegment(id) !== undefined) return undecided('Its ID cannot be read');
		if (exchange === undefined) return undecided('The list no longer shows it');
		if (stateOf(exchange) === undefined) return undecided('Its state cannot be read');
		const { verdict, reason } = judge(exchange);
		if (verdict !== 'allowed') return { outcome: verdict, reason };
		if (this.end !== undefined) return skipped(this.end);
		if (this.#today.size >= maxPerDay) return skipped(`Max per Day (${maxPerDay}) is reached`);
		const { maxAccepts } = settings;
		const isReached = this.#run.attempts.count(settings) >= maxAccepts;
		return isReached ? skipped(`Max Accepts (${maxAccepts}) is reached`) : undefined;
	}

	/** Notes what the result says about the offers that come next. */
	#learnFrom(result: Decision | Explanation): void {
		this.end ??= this.#run.blockedBy;
		const kind = kindOf(result);
		this.#inARow = { kind, count: kind === this.#inARow.kind ? this.#inARow.count + 1 : 1 };
		if (kind !== undefined && this.#inARow.count >= mostInARow[kind]) this.end ??= endings[kind];
	}
}

function kindOf(result: Decision | Explanation): keyof typeof mostInARow | undefined {
	if (!isExplanation(result)) return undefined;
	if (result.code === outcomeUnknown) return 'unknown';
	return result.code === 'insufficient_credits' ? 'tooExpensive' : undefined;
}

/** The decision about an offer whose accept failed: credits may have been spent (`unknown`), or certainly none were. */
function failed(id: string, why: Explanation, exchange: IDataObject): Decision {
	const isUnknown = why.code === outcomeUnknown;
	const reason = isUnknown ? why.description : inOneText(why);
	return { id, outcome: isUnknown ? 'unknown' : 'failed', reason, exchange };
}

function undecided(reason: string): Objection {
	return { outcome: 'undecided', reason };
}

function skipped(reason: string): Objection {
	return { outcome: 'skipped', reason };
}
