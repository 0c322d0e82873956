/** What must hold in every history, whatever the service, the network and the user do. The sandbox's books are the oracle. */
import { inspect } from 'node:util';

import type { Event, Executed, Happened } from './happened.mts';
import { type OptionName, optionNames } from './history.mts';
import { valueOf } from './input.mts';
import { hidesWhatItRefused, isBelievedWrongly } from './promises.mts';
import { type Report, reportsOf } from './reports.mts';

type Request = Event & { kind: 'request' };
type Payment = Event & { kind: 'paid' };

const titles: Record<OptionName, string> = {
	checkFirst: 'Check First',
	dryRun: 'Dry Run',
	maxAccepts: 'Max Accepts',
	maxRateLimitWait: 'Max Rate Limit Wait',
	minimumBalance: 'Minimum Balance',
	retryUnconfirmed: 'Retry Unconfirmed',
	timeout: 'Timeout',
};

/** Sentences that deny a payment. */
const saysUnpaid =
	/nothing (was|has been|is) (sent|spent|changed)|(was|is) not accepted|not accepted so far|no credits were/i;

/** Contradictions in plain words, each beginning with the name of its rule; empty when all is well. */
export function contradictions(happened: Happened): string[] {
	return [...find(happened)];
}

function* find(happened: Happened): Generator<string> {
	for (const reason of happened.uncaught) yield `crash: ${inspect(reason)}`;
	yield* paidOnce(happened);
	for (const executed of happened.executed) {
		yield* ends(executed);
		yield* keepsBounds(executed, happened);
		yield* sendsNoMoreThanBudgeted(executed, happened);
		yield* waitsNoLongerThanAllowed(executed, happened.events);
		yield* refusesUnreadable(executed, happened.events);
		if (executed.end === undefined) continue;
		yield* reportsEachItem(executed);
		for (const report of reportsOf(executed)) {
			yield* isInTheBooks(executed, report, happened);
			yield* deniesNoPayment(executed, report, happened.events);
		}
		if (JSON.stringify(executed.end.tasks).includes(happened.apiKey)) yield 'secret: the API key';
	}
	yield* succeedsWhenNothingIsWrong(happened);
}

/** Within a process, an offer is paid at most once. */
function* paidOnce({ history, executed, events }: Happened): Generator<string> {
	if (hidesWhatItRefused(history)) return;
	const processOf = (event: Event) =>
		'execution' in event && event.execution !== undefined
			? executed[event.execution]?.process
			: undefined;
	const payments = events.filter((event): event is Payment => event.kind === 'paid');
	for (const id of new Set(payments.map((payment) => payment.id))) {
		const asked = events.filter(
			(event) => event.kind === 'request' && event.isAccept && event.id === id,
		);
		const paid = payments.filter((payment) => payment.id === id);
		for (const process of new Set(executed.map((execution) => execution.process))) {
			const own = paid.filter((payment) => processOf(payment) === process).length;
			// The books name who asked last. An accept that is settled later may be one that another process asked for.
			const others =
				asked.filter((request) => processOf(request) !== process).length +
				acceptedBySomebodyElse(history, id);
			const certain =
				history.dialect.settlement === 'later' ? Math.min(own, paid.length - others) : own;
			if (certain > 1) {
				yield `paid once: ${id} was paid more than once by process ${process} (${certain} times)`;
			}
		}
	}
}

function* ends({ number, isEndless }: Executed): Generator<string> {
	if (isEndless) yield `ends: execution ${number} goes on for ever`;
}

function requestsOf({ number }: Executed, events: Event[]): Request[] {
	return events.filter(
		(event): event is Request => event.kind === 'request' && event.execution === number,
	);
}

function paymentsOf({ number }: Executed, events: Event[]): Payment[] {
	return events.filter(
		(event): event is Payment => event.kind === 'paid' && event.execution === number,
	);
}

