/** Rules about refusals: they are believed, those for lack of credits hold up no other offer, and what blocks all is said. */
import { balancesOf } from './books.mts';
import { acceptsOf, type Ended, type Happened, paymentsOf, type Report } from './happened.mts';
import type { History } from './history.mts';
import { offerId } from './input.mts';
import { faultsOf, hasKill, isRefusal } from './promises.mts';

/** So many refusals in a row end an execution of Accept Many. */
const mostInARow = 3;
const blocked = 'No further offer can be accepted now: ';

/**
 * What the service has refused in its own words, each time that it was asked, is not in doubt, also where it has vanished
 * meanwhile.
 */
export function* believesRefusals(
	{ number, byThen }: Ended,
	{ id, isDoubt }: Report,
	{ history, executed: all }: Happened,
): Generator<string> {
	if (id === undefined || !isDoubt) return;
	// A list that cannot be read afterwards, another worker and a dead process leave it in doubt.
	const isRefusedPlainly = faultsOf(history).every(
		({ kind, method }) => kind === 'error-before-commit' && method === 'POST',
	);
	const isOneProcess = all.every(({ process }) => process === all[0]?.process);
	if (!isPlain(history) || !isRefusedPlainly || !isOneProcess) return;
	const asked = acceptsOf(byThen, id);
	if (asked.length > 0 && asked.every(({ status }) => isRefusal(status))) {
		yield `refused: execution ${number} says that ${id} may have been paid, which was refused each time`;
	}
}

/** In Accept Many, an offer that is too expensive keeps no other one from being accepted, and is asked for last, and not in vain. */
export function* holdsUpNobody(executed: Ended, happened: Happened): Generator<string> {
	const { number, process, startedAt, end, spec, accepts } = executed;
	if (!isSimple(executed, happened.history)) return;
	let inARow = 0;
	let most = 0;
	for (const { status } of accepts) {
		inARow = isRefusal(status) ? inARow + 1 : 0;
		most = Math.max(most, inARow);
	}
	if (most > mostInARow) yield `credits: execution ${number} was refused ${most} times in a row`;
	const earlier = happened.executed
		.filter((each) => each.process === process && each.startedAt < startedAt)
		.flatMap((each) => each.accepts)
		.filter(({ status }) => isRefusal(status));
	let isLast = false;
	for (const { id, balance } of accepts) {
		const refusal = earlier.findLast((each) => each.id === id);
		if (isLast && refusal === undefined) {
			yield `credits: execution ${number} asks for ${id} after one that had been refused before`;
		}
		isLast ||= refusal !== undefined;
		if (refusal?.balance === balance) {
			yield `credits: execution ${number} asks for ${id} again, with ${balance} credits as before`;
		}
	}
	// What else keeps offers from being accepted has rules of its own.
	const isUnlimited =
		Object.keys(spec.options).length === 0 && spec.rules?.options.maxPerDay === undefined;
	if (most >= mostInARow || !isUnlimited) return;
	const [balance = 0] = balancesOf(end.at, end.at, happened);
	for (const { id, cost } of leftBy(executed, happened)) {
		if (cost <= balance) {
			yield `credits: execution ${number} leaves ${id}, which costs ${cost}, with ${balance} credits`;
		}
	}
}

/** Where Accept Many asks for nothing, although offers are pending that its rules allow, a hint says why, once for each reason. */
export function* saysWhatBlocks(executed: Ended, happened: Happened): Generator<string> {
	const { number, spec, accepts, hints } = executed;
	if (!isSimple(executed, happened.history)) return;
	const reasons = hints.filter((hint) => hint.startsWith(blocked));
	const isOnce = new Set(reasons.map((each) => each.replace(/\d+/g, '#'))).size === reasons.length;
	if (!isOnce) yield `blocked: execution ${number} says a reason twice: ${reasons.join(' | ')}`;
	if (accepts.length > 0 || spec.options.dryRun === true || reasons.length > 0) return;
	const left = leftBy(executed, happened).map(({ id }) => id);
	if (left.length > 0) {
		yield `blocked: execution ${number} leaves ${left.join()} and does not say why`;
	}
}

/** A service that answers as documented at once, and executions in which nobody disturbs them. */
function isPlain(history: History): boolean {
	const settings = Object.keys(history.dialect);
	return (
		history.perMinute === undefined &&
		settings.every((name) => name === 'insufficientCredits') &&
		!hasKill(history)
	);
}

/** One call of Accept Many, alone, that accepts from anyone, in a history without faults. */
function isSimple({ spec, end, isAlone }: Ended, history: History): boolean {
	const { rules, items, rounds, tries, canceledAfter } = spec;
	const { refusedPartners, refusedAnchorWords } = rules?.options ?? {};
	return (
		isAlone &&
		isPlain(history) &&
		faultsOf(history).length === 0 &&
		rules?.acceptFrom === 'anyone' &&
		[refusedPartners, refusedAnchorWords, canceledAfter].every((each) => each === undefined) &&
		[items.length, rounds, tries].every((count) => count === 1) &&
		end.status === 'success'
	);
}

/** Offers that nobody has accepted by the end of this execution. */
function leftBy({ byThen }: Ended, { history }: Happened): Array<{ id: string; cost: number }> {
	return history.costs
		.map((cost, offer) => ({ id: offerId(offer), cost }))
		.filter(({ id }) => paymentsOf(byThen, id).length === 0);
}
