/** Rules about the requests of an execution: how many, how far apart, and that they come to an end. */
import { requestsOf } from './books.mts';
import { statesIn } from './evidence.mts';
import type { Event, Executed, Happened } from './happened.mts';
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

/** What was canceled sends nothing any more, and ends. */
export function* endsWhenCanceled(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, startedAt, end } = executed;
	if (end?.status !== 'canceled') return;
	const canceledAt = startedAt + (spec.canceledAfter ?? 0);
	const late = requestsOf(executed, events).filter(({ at }) => at > canceledAt);
	if (late.length > 0) yield `cancel: execution ${number} sent ${late.length} requests after it`;
	const seconds = (end.at - canceledAt) / 1000;
	// n8n itself goes on trying, with a second in between.
	if (seconds > spec.tries * spec.rounds + 1) {
		yield `cancel: execution ${number} went on for ${seconds} s after it`;
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
	// The last part are the pauses of six checks in doubt, at their longest, none of which may need a request of its own.
	const most = 2 * timeout + 2 * maxRateLimitWait + 14;
	const moments = requestsOf(executed, events).map(({ at }) => at);
	const all = [startedAt, ...moments, ...(end ? [end.at] : [])];
	for (const [index, at] of all.entries()) {
		const gap = (at - (all[index - 1] ?? at)) / 1000;
		if (gap > most) {
			yield `waits: execution ${number} stood still for ${gap} s; ${most} are allowed`;
		}
	}
}
