/** Rules about the requests of an execution: how many, how far apart, and that they come to an end. */
import { requestsOf } from './books.mts';
import { statesIn } from './evidence.mts';
import type { Event, Executed, Happened } from './happened.mts';
import { offersOf } from './input.mts';
import { faultsOf } from './promises.mts';

export function* ends({ number, isEndless }: Executed): Generator<string> {
	if (isEndless) yield `ends: execution ${number} goes on for ever`;
}

/** What the last list that showed an offer did not show as pending, and nothing else, is not asked for. */
export function* asksOnlyForPending(
	executed: Executed,
	{ history, events }: Happened,
): Generator<string> {
	// Nobody can tell for certain which of its lists is meant.
	if (faultsOf(history).some(({ kind }) => kind === 'nonsense')) return;
	const shown = new Map<string, string[]>();
	for (const event of requestsOf(executed, events)) {
		if (event.isAccept) {
			const states = shown.get(event.id) ?? ['pending'];
			const isPending = states.every((state) => state === 'pending');
			if (!isPending) {
				yield `state: execution ${executed.number} asked for ${event.id}, which the list showed as ${states.join(', ')}`;
			}
		} else if (event.list !== undefined) {
			const { url, body } = event.list;
			// The whole list says again what there is.
			if (!url.includes('?')) shown.clear();
			for (const [id, states] of statesIn(body)) shown.set(id, states);
		}
	}
}

/** Lists may be read once per state and page, and requests that fail are sent again, but not without end. */
export function* sendsNoMoreThanBudgeted(executed: Executed, { history, events }: Happened) {
	const { number, spec } = executed;
	const offers = offersOf(spec);
	const sent = requestsOf(executed, events);
	const calls = spec.tries * spec.rounds;
	const faults = history.steps.flatMap((step) => (step.kind === 'run' ? step.faults : []));
	const refused = history.perMinute !== undefined || faults.some(({ status }) => status === 429);
	// A refused request is sent again until it is let through; how often depends on the service.
	const again = refused ? 20 : 1;
	for (const id of offers) {
		const accepts = sent.filter((event) => event.isAccept && event.id === id).length;
		const most = calls * 2 * again * (spec.rules === undefined ? 1 : spec.items.length);
		if (accepts > most) yield `budget: execution ${number} asked ${accepts} times to accept ${id}`;
	}
	const pages = (history.dialect.pageSize ?? 50) === 1 ? 4 : 2;
	const look = 5 * pages * 4;
	const rounds = spec.rules === undefined ? 1 : spec.items.length;
	const budget = calls * rounds * again * (look + offers.length * (2 + 14 * look + 4 * 4));
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
 * and for the limit once more when the service asks for a pause.
 */
export function* waitsNoLongerThanAllowed(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, isAlone, startedAt, end } = executed;
	if (!isAlone) return;
	const { timeout = 30, maxRateLimitWait = 90 } = spec.options;
	const most = 2 * timeout + 2 * maxRateLimitWait + 10;
	const moments = requestsOf(executed, events).map(({ at }) => at);
	const all = [startedAt, ...moments, ...(end ? [end.at] : [])];
	for (const [index, at] of all.entries()) {
		const gap = (at - (all[index - 1] ?? at)) / 1000;
		if (gap > most) {
			yield `waits: execution ${number} stood still for ${gap} s; ${most} are allowed`;
		}
	}
}
