/** What the sandbox's books say about a history: requests, payments, and who made them. */
import type { Event, Executed, Happened } from './happened.mts';

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
	return meanwhile.filter(({ offer, what }) => what === 'accept' && `x${offer}` === id).length;
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
