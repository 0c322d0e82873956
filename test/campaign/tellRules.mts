/** Rules about who is told what, and how often: the same answer whoever asks, each accept once, and nothing spent untold. */
import { type Request, requestsOf } from './books.mts';
import { statesIn } from './evidence.mts';
import type { Executed, Happened } from './happened.mts';
import { faultsOf, isRefusal, mayLieAbout } from './promises.mts';
import { reportsOf } from './reports.mts';

/** What a list shows of an offer that was paid. */
const paidStates = ['accepted', 'live', 'broken'];

/**
 * Whether an offer was accepted by this node does not depend on who asks: `accepted` if a request of any of its executions
 * has asked for it, in whichever process; `alreadyAccepted` if none has.
 */
export function* givesTheSameAnswer(
	executed: Executed,
	{ history, executed: all, events }: Happened,
): Generator<string> {
	const { number, startedAt, end } = executed;
	if (end === undefined) return;
	// One that died may have written its claim and sent nothing; as may one that lives when another one sees its claim.
	const mayHaveClaimed = history.steps.some(
		(step) => step.kind === 'run' && (step.kill !== undefined || step.executions.length > 1),
	);
	for (const { id, json, error } of reportsOf(executed)) {
		if (id === undefined || error !== undefined) continue;
		const asked = acceptsOf(id, events.slice(0, end.events));
		const counted = asked.filter(({ status }) => status !== 429);
		if (json.outcome === 'accepted' && counted.length === 0 && !mayHaveClaimed) {
			yield `same answer: execution ${number} reports ${id} as accepted, and this node never asked for it`;
		}
		const before = counted.filter(({ at, status }) => at < startedAt && !isRefusal(status));
		const isOthers = json.outcome === 'alreadyAccepted' && json.reason === undefined;
		if (isOthers && before.length > 0) {
			yield `same answer: execution ${number} reports ${id} as alreadyAccepted, and this node had asked for it`;
		}
	}
	const reports = reportsOf(executed).filter(({ json }) => json.outcome === 'alreadyAccepted');
	for (const { id, json } of reports) {
		const earlier = all
			.filter((other) => other.end !== undefined && other.end.at < startedAt)
			.flatMap(reportsOf)
			.filter((report) => report.id === id && report.json.outcome === 'accepted');
		if (earlier.length > 0 && json.reason === undefined) {
			yield `same answer: execution ${number} reports ${id} as alreadyAccepted, and an earlier one as accepted`;
		}
	}
}

/**
 * Over all executions of Accept Many, an accept comes out once; executions at the same time see one record or not. Between
 * workers that write n8n's record at the same moment, what was returned may be lost (decision 0012).
 */
export function* tellsOnce({ executed: all }: Happened): Generator<string> {
	const told = new Map<string, Executed>();
	for (const executed of all) {
		const { end, spec } = executed;
		if (spec.rules === undefined || end?.status !== 'success') continue;
		const reports = reportsOf(executed);
		const isAgain = spec.tries > 1 && reports.some(({ json }) => json.error !== undefined);
		for (const { id, json } of reports) {
			if (id === undefined || !isAccepted(json.outcome)) continue;
			const before = told.get(id);
			const isAfter = before?.end !== undefined && before.end.at <= executed.startedAt;
			if (isAfter && before !== executed && !isOverwritten(before, all)) {
				yield `told once: ${id} came out of execution ${before.number} and of ${executed.number}`;
			}
			// What n8n may run again is not written down.
			if (!isAgain) told.set(id, executed);
		}
	}
}

/**
 * What this node asked for, in an execution that was over or dead when this one began, and what the first list of this one
 * shows as accepted, comes out of this one, unless another execution of Accept Many has returned it.
 */
export function* leavesNothingUntold(
	executed: Executed,
	{ history, executed: all, events }: Happened,
): Generator<string> {
	const { number, spec, startedAt, end } = executed;
	if (spec.rules === undefined || end?.status !== 'success') return;
	if (faultsOf(history).some(({ kind }) => ['nonsense', 'odd-entries'].includes(kind))) return;
	const own = reportsOf(executed);
	if (own.some(({ json }) => json.error !== undefined)) return;
	const [first] = requestsOf(executed, events);
	const body = first?.isAccept === false ? (first.list?.body ?? '') : '';
	const told = all
		.filter((other) => other.spec.rules !== undefined && other.startedAt <= end.at)
		// What one round has returned, n8n has, also where the next one fails.
		.filter((other) => other.end?.status === 'success' || other.spec.rounds > 1)
		.flatMap(reportsOf)
		.filter(({ json }) => isAccepted(json.outcome))
		.map(({ id }) => id);
	for (const [id, states] of statesIn(body)) {
		const isShown = states.every((state) => paidStates.includes(state));
		const before = acceptsOf(id, events).filter(
			({ at, status }) => at < startedAt && status !== 429 && !isRefusal(status),
		);
		if (!isShown || before.length === 0 || mayLieAbout(id, history)) continue;
		if (!told.includes(id) && !all.some((other) => mayHaveTold(other, id, events))) {
			yield `untold: ${id} was asked for before execution ${number}, which its list shows as ${states.join()}, and nobody has told it`;
		}
	}
}

/** Whether another worker was at work meanwhile, and may have undone what this execution wrote. */
function isOverwritten({ process, startedAt, end }: Executed, all: Executed[]): boolean {
	return all.some(
		(other) =>
			other.process !== process &&
			other.startedAt <= (end?.at ?? Infinity) &&
			(other.end?.at ?? Infinity) >= startedAt,
	);
}

/** Whether a round of an execution that died in a later one may have returned this offer: nobody knows how far it had come. */
function mayHaveTold(other: Executed, id: string, events: Happened['events']): boolean {
	if (other.spec.rules === undefined || other.spec.rounds === 1 || other.end !== undefined) {
		return false;
	}
	return requestsOf(other, events).some((request) => {
		if (request.isAccept) return request.id === id;
		const states = statesIn(request.list?.body ?? '').get(id) ?? [];
		return states.some((state) => paidStates.includes(state));
	});
}

function acceptsOf(id: string, events: Happened['events']) {
	return events.filter(
		(event): event is Request & { isAccept: true } =>
			event.kind === 'request' && event.isAccept && event.id === id,
	);
}

function isAccepted(outcome: unknown): boolean {
	return outcome === 'accepted' || outcome === 'alreadyAccepted';
}
