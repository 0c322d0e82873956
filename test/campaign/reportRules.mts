/** Rules about what an execution reports: each item, nothing but what is in the books, and no payment denied. */
import { balancesSeenBy, isMovedByOthers, settlesAnotherRequest } from './books.mts';
import {
	acceptsOf,
	type Ended,
	type Executed,
	type Happened,
	hasEnded,
	paymentsOf,
	type Report,
} from './happened.mts';
import { offerId, offersOf } from './input.mts';
import {
	faultsOf,
	hasKill,
	isBelievedWrongly,
	isClearRefusal,
	isRefusal,
	mayLieAbout,
	misstatesBalance,
	showsAccepted,
} from './promises.mts';

/** Sentences that deny a payment. */
const saysUnpaid =
	/nothing (was|has been|is) (sent|spent|changed)|(was|is) not accepted|not accepted so far|no credits were/i;

const outcomes = ['accepted', 'alreadyAccepted', 'skipped', 'wouldAccept'];
const outcomesByRules = [...outcomes, 'undecided', 'refused', 'failed', 'unknown'];

/** Every item that went in comes out once, with an outcome or an error; of Accept Many, with one for each offer at most. */
export function* reportsEachItem({ number, end, spec }: Ended): Generator<string> {
	if (end.status === 'canceled') return;
	if (end.status === 'error') {
		if (spec.continues) yield `items: execution ${number} failed: ${end.error?.message ?? ''}`;
		return;
	}
	const known = spec.rules === undefined ? outcomes : outcomesByRules;
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
		for (const { json } of items) {
			if (!known.includes(json.outcome as string) && json.error === undefined) {
				yield `items: execution ${number} put out ${JSON.stringify(json)}`;
			}
		}
	}
}

/** What Accept Many has seen as accepted, it returns; and what a try of it had, that n8n did not emit, if the list shows it. */
export function* returnsWhatItAccepted(
	{ number, spec, end, byThen, accepts, reports }: Ended,
	{ history, executed: all }: Happened,
): Generator<string> {
	if (spec.rules === undefined || end.status !== 'success') return;
	const isListed = [undefined, 'all'].includes(history.dialect.exchangeList);
	if (!isListed || !showsAccepted(history) || isBelievedWrongly(history)) return;
	if (reports.some(({ id, error }) => id === undefined && error !== undefined)) return;
	// Between two tries of this one, another execution may have reported what the first try accepted.
	const byOthers = all
		.flatMap((each) => each.reports)
		.filter(({ json }) => json.outcome === 'accepted');
	const reported = new Set([...reports, ...byOthers].map(({ id }) => id));
	const isSeen = (offer: string) =>
		accepts.some(({ id, status }) => id === offer && status === 200);
	for (const { id, execution } of paymentsOf(byThen)) {
		if (execution === number && isSeen(id) && !reported.has(id)) {
			yield `items: execution ${number} paid ${id} and does not return it`;
		}
	}
}

