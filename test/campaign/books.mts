/** What the sandbox's books say about a history: requests, payments, and who made them. */
import type { Event, Executed, Happened } from './happened.mts';
import { offerId } from './input.mts';

export type Request = Event & { kind: 'request' };
export type Payment = Event & { kind: 'paid' };

export function requestsOf({ number }: Executed, events: Event[]): Request[] {
	return events.filter(
		(event): event is Request => event.kind === 'request' && event.execution === number,
	);
}

export function paymentsOf({ number }: Executed, events: Event[]): Payment[] {
	return events.filter(
		(event): event is Payment => event.kind === 'paid' && event.execution === number,
	);
}

/** How often somebody else accepts the offer while executions run. */
export function acceptedBySomebodyElse({ steps }: Happened['history'], id: string): number {
	const meanwhile = steps.flatMap((step) => (step.kind === 'run' ? step.meanwhile : []));
	return meanwhile.filter(({ offer, what }) => what === 'accept' && offerId(offer) === id).length;
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
	{ history, executed: all, events, ledger }: Happened,
	{ knowsProcess }: { knowsProcess: boolean } = { knowsProcess: false },
): boolean {
	const { balanceLagSeconds = 0 } = history.dialect;
	const from = executed.startedAt - balanceLagSeconds * 1000 - 1000;
	const known = all.filter(
		(each) => each === executed || (knowsProcess && each.process === executed.process),
	);
	const own = known
		.flatMap((each) => paymentsOf(each, events))
		.filter(({ at }) => at >= from && at <= to);
	const moves = ledger.filter(
		({ createdAt, kind }) => kind !== 'opening' && createdAt > from && createdAt <= to,
	);
	return moves.length > own.filter(({ amount }) => amount > 0).length;
}

/**
 * Whether a payment that was settled later may belong to a request of another execution: the books name only the one that
 * asked last.
 */
export function settlesAnotherRequest(
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
