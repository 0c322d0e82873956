/** What the sandbox's books say about a history: requests, payments, and who made them. */
import type { Event, Executed, Happened } from './happened.mts';
import { accountOfLabel, offerId } from './input.mts';

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

/** The balances that an account had between two moments, in milliseconds. */
export function balancesOf(
	account: number,
	from: number,
	to: number,
	{ ledgers }: Happened,
): number[] {
	const balances: number[] = [];
	let balance = 0;
	for (const { amount, createdAt } of ledgers[account] ?? []) {
		if (createdAt > from && createdAt <= to && balances.length === 0) balances.push(balance);
		balance += amount;
		if (createdAt > from && createdAt <= to) balances.push(balance);
	}
	if (balances.length > 0) return balances;
	const before = (ledgers[account] ?? []).filter(
		({ createdAt, kind }) => createdAt <= from || kind === 'opening',
	);
	return [before.reduce((sum, { amount }) => sum + amount, 0)];
}

/**
 * Whether anybody but this execution, or something that it did not know of, has moved the account's balance where the execution may
 * have seen that: since this moment, and for as long before as the balance lags. Other executions of its process are no others if
 * it has to know of them.
 */
export function isMovedByOthers(
	account: number,
	executed: Executed,
	to: number,
	{ history, executed: all, events, ledgers }: Happened,
	{ knowsProcess }: { knowsProcess: boolean } = { knowsProcess: false },
): boolean {
	const { balanceLagSeconds = 0 } = history.dialect;
	const from = executed.startedAt - balanceLagSeconds * 1000 - 1000;
	const known = all.filter(
		(each) => each === executed || (knowsProcess && each.process === executed.process),
	);
	const own = known
		.flatMap((each) => paymentsOf(each, events))
		.filter(({ id, at }) => accountOfLabel(id) === account && at >= from && at <= to);
	const moves = (ledgers[account] ?? []).filter(
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
