/** Rules about what an execution reports: each item, nothing but what is in the books, and no payment denied. */
import {
	balancesOf,
	isMovedByOthers,
	type Payment,
	paymentsOf,
	requestsOf,
	settlesAnotherRequest,
} from './books.mts';
import type { Event, Executed, Happened } from './happened.mts';
import { offerId, offersOf } from './input.mts';
import {
	isBelievedWrongly,
	isClearRefusal,
	isRefusal,
	mayLieAbout,
	misstatesBalance,
	showsAccepted,
} from './promises.mts';
import { type Report, reportsOf } from './reports.mts';

/** Sentences that deny a payment. */
const saysUnpaid =
	/nothing (was|has been|is) (sent|spent|changed)|(was|is) not accepted|not accepted so far|no credits were/i;

const outcomes = ['accepted', 'alreadyAccepted', 'skipped', 'wouldAccept'];
const outcomesByRules = [...outcomes, 'undecided', 'refused', 'failed', 'unknown'];

/** Every item that went in comes out once, with an outcome or an error; of Accept Many, with one for each offer at most. */
export function* reportsEachItem(executed: Executed): Generator<string> {
	const { number, end, spec } = executed;
	if (end === undefined || end.status === 'canceled') return;
	if (end.status === 'error') {
		if (spec.continues) yield `items: execution ${number} failed: ${end.error?.message ?? ''}`;
		return;
	}
	for (const task of end.tasks) {
		const items = task.data?.main?.[0] ?? [];
		const paired = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		const isEach = paired.join() === spec.items.map((_, item) => item).join();
		// Those without an ID stand for themselves.
		const offers = items.map(
			({ json }, index) => `${paired[index]} ${(json.id as string) || String(index)}`,
		);
		const isOnce = new Set(offers).size === offers.length;
		if (spec.rules === undefined ? !isEach : !isOnce) {
			yield `items: execution ${number} put out items ${offers.join()} of ${spec.items.length}`;
		}
		const known = spec.rules === undefined ? outcomes : outcomesByRules;
		for (const { json } of items) {
			if (!known.includes(json.outcome as string) && json.error === undefined) {
				yield `items: execution ${number} put out ${JSON.stringify(json)}`;
			}
		}
	}
}

/** What Accept Many has seen as accepted, it returns; and what a try of it had, that n8n did not emit, if the list shows it. */
export function* returnsWhatItAccepted(
	executed: Executed,
	{ history, events, executed: all }: Happened,
): Generator<string> {
	const { number, spec, end } = executed;
	if (spec.rules === undefined || end?.status !== 'success') return;
	const byThen = events.slice(0, end.events);
	// Between two tries of this one, another execution may have reported what the first try accepted.
	const byOthers = all.flatMap(reportsOf).filter(({ json }) => json.outcome === 'accepted');
	const reported = new Set([...reportsOf(executed), ...byOthers].map(({ id }) => id));
	const isError = reportsOf(executed).some(
		({ id, error }) => id === undefined && error !== undefined,
	);
	const isListed = [undefined, 'all'].includes(history.dialect.exchangeList);
	if (isError || !isListed || !showsAccepted(history) || isBelievedWrongly(history)) return;
	for (const { id } of paymentsOf(executed, byThen)) {
		const isSeen = requestsOf(executed, byThen).some(
			(event) => event.isAccept && event.id === id && event.status === 200,
		);
		if (isSeen && !reported.has(id)) {
			yield `items: execution ${number} paid ${id} and does not return it`;
		}
	}
}