/** What is reported as accepted is accepted and was paid; what this execution paid, it reports as accepted. */
export function* isInTheBooks(
	executed: Ended,
	report: Report,
	happened: Happened,
): Generator<string> {
	const { history, executed: all } = happened;
	const { number, spec, end, byThen, hints } = executed;
	const { id, json, isAccepted, error } = report;
	if (id === undefined || typeof json.outcome !== 'string' || error !== undefined) return;
	const paid = paymentsOf(byThen, id);
	const own = paid.filter(({ execution }) => execution === number);
	if (isAccepted && paid.length === 0 && !mayLieAbout(id, history)) {
		yield `books: execution ${number} reports ${id} as ${json.outcome}, but nobody paid it`;
	}
	// A service that accepts, answers with a refusal and then lists the offer as accepted looks like one whose refusal was
	// right because somebody else had accepted. So who accepted is left open.
	const isAlready = json.outcome === 'alreadyAccepted';
	const wasRefused =
		isAlready &&
		json.confirmedBy === 'readBack' &&
		typeof json.reason === 'string' &&
		json.reason.includes('is not known: credits may have been spent');
	if (own.length > 0 && wasRefused && hints.some((hint) => saysUnpaid.test(hint))) {
		yield `denied: execution ${number} paid ${id} and says: ${hints.join()}`;
	}
	const mayBeAnothers =
		isAlready && own.every((each) => settlesAnotherRequest(each, executed, history, byThen));
	// Dry Run may be on for one item and off for another of the same offer; what one round skips, the next one may accept. And
	// what Accept Many has accepted, another execution that ran at the same time may have returned before this one ended, or one
	// of its rounds.
	const mayHaveReturned = (each: Executed) =>
		(each.end?.events ?? Infinity) <= end.events ||
		(each.spec.rounds > 1 && each.startedAt <= end.at);
	const reporting =
		spec.rules === undefined
			? [executed]
			: all.filter((each) => each === executed || mayHaveReturned(each));
	const isAnotherItems = !isAccepted && reporting.some((each) => hasAdmitted(each, id));
	const isHonest =
		wasRefused ||
		mayBeAnothers ||
		isAnotherItems ||
		isBeforeTheEnd(executed) ||
		isBelievedWrongly(history);
	if (own.length > 0 && json.outcome !== 'accepted' && !isHonest) {
		yield `books: execution ${number} paid ${id} and reports it as ${json.outcome}`;
	}
	if (misstatesBalance(history) || isBelievedWrongly(history)) return;
	yield* spendsWhatItSays(executed, report, happened);
	const seen = balancesSeenBy(executed, end.at, happened);
	if (json.balance !== undefined && !seen.includes(json.balance as number)) {
		yield `books: execution ${number} reports a balance of ${JSON.stringify(json.balance)}; it was ${seen.join(', ')}`;
	}
}

/**
 * "Credits may have been spent" is said only of what was sent. A process that died may have been about to, and one that has
 * written its claim, seen by another one meanwhile, may have sent nothing after all.
 */
export function* doubtsOnlyWhatWasSent(
	{ number, process, byThen }: Ended,
	{ id, isDoubt }: Report,
	{ history, executed: all }: Happened,
): Generator<string> {
	if (id === undefined || !isDoubt || hasKill(history)) return;
	const isOfAnother = all
		.filter((other) => other.process !== process)
		.some(({ reports }) => reports.some((report) => report.id === id));
	const isSent = acceptsOf(byThen, id).some(({ status }) => status !== 429);
	if (!isOfAnother && !isSent) {
		yield `doubt: execution ${number} says that ${id} may have been paid, but nothing was sent`;
	}
}

/** No message says that nothing was spent when something was. */
export function* deniesNoPayment(
	{ number, byThen, accepts, reports }: Ended,
	{ id, error }: Report,
): Generator<string> {
	if (error === undefined || !saysUnpaid.test(error)) return;
	// What could not be in one round, may be in the next one.
	if (reports.some((other) => other.id === id && other.json.outcome === 'accepted')) return;
	// What the service has refused in clear words is not known to be paid.
	const isRefused = (offer: string) =>
		accepts.some((request) => request.id === offer && isClearRefusal(request.status));
	const known = paymentsOf(byThen, id)
		.filter(({ execution }) => execution === number)
		.filter((payment) => !isRefused(payment.id));
	if (known.length > 0) {
		yield `denied: execution ${number} paid ${id ?? 'an offer'} and says: ${error}`;
	}
}

