/** What must hold in every history, whatever the service, the network and the user do. The sandbox's books are the oracle. */
import { inspect } from 'node:util';

import { crash } from '../plainWords.mts';
import { acceptedBySomebodyElse, type Payment } from './books.mts';
import { keepsBounds } from './boundRules.mts';
import type { Event, Happened } from './happened.mts';
import { asksOnlyForAllowed } from './partnerRules.mts';
import { hidesWhatItRefused, takesLonger } from './promises.mts';
import { believesRefusals, holdsUpNobody, saysWhatBlocks } from './refusalRules.mts';
import {
	admitsPayment,
	deniesNoPayment,
	doubtsOnlyWhatWasSent,
	isInTheBooks,
	reportsEachItem,
	returnsWhatItAccepted,
	succeedsWhenNothingIsWrong,
} from './reportRules.mts';
import { reportsOf } from './reports.mts';
import {
	asksOnlyForPending,
	ends,
	endsWhenCanceled,
	waitsNoLongerThanAllowed,
} from './requestRules.mts';
import { givesTheSameAnswer, leavesNothingUntold, tellsOnce } from './tellRules.mts';

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
		yield* asksOnlyForPending(executed, happened);
		yield* asksOnlyForAllowed(executed, happened);
		yield* endsWhenCanceled(executed, happened.events);
		yield* waitsNoLongerThanAllowed(executed, happened.events);
		if (executed.end === undefined) continue;
		yield* reportsEachItem(executed);
		yield* returnsWhatItAccepted(executed, happened);
		yield* givesTheSameAnswer(executed, happened);
		yield* leavesNothingUntold(executed, happened);
		yield* holdsUpNobody(executed, happened);
		yield* saysWhatBlocks(executed, happened);
		for (const report of reportsOf(executed)) {
			yield* isInTheBooks(executed, report, happened);
			yield* doubtsOnlyWhatWasSent(executed, report, happened);
			yield* believesRefusals(executed, report, happened);
			yield* admitsPayment(executed, report, happened.events);
			yield* deniesNoPayment(executed, report, happened.events);
			if (crash.test(report.error ?? '')) yield `plain words: ${report.error}`;
		}
		const shown = JSON.stringify(executed.end.tasks);
		if (shown.includes(happened.apiKey)) yield 'secret: the API key';
	}
	yield* tellsOnce(happened);
	yield* succeedsWhenNothingIsWrong(happened);
}

/**
 * An offer is paid at most once by all processes of the node, whatever the list shows; and by each of them if somebody else
 * accepts it, too.
 */
function* paidOnce(happened: Happened): Generator<string> {
	const { history, executed, events } = happened;
	if (hidesWhatItRefused(history) || takesLonger(history)) return;
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
		const bySomebodyElse = acceptedBySomebodyElse(history, id);
		for (const process of new Set(executed.map((execution) => execution.process))) {
			const own = paid.filter((payment) => processOf(payment) === process).length;
			// The books name who asked last. An accept that is settled later may be one that another process asked for.
			const others =
				asked.filter((request) => processOf(request) !== process).length + bySomebodyElse;
			const certain =
				history.dialect.settlement === 'later' ? Math.min(own, paid.length - others) : own;
			if (certain > 1) {
				yield `paid once: ${id} was paid more than once by process ${process} (${certain} times)`;
			}
		}
		if (bySomebodyElse === 0 && paid.length > 1) {
			yield `paid once: ${id} was paid ${paid.length} times, by several processes of one node`;
		}
	}
}