/** What is reported as accepted is accepted and was paid; what this execution paid, it reports as accepted. */
export function* isInTheBooks(
	executed: Executed,
	report: Report,
	happened: Happened,
): Generator<string> {
	const { history, events, executed: all } = happened;
	const { number, spec, end } = executed;
	const { id, json, error } = report;
	if (end === undefined || id === undefined || typeof json.outcome !== 'string') return;
	if (error !== undefined) return;
	const byThen = events.slice(0, end.events);
	const paid = byThen.filter((event): event is Payment => event.kind === 'paid' && event.id === id);
	const own = paid.filter(({ execution }) => execution === number);
	const claimsAccepted = json.outcome === 'accepted' || json.outcome === 'alreadyAccepted';
	if (claimsAccepted && paid.length === 0 && !mayLieAbout(id, history)) {
		yield `books: execution ${number} reports ${id} as ${json.outcome}, but nobody paid it`;
	}
	// A service that accepts, answers with a refusal and then lists the offer as accepted looks like one whose refusal was
	// right because somebody else had accepted. So who accepted is left open.
	const wasRefused =
		json.outcome === 'alreadyAccepted' &&
		json.confirmedBy === 'readBack' &&
		typeof json.reason === 'string' &&
		json.reason.includes('is not known: credits may have been spent');
	const hints = end.tasks.flatMap((task) => task.hints ?? []).map(({ message }) => message);
	if (own.length > 0 && wasRefused && hints.some((hint) => saysUnpaid.test(hint))) {
		yield `denied: execution ${number} paid ${id} and says: ${hints.join()}`;
	}
	const mayBeAnothers =
		json.outcome === 'alreadyAccepted' &&
		own.every((payment) => settlesAnotherRequest(payment, number, { history, events: byThen }));
	// Dry Run may be on for one item and off for another of the same offer; what one round skips, the next one may accept. And
	// what Accept Many has accepted, another execution that ran at the same time may have returned before this one ended, or one
	// of its rounds.
	const mayHaveReturned = (each: Executed) =>
		(each.end?.events ?? Infinity) <= end.events ||
		(each.spec.rounds > 1 && each.startedAt <= end.at);
	const reporting = all.filter(
		(each) => each === executed || (spec.rules !== undefined && mayHaveReturned(each)),
	);
	const isAnotherItems =
		!claimsAccepted &&
		reporting.flatMap(reportsOf).some((other) => other.id === id && admits(other));
	const isHonest =
		wasRefused ||
		mayBeAnothers ||
		isAnotherItems ||
		isBeforeTheEnd(executed) ||
		isBelievedWrongly(history);
	if (own.length > 0 && json.outcome !== 'accepted' && !isHonest) {
		yield `books: execution ${number} paid ${id} and reports it as ${json.outcome}`;
	}
	yield* figuresAreInTheBooks(executed, report, paid, happened);
}

/**
 * "Credits may have been spent" is said only of what was sent. A process that died may have been about to, and one that has
 * written its claim, seen by another one meanwhile, may have sent nothing after all.
 */
export function* doubtsOnlyWhatWasSent(
	{ number, process, end }: Executed,
	{ id, code }: Report,
	{ history, events, executed: all }: Happened,
): Generator<string> {
	const mayHaveDied = history.steps.some((step) => step.kind === 'run' && step.kill !== undefined);
	if (end === undefined || id === undefined || code !== 'outcome_unknown' || mayHaveDied) return;
	const isOfAnother = all
		.filter((other) => other.process !== process)
		.some((other) => reportsOf(other).some((report) => report.id === id));
	if (isOfAnother) return;
	const sent = events
		.slice(0, end.events)
		.some(
			(event) =>
				event.kind === 'request' && event.isAccept && event.id === id && event.status !== 429,
		);
	if (!sent) {
		yield `doubt: execution ${number} says that ${id} may have been paid, but nothing was sent`;
	}
}

/** No message says that nothing was spent when something was. */
export function* deniesNoPayment(
	executed: Executed,
	report: Report,
	events: Event[],
): Generator<string> {
	const { number, end } = executed;
	const { id, error } = report;
	if (end === undefined || error === undefined || !saysUnpaid.test(error)) return;
	// What could not be in one round, may be in the next one.
	if (reportsOf(executed).some((other) => other.id === id && other.json.outcome === 'accepted')) {
		return;
	}
	const paid = paymentsOf(executed, events.slice(0, end.events));
	// What the service has refused in clear words is not known to be paid.
	const isRefused = (payment: Payment) =>
		requestsOf(executed, events).some(
			(event) => event.isAccept && event.id === payment.id && isClearRefusal(event.status),
		);
	const known = paid.filter((payment) => !isRefused(payment));
	if (known.some((payment) => id === undefined || payment.id === id)) {
		yield `denied: execution ${number} paid ${id ?? 'an offer'} and says: ${error}`;
	}
}

/** An error about an offer that was paid, and that the service has not refused, says that credits may have been spent. */
export function* admitsPayment(
	executed: Executed,
	{ id, error, code }: Report,
	events: Event[],
): Generator<string> {
	const { number, end } = executed;
	if (end === undefined || id === undefined || error === undefined || code === 'outcome_unknown') {
		return;
	}
	if (isBeforeTheEnd(executed)) return;
	if (reportsOf(executed).some((other) => other.id === id && admits(other))) return;
	const byThen = events.slice(0, end.events);
	const isPaid = paymentsOf(executed, byThen).some((payment) => payment.id === id);
	const asked = requestsOf(executed, byThen).filter((event) => event.isAccept && event.id === id);
	const isRefused = asked.some((event) => event.isAccept && isRefusal(event.status));
	if (isPaid && !isRefused) {
		yield `denied: execution ${number} paid ${id} and says nothing of it: ${error}`;
	}
}

