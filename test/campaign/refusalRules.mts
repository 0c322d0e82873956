/** Rules about refusals: they are believed, those for want of credits hold up no other offer, and what blocks all is said. */
import { balancesOf, type Request, requestsOf } from './books.mts';
import type { Executed, Happened } from './happened.mts';
import type { History } from './history.mts';
import { offerId } from './input.mts';
import { faultsOf, isRefusal } from './promises.mts';
import type { Report } from './reports.mts';

type AcceptRequest = Request & { isAccept: true };

/** So many refusals in a row end an execution of Accept Many. */
const mostInARow = 3;
const blocked = 'No further offer can be accepted now: ';

/**
 * What the service has refused in its own words, each time that it was asked, is not in doubt, also where it has vanished
 * meanwhile.
 */
export function* believesRefusals(
	{ number, end }: Executed,
	{ id, code }: Report,
	{ history, executed: all, events }: Happened,
): Generator<string> {
	if (end === undefined || id === undefined || code !== 'outcome_unknown') return;
	// A list that cannot be read afterwards, another worker and a dead process leave it in doubt.
	const isRefusedPlainly = faultsOf(history).every(
		({ kind, method }) => kind === 'error-before-commit' && method === 'POST',
	);
	const isOneProcess = all.every(({ process }) => process === all[0]?.process);
	if (!isPlain(history) || !isRefusedPlainly || !isOneProcess) return;
	const asked = events
		.slice(0, end.events)
		.filter((event): event is AcceptRequest => event.kind === 'request' && event.isAccept)
		.filter((event) => event.id === id);
	if (asked.length > 0 && asked.every(({ status }) => isRefusal(status))) {
		yield `refused: execution ${number} says that ${id} may have been paid, which was refused each time`;
	}
}

/** In Accept Many, an offer that is too expensive keeps no other one from being accepted, and is asked for last, and not in vain. */
export function* holdsUpNobody(executed: Executed, happened: Happened): Generator<string> {
	const { number, process, end, isAlone, spec } = executed;
	const { history, executed: all, events } = happened;
	if (!isSimple(executed, history) || !isAlone || end === undefined) return;
	const asked = requestsOf(executed, events).filter((event) => event.isAccept);
	let inARow = 0;
	let most = 0;
	for (const { status } of asked) {
		inARow = isRefusal(status) ? inARow + 1 : 0;
		most = Math.max(most, inARow);
	}
	if (most > mostInARow) yield `credits: execution ${number} was refused ${most} times in a row`;
	const earlier = all
		.filter((each) => each.process === process && each.startedAt < executed.startedAt)
		.flatMap((each) => requestsOf(each, events))
		.filter((event) => event.isAccept);
	const refusalOf = (id: string) =>
		earlier.findLast((event) => event.id === id && isRefusal(event.status));
	let isLast = false;
	for (const { id, balance } of asked) {
		const refusal = refusalOf(id);
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
	for (const id of pendingAt(end.events, happened)) {
		const cost = history.costs[Number(id.slice(1))] ?? 0;
		if (cost <= balance) {
			yield `credits: execution ${number} leaves ${id}, which costs ${cost}, with ${balance} credits`;
		}
	}
}

/** Where Accept Many asks for nothing, although offers are pending that its rules allow, a hint says why, once for each reason. */
export function* saysWhatBlocks(executed: Executed, happened: Happened): Generator<string> {
	const { number, end, isAlone, spec } = executed;
	const { history, events } = happened;
	if (!isSimple(executed, history) || !isAlone || end === undefined) return;
	const hints = end.tasks.flatMap((task) => task.hints ?? []).map(({ message }) => message);
	const reasons = hints.filter((hint) => hint.startsWith(blocked));
	const isOnce = new Set(reasons.map((each) => each.replace(/\d+/g, '#'))).size === reasons.length;
	if (!isOnce) yield `blocked: execution ${number} says a reason twice: ${reasons.join(' | ')}`;
	const hasAsked = requestsOf(executed, events).some((event) => event.isAccept);
	if (hasAsked || spec.options.dryRun === true || reasons.length > 0) return;
	const left = pendingAt(end.events, happened);
	if (left.length > 0) {
		yield `blocked: execution ${number} leaves ${left.join()} and does not say why`;
	}
}

/** A service that answers as documented at once, and executions in which nobody disturbs them. */
function isPlain({ dialect, perMinute, steps }: History): boolean {
	return (
		perMinute === undefined &&
		Object.keys(dialect).every((name) => name === 'insufficientCredits') &&
		steps.every((step) => step.kind !== 'run' || step.kill === undefined)
	);
}

/** One call of Accept Many that accepts from anyone, in a history without faults. */
function isSimple({ spec, end }: Executed, history: History): boolean {
	const { rules, items, rounds, tries, canceledAfter } = spec;
	const { refusedPartners, refusedAnchorWords } = rules?.options ?? {};
	return (
		isPlain(history) &&
		faultsOf(history).length === 0 &&
		rules?.acceptFrom === 'anyone' &&
		[refusedPartners, refusedAnchorWords, canceledAfter].every((each) => each === undefined) &&
		[items.length, rounds, tries].every((count) => count === 1) &&
		end?.status === 'success'
	);
}

/** Offers that nobody has accepted by then. */
function pendingAt(count: number, { history, events }: Happened): string[] {
	const paid = events.slice(0, count).flatMap((event) => (event.kind === 'paid' ? [event.id] : []));
	return [...history.costs.keys()].map(offerId).filter((id) => !paid.includes(id));
}