/** A bound as anybody would read it; undefined for what is no number of credits or offers. */
function readBound(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
	return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Max Accepts, Minimum Balance and Dry Run hold per execution, second tries and loops included. */
function* keepsBounds(executed: Executed, { history, events }: Happened): Generator<string> {
	const { number, ids, spec } = executed;
	const isCounted = !isBelievedWrongly(history);
	const paid = new Set(paymentsOf(executed, events).map(({ id }) => id));
	const bounds = ids.map((_, item) => readBound(valueOf(spec, 'maxAccepts', item).value) ?? 0);
	const most = bounds.includes(0) ? Infinity : Math.max(...bounds);
	if (isCounted && paid.size > most) {
		yield `max accepts: execution ${number} may accept ${most} and paid ${paid.size}`;
	}
	let highestCost = 0;
	for (const event of events) {
		if (event.execution !== number) continue;
		// An accept that is settled later may take effect between a look at the balance and the next request.
		if (event.kind === 'paid') {
			if (history.dialect.settlement !== 'later') highestCost = Math.max(highestCost, event.amount);
		} else if (event.isAccept) {
			const items = ids.flatMap((id, item) => (id === event.id ? [item] : []));
			const dry = items.every((item) => isTrue(valueOf(spec, 'dryRun', item).value));
			if (dry) yield `dry run: execution ${number} sent a request to accept ${event.id}`;
			if (!executed.isAlone || !isCounted) continue;
			const minimum = Math.min(
				...items.map((item) => {
					const { isAdded, value } = valueOf(spec, 'minimumBalance', item);
					return isAdded ? (readBound(value) ?? -Infinity) : -Infinity;
				}),
			);
			if (event.balance <= minimum || event.balance - highestCost < minimum) {
				yield `minimum balance: execution ${number} went below ${minimum}: balance ${event.balance}, an accept had cost ${highestCost}`;
			}
		}
	}
}

function isTrue(value: unknown): boolean {
	return value === true || value === 'true';
}

/** Lists may be read once per state and page, and requests that fail are sent again, but not without end. */
function* sendsNoMoreThanBudgeted(executed: Executed, { history, events }: Happened) {
	const { number, spec, ids } = executed;
	const sent = requestsOf(executed, events);
	const calls = spec.tries * spec.rounds;
	const faults = history.steps.flatMap((step) => (step.kind === 'run' ? step.faults : []));
	const refused = history.perMinute !== undefined || faults.some(({ status }) => status === 429);
	const offers = new Set(ids).size;
	// A refused request is sent again until it is let through; how often depends on the service.
	const again = refused ? 20 : 1;
	for (const id of new Set(ids)) {
		const accepts = sent.filter((event) => event.isAccept && event.id === id).length;
		const most = calls * 2 * again;
		if (accepts > most) yield `budget: execution ${number} asked ${accepts} times to accept ${id}`;
	}
	const pages = (history.dialect.pageSize ?? 50) === 1 ? 4 : 2;
	const look = 5 * pages * 4;
	const budget = calls * again * (look + offers * (2 + 14 * look + 4 * 4));
	if (sent.length > budget) {
		yield `budget: execution ${number} sent ${sent.length} requests; ${budget} are enough`;
	}
	const { end } = executed;
	if (end?.status === 'canceled') {
		const late = sent.filter(({ at }) => at > executed.startedAt + (spec.canceledAfter ?? 0));
		if (late.length > 0) yield `cancel: execution ${number} sent ${late.length} requests after it`;
		const seconds = (end.at - executed.startedAt - (spec.canceledAfter ?? 0)) / 1000;
		// n8n itself goes on trying, with a second in between.
		if (seconds > calls + 1) yield `cancel: execution ${number} went on for ${seconds} s after it`;
	}
}

/**
 * An execution that waits for no other one never stands still for longer than its options say: for an answer and its body, for the limit,
 * for the limit once more when the service asks for a pause, and for the minute of Retry Unconfirmed.
 */
function* waitsNoLongerThanAllowed(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, isAlone, startedAt, end } = executed;
	if (!isAlone) return;
	const seconds = (name: OptionName, byDefault: number) =>
		Math.max(byDefault, readBound(spec.options[name]?.value) ?? 0);
	const most = 2 * seconds('timeout', 30) + 2 * seconds('maxRateLimitWait', 90) + 60 + 5;
	const moments = requestsOf(executed, events).map(({ at }) => at);
	const all = [startedAt, ...moments, ...(end ? [end.at] : [])];
	for (const [index, at] of all.entries()) {
		const gap = (at - (all[index - 1] ?? at)) / 1000;
		if (gap > most) {
			yield `waits: execution ${number} stood still for ${gap} s; ${most} are allowed`;
		}
	}
}

