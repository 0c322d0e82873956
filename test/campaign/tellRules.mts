/** Rules about who is told what, and how often: the same answer whoever asks, each accept once, and nothing spent untold. */
import { statesIn } from './evidence.mts';
import {
	type Accept,
	acceptsOf,
	type Ended,
	type Executed,
	type Happened,
	listIn,
} from './happened.mts';
import {
	hasFault,
	hasKill,
	isBelievedWrongly,
	isClearRefusal,
	isRefusal,
	mayLieAbout,
} from './promises.mts';

/** What a list shows of an offer that was paid. */
const paidStates = ['accepted', 'live', 'broken'];

/**
 * Whether an offer was accepted by this node does not depend on who asks: `accepted` if a request of any of its executions
 * has asked for it, in whichever process; `alreadyAccepted` if none has.
 */
export function* givesTheSameAnswer(
	{ number, spec, startedAt, byThen, reports }: Ended,
	{ history, executed }: Happened,
): Generator<string> {
	const all = executed.filter((other) => other.spec.node === spec.node);
	const isOwn = ({ execution }: { execution: number }) =>
		executed[execution]?.spec.node === spec.node;
	// One that died may have written its claim and sent nothing; as may one that lives when another one sees its claim.
	const mayHaveClaimed =
		hasKill(history) ||
		history.steps.some((step) => step.kind === 'run' && step.executions.length > 1);
	const isDocumented = (history.dialect.errorBody ?? 'documented') === 'documented';
	const earlier = all
		.filter(({ end }) => end !== undefined && end.at < startedAt)
		.flatMap((each) => each.reports)
		.filter(({ json }) => json.outcome === 'accepted');
	for (const { id, json, error } of reports) {
		const isOthers = json.outcome === 'alreadyAccepted' && json.reason === undefined;
		if (isOthers && earlier.some((report) => report.id === id)) {
			yield `same answer: execution ${number} reports ${id} as alreadyAccepted, and an earlier one as accepted`;
		}
		if (id === undefined || error !== undefined) continue;
		const counted = acceptsOf(byThen, id)
			.filter(isOwn)
			.filter(({ status }) => status !== 429);
		if (json.outcome === 'accepted' && counted.length === 0 && !mayHaveClaimed) {
			yield `same answer: execution ${number} reports ${id} as accepted, and this node never asked for it`;
		}
		// What the service has refused plainly was taken back.
		const isRefused = ({ at, status }: Accept) => at < startedAt && isClearRefusal(status);
		const areRefusalsTrue = !isBelievedWrongly(history) && isDocumented && !mayHaveClaimed;
		if (
			json.outcome === 'accepted' &&
			areRefusalsTrue &&
			counted.length > 0 &&
			counted.every(isRefused)
		) {
			yield `same answer: execution ${number} reports ${id} as accepted, and each request of this node was refused`;
		}
		if (isOthers && counted.some(({ at, status }) => at < startedAt && !isRefusal(status))) {
			yield `same answer: execution ${number} reports ${id} as alreadyAccepted, and this node had asked for it`;
		}
	}
}

/**
 * Over all executions of Accept Many, an accept comes out once; executions at the same time see one record or not. Between
 * workers that write n8n's record at the same moment, what was returned may be lost (decision 0012).
 */
export function* tellsOnce({ executed: all }: Happened): Generator<string> {
	const told = new Map<string, Executed>();
	const nameOf = ({ spec }: Executed, id: string) => `${spec.node} ${id}`;
	for (const executed of all) {
		const { end, spec, reports, number } = executed;
		if (spec.rules === undefined || end?.status !== 'success') continue;
		const isAgain = spec.tries > 1 && reports.some(({ json }) => json.error !== undefined);
		for (const { id, isAccepted } of reports) {
			if (id === undefined || !isAccepted) continue;
			const before = told.get(nameOf(executed, id));
			const isAfter = before?.end !== undefined && before.end.at <= executed.startedAt;
			if (isAfter && before !== executed && !isOverwritten(before, all)) {
				yield `told once: ${id} came out of execution ${before.number} and of ${number}`;
			}
			// What n8n may run again is not written down.
			if (!isAgain) told.set(nameOf(executed, id), executed);
		}
	}
}

/**
 * What this node asked for, in an execution that was over or dead when this one began, and what the first list of this one
 * shows as accepted, comes out of this one, unless another execution of Accept Many has returned it.
 */
export function* leavesNothingUntold(
	{ number, spec, startedAt, end, requests, reports }: Ended,
	{ history, executed, events }: Happened,
): Generator<string> {
	const all = executed.filter((other) => other.spec.node === spec.node);
	if (spec.rules === undefined || end.status !== 'success') return;
	if (hasFault(history, 'nonsense', 'odd-entries')) return;
	if (reports.some(({ json }) => json.error !== undefined)) return;
	const told = all
		.filter((other) => other.spec.rules !== undefined && other.startedAt <= end.at)
		// What one round has returned, n8n has, also where the next one fails.
		.filter((other) => other.end?.status === 'success' || other.spec.rounds > 1)
		.flatMap((other) => other.reports)
		.filter(({ isAccepted }) => isAccepted)
		.map(({ id }) => id);
	for (const [id, states] of statesIn(listIn(requests[0]))) {
		const isShown = states.every((state) => paidStates.includes(state));
		const isAsked = acceptsOf(events, id).some(
			({ at, status, execution }) =>
				executed[execution]?.spec.node === spec.node &&
				at < startedAt &&
				status !== 429 &&
				!isRefusal(status),
		);
		if (!isShown || !isAsked || mayLieAbout(id, history)) continue;
		if (!told.includes(id) && !all.some((other) => mayHaveTold(other, id))) {
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
function mayHaveTold({ spec, end, requests }: Executed, id: string): boolean {
	if (spec.rules === undefined || spec.rounds === 1 || end !== undefined) return false;
	return requests.some((request) => {
		if (request.kind === 'accept') return request.id === id;
		const states = statesIn(listIn(request)).get(id) ?? [];
		return states.some((state) => paidStates.includes(state));
	});
}