/**
 * A node that does nothing would keep all these rules. So, with a good service and plain settings, every offer is accepted.
 */
export function* succeedsWhenNothingIsWrong({
	history,
	executed,
	events,
}: Happened): Generator<string> {
	const isPlain =
		history.credits >= 1000 &&
		history.perMinute === undefined &&
		Object.keys(history.dialect).every(
			(name) => !/^(accept|acceptRecord|exchangeList|pageSize|pagination|settlement)$/.test(name),
		) &&
		// What a dead one has left in doubt waits for a minute.
		history.steps.every((step) => step.kind !== 'run' || step.kill === undefined) &&
		history.steps.every(
			(step) => step.kind !== 'run' || (step.faults.length === 0 && step.meanwhile.length === 0),
		);
	if (!isPlain) return;
	for (const { number, spec, end } of executed) {
		const { rules, items } = spec;
		const isAsked =
			Object.keys(spec.options).length === 0 &&
			!items.some((item) => offerId(item) === 'x4') &&
			end?.status !== 'canceled';
		if (!isAsked || end === undefined) continue;
		if (rules !== undefined) {
			const isAnything = rules.acceptFrom === 'anyone' && Object.keys(rules.options).length === 0;
			const left = offersOf(spec).filter(
				(id) =>
					!events.slice(0, end.events).some((event) => event.kind === 'paid' && event.id === id),
			);
			if (isAnything && left.length > 0) yield `success: execution ${number} leaves ${left.join()}`;
			continue;
		}
		const outcomes = end.tasks.flatMap((task) =>
			(task.data?.main?.[0] ?? []).map(({ json }) => json.outcome as string | undefined),
		);
		if (
			outcomes.length !== items.length * spec.rounds ||
			outcomes.some((each) => each?.endsWith('ccepted') !== true)
		) {
			yield `success: execution ${number} reports ${outcomes.join()} ${end.error?.message ?? ''}`;
		}
	}
}

/** What one round reports may come before what the next one sent, and could not report because it was canceled. */
function isBeforeTheEnd({ end, spec }: Executed): boolean {
	return end?.status === 'canceled' && spec.rounds > 1;
}

/** Says that an offer is accepted, or may be. */
function admits({ code, json }: Report): boolean {
	return (
		code === 'outcome_unknown' || ['accepted', 'alreadyAccepted'].includes(json.outcome as string)
	);
}

/** What an item says that it cost, and what is left. */
function* figuresAreInTheBooks(
	executed: Executed,
	{ id = '', json }: Report,
	paid: Payment[],
	happened: Happened,
): Generator<string> {
	const { number, end, startedAt } = executed;
	const own = paid.filter(({ execution }) => execution === number);
	const { history } = happened;
	if (end === undefined || misstatesBalance(history) || isBelievedWrongly(history)) return;
	const { creditsSpent, balance } = json;
	if (creditsSpent !== undefined && !isMovedByOthers(executed, end.at, happened)) {
		const spent = own.reduce((sum, { amount }) => sum + amount, 0);
		// Whoever asked first has paid.
		if (creditsSpent !== spent && json.outcome === 'accepted' && own.length > 0) {
			yield `books: execution ${number} spent ${spent} on ${id} and reports ${JSON.stringify(creditsSpent)}`;
		}
		// An earlier execution has reported it, or has paid that much and failed as a whole.
		const isRemembered =
			paid.some(({ amount }) => amount === creditsSpent) ||
			happened.executed.some(
				(other) =>
					other.startedAt < startedAt && reportsOf(other).some((report) => report.id === id),
			);
		if (own.length === 0 && mayLieAbout(id, history) && !isRemembered) {
			yield `books: execution ${number} spent nothing on ${id} and reports ${JSON.stringify(creditsSpent)}`;
		}
	}
	if (balance !== undefined) {
		const { balanceLagSeconds = 0 } = history.dialect;
		const from = startedAt - balanceLagSeconds * 1000 - 1000;
		const seen = balancesOf(from, end.at, happened);
		if (!seen.includes(balance as number)) {
			yield `books: execution ${number} reports a balance of ${JSON.stringify(balance)}; it was ${seen.join(', ')}`;
		}
	}
}