/** Options that nobody can take for a value of their kind. */
function isUnreadable(name: OptionName, value: unknown): boolean {
	const isSwitch = ['checkFirst', 'dryRun', 'retryUnconfirmed'].includes(name);
	if (isSwitch) {
		const isText = typeof value === 'string' && /^(true|false|yes|no|1|0)$/i.test(value.trim());
		return typeof value !== 'boolean' && value !== 0 && value !== 1 && !isText;
	}
	return readBound(value) === undefined;
}

/** A value that cannot be read is an error before any request, never "no limit". */
function* refusesUnreadable(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, ids, end } = executed;
	const unreadable = ids.map((_, item) =>
		optionNames.filter((name) => {
			const { isAdded, value } = valueOf(spec, name, item);
			return isAdded && isUnreadable(name, value);
		}),
	);
	const first = unreadable.find((names) => names.length > 0);
	if (first === undefined) return;
	const mustNotSend = !spec.continues || unreadable.every((names) => names.length > 0);
	if (mustNotSend && requestsOf(executed, events).length > 0) {
		yield `unreadable: execution ${number} sent requests in spite of ${first.join(', ')}`;
	}
	if (end === undefined || end.status === 'canceled') return;
	for (const { item, error, json } of reportsOf(executed)) {
		const names = item === undefined ? unreadable.flat() : (unreadable[item] ?? []);
		if (names.length === 0) continue;
		// Whichever it reads first; it may be stricter than this model.
		if (!optionNames.some((name) => name in spec.options && error?.includes(titles[name]))) {
			yield `unreadable: execution ${number} does not name ${names.join(', ')}: ${error ?? JSON.stringify(json)}`;
		}
	}
}

/** Every item that went in comes out once, with an outcome or an error. */
function* reportsEachItem(executed: Executed): Generator<string> {
	const { number, ids, end, spec } = executed;
	if (end === undefined || end.status === 'canceled') return;
	if (end.status === 'error') {
		if (spec.continues) yield `items: execution ${number} failed: ${end.error?.message ?? ''}`;
		return;
	}
	for (const task of end.tasks) {
		const items = task.data?.main?.[0] ?? [];
		const paired = items.map(({ pairedItem }) => (pairedItem as { item: number }).item);
		if (paired.join() !== ids.map((_, item) => item).join()) {
			yield `items: execution ${number} put out items ${paired.join()} of ${ids.length}`;
		}
		for (const { json } of items) {
			const isKnown = ['accepted', 'alreadyAccepted', 'skipped', 'wouldAccept'].includes(
				json.outcome as string,
			);
			if (!isKnown && json.error === undefined) {
				yield `items: execution ${number} put out ${JSON.stringify(json)}`;
			}
		}
	}
}

/**
 * Whether a payment that was settled later may belong to a request of another execution: the books name only the one that
 * asked last.
 */
function settlesAnotherRequest(
	payment: Payment,
	number: number,
	{ history, events }: Pick<Happened, 'history' | 'events'>,
): boolean {
	const requests = events.filter(
		(event): event is Request =>
			event.kind === 'request' && event.isAccept && event.id === payment.id,
	);
	const asked = requests.filter(({ at }) => at <= payment.at);
	return (
		(acceptedBySomebodyElse(history, payment.id) > 0 ||
			asked.some(({ execution }) => execution !== number)) &&
		!asked.some(({ execution, at }) => execution === number && at === payment.at)
	);
}

