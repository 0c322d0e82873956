/** What the sandbox's books say about the balance, and about who has paid. */
import { acceptsOf, type Event, type Executed, type Happened, type Payment } from './happened.mts';
import { offerId } from './input.mts';

/** How often somebody else accepts the offer while executions run. */
export function acceptedBySomebodyElse({ steps }: Happened['history'], id: string): number {
	const meanwhile = steps.flatMap((step) => (step.kind === 'run' ? step.meanwhile : []));
	return meanwhile.filter(({ offer, what }) => what === 'accept' && offerId(offer) === id).length;
}

/** The balances that an execution may have been shown, up to a moment. */
export function balancesSeenBy(executed: Executed, to: number, happened: Happened): number[] {
	return balancesOf(beginOf(executed, happened), to, happened);
}

/** The balances that the account had between two moments, in milliseconds. */
export function balancesOf(from: number, to: number, { ledger }: Happened): number[] {
	let balance = 0;
	let before = 0;
	const balances: number[] = [];
	for (const { amount, createdAt, kind } of ledger) {
		balance += amount;
		if (createdAt <= from || kind === 'opening') before = balance;
		else if (createdAt <= to) balances.push(balance);
	}
	return [before, ...balances];
}

/**
 * Whether anybody but this execution, or something that it did not know of, has moved the balance where the execution may
 * have seen that: since this moment, and for as long before as the balance lags. Other executions of its process are no others if
 * it has to know of them.
 */
export function isMovedByOthers(
	executed: Executed,
	to: number,
	happened: Happened,
	{ knowsProcess }: { knowsProcess: boolean } = { knowsProcess: false },
): boolean {
	const from = beginOf(executed, happened);
	const known = happened.executed.filter(
		(each) => each === executed || (knowsProcess && each.process === executed.process),
	);
	const own = known
		.flatMap(({ payments }) => payments)
		.filter(({ at, amount }) => at >= from && at <= to && amount > 0);
	const moves = happened.ledger.filter(
		({ createdAt, kind }) => kind !== 'opening' && createdAt > from && createdAt <= to,
	);
	return moves.length > own.length;
}

/**
 * Whether a payment that was settled later may belong to a request of another execution: the books name only the one that
 * asked last.
 */
export function settlesAnotherRequest(
	{ id, at }: Payment,
	{ number }: Executed,
	history: Happened['history'],
	events: Event[],
): boolean {
	const asked = acceptsOf(events, id).filter((request) => request.at <= at);
	const isAskedByOthers = asked.some(({ execution }) => execution !== number);
	const isAskedNow = asked.some((request) => request.execution === number && request.at === at);
	return (acceptedBySomebodyElse(history, id) > 0 || isAskedByOthers) && !isAskedNow;
}

/** From when on the books count for what an execution was shown of the balance. */
function beginOf({ startedAt }: Executed, { history }: Happened): number {
	const { balanceLagSeconds = 0 } = history.dialect;
	return startedAt - balanceLagSeconds * 1000 - 1000;
}