/** An error about an offer that was paid, and that the service has not refused, says that credits may have been spent. */
export function* admitsPayment(executed: Ended, { id, error, isDoubt }: Report): Generator<string> {
	const { number, byThen } = executed;
	if (id === undefined || error === undefined || isDoubt) return;
	if (isBeforeTheEnd(executed) || hasAdmitted(executed, id)) return;
	const isOwn = ({ execution }: { execution: number | undefined }) => execution === number;
	const asked = acceptsOf(byThen, id).filter(isOwn);
	const isRefused = asked.some(({ status }) => isRefusal(status));
	if (paymentsOf(byThen, id).some(isOwn) && !isRefused) {
		yield `denied: execution ${number} paid ${id} and says nothing of it: ${error}`;
	}
}

/**
 * A node that does nothing would keep all these rules. So, with a good service and plain settings, every offer is accepted.
 */
export function* succeedsWhenNothingIsWrong({ history, executed }: Happened): Generator<string> {
	const misleading = /^(accept|acceptRecord|exchangeList|pageSize|pagination|settlement)$/;
	const isPlain =
		history.credits >= 1000 &&
		history.perMinute === undefined &&
		!Object.keys(history.dialect).some((name) => misleading.test(name)) &&
		// What a dead one has left in doubt waits for a minute.
		!hasKill(history) &&
		faultsOf(history).length === 0 &&
		history.steps.every((step) => step.kind !== 'run' || step.meanwhile.length === 0);
	if (!isPlain) return;
	for (const { number, spec, end, byThen, reports } of executed.filter(hasEnded)) {
		const { rules, items, options, rounds } = spec;
		const isAsked = Object.keys(options).length === 0 && !items.map(offerId).includes('x4');
		if (!isAsked || end.status === 'canceled') continue;
		if (rules !== undefined) {
			const isAnything = rules.acceptFrom === 'anyone' && Object.keys(rules.options).length === 0;
			const left = offersOf(spec).filter((id) => paymentsOf(byThen, id).length === 0);
			if (isAnything && left.length > 0) yield `success: execution ${number} leaves ${left.join()}`;
			continue;
		}
		const isAll = reports.length === items.length * rounds;
		if (!isAll || !reports.every(({ isAccepted }) => isAccepted)) {
			const said = reports.map(({ json }) => json.outcome as string | undefined);
			yield `success: execution ${number} reports ${said.join()} ${end.error?.message ?? ''}`;
		}
	}
}

/** What an item says that it cost. */
function* spendsWhatItSays(
	executed: Ended,
	{ id = '', json: { creditsSpent, outcome } }: Report,
	happened: Happened,
): Generator<string> {
	const { number, end, startedAt, byThen } = executed;
	if (creditsSpent === undefined || isMovedByOthers(executed, end.at, happened)) return;
	const paid = paymentsOf(byThen, id);
	const own = paid.filter(({ execution }) => execution === number);
	const spent = own.reduce((sum, { amount }) => sum + amount, 0);
	// Whoever asked first has paid.
	if (creditsSpent !== spent && outcome === 'accepted' && own.length > 0) {
		yield `books: execution ${number} spent ${spent} on ${id} and reports ${JSON.stringify(creditsSpent)}`;
	}
	// An earlier execution has reported it, or has paid that much and failed as a whole.
	const isRemembered =
		paid.some(({ amount }) => amount === creditsSpent) ||
		happened.executed
			.filter((other) => other.startedAt < startedAt)
			.some(({ reports }) => reports.some((other) => other.id === id));
	if (own.length === 0 && mayLieAbout(id, happened.history) && !isRemembered) {
		yield `books: execution ${number} spent nothing on ${id} and reports ${JSON.stringify(creditsSpent)}`;
	}
}

/** What one round reports may come before what the next one sent, and could not report because it was canceled. */
function isBeforeTheEnd({ end, spec }: Ended): boolean {
	return end.status === 'canceled' && spec.rounds > 1;
}

/** Says somewhere that the offer is accepted, or may be. */
function hasAdmitted({ reports }: Executed, offer: string): boolean {
	return reports.some(({ id, isAccepted, isDoubt }) => id === offer && (isAccepted || isDoubt));
}