/** How often somebody else accepts the offer while executions run. */
function acceptedBySomebodyElse({ steps }: Happened['history'], id: string): number {
	const meanwhile = steps.flatMap((step) => (step.kind === 'run' ? step.meanwhile : []));
	return meanwhile.filter(({ offer, what }) => what === 'accept' && `x${offer}` === id).length;
}

/** What is reported as accepted is accepted and was paid; what this execution paid, it reports as accepted. */
function* isInTheBooks(
	executed: Executed,
	report: Report,
	{ history, events }: Happened,
): Generator<string> {
	const { number, end } = executed;
	const { id, json } = report;
	if (end === undefined || id === undefined || typeof json.outcome !== 'string') return;
	const byThen = events.slice(0, end.events);
	const paid = byThen.filter((event): event is Payment => event.kind === 'paid' && event.id === id);
	const own = paid.filter(({ execution }) => execution === number);
	const claimsAccepted = json.outcome === 'accepted' || json.outcome === 'alreadyAccepted';
	if (claimsAccepted && paid.length === 0) {
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
	// Dry Run may be on for one item and off for another of the same offer.
	const isAnotherItems =
		json.outcome === 'wouldAccept' &&
		reportsOf(executed).some((other) => other.id === id && other.json.outcome === 'accepted');
	const isHonest = wasRefused || mayBeAnothers || isAnotherItems || isBelievedWrongly(history);
	if (own.length > 0 && json.outcome !== 'accepted' && !isHonest) {
		yield `books: execution ${number} paid ${id} and reports it as ${json.outcome}`;
	}
	const spent = own.reduce((sum, { amount }) => sum + amount, 0);
	const isMeasured = executed.isAlone && json.outcome === 'accepted' && own.length > 0;
	if (isMeasured && typeof json.creditsSpent === 'number' && json.creditsSpent !== spent) {
		yield `books: execution ${number} spent ${spent} on ${id} and reports ${json.creditsSpent}`;
	}
}

/** No message says that nothing was spent when something was. */
function* deniesNoPayment(executed: Executed, report: Report, events: Event[]): Generator<string> {
	const { number, end } = executed;
	const { id, error } = report;
	if (end === undefined || error === undefined || !saysUnpaid.test(error)) return;
	const paid = paymentsOf(executed, events.slice(0, end.events));
	if (paid.some((payment) => id === undefined || payment.id === id)) {
		yield `denied: execution ${number} paid ${id ?? 'an offer'} and says: ${error}`;
	}
}

/**
 * A node that does nothing would keep all these rules. So, with a good service and plain settings, every offer is accepted.
 */
function* succeedsWhenNothingIsWrong({ history, executed }: Happened): Generator<string> {
	const isPlain =
		history.credits >= 1000 &&
		history.perMinute === undefined &&
		Object.keys(history.dialect).every(
			(name) => !/^(accept|acceptRecord|exchangeList|pageSize|pagination|settlement)$/.test(name),
		) &&
		history.steps.every(
			(step) => step.kind !== 'run' || (step.faults.length === 0 && step.meanwhile.length === 0),
		);
	if (!isPlain) return;
	for (const { number, spec, ids, end } of executed) {
		const isAsked =
			Object.keys(spec.options).length === 0 && !ids.includes('x4') && end?.status !== 'canceled';
		if (!isAsked || end === undefined) continue;
		const outcomes = end.tasks.flatMap((task) =>
			(task.data?.main?.[0] ?? []).map(({ json }) => json.outcome as string | undefined),
		);
		if (
			outcomes.length !== ids.length * spec.rounds ||
			outcomes.some((each) => each?.endsWith('ccepted') !== true)
		) {
			yield `success: execution ${number} reports ${outcomes.join()} ${end.error?.message ?? ''}`;
		}
	}
}
