/** What must hold in every history, whatever the service, the network and the user do. The sandbox's books are the oracle. */
import { inspect } from 'node:util';

import { crash } from '../plainWords.mts';
import { acceptedBySomebodyElse } from './books.mts';
import { acceptsOf, type Event, type Happened, hasEnded, paymentsOf } from './happened.mts';
import { hidesWhatItRefused, takesLonger } from './promises.mts';
import * as refusalRules from './refusalRules.mts';
import * as reportRules from './reportRules.mts';
import * as sendRules from './sendRules.mts';
import * as tellRules from './tellRules.mts';

const ofHistories = [paidOnce, tellRules.tellsOnce, reportRules.succeedsWhenNothingIsWrong];
const ofEnded = [
	reportRules.reportsEachItem,
	reportRules.returnsWhatItAccepted,
	tellRules.givesTheSameAnswer,
	tellRules.leavesNothingUntold,
	refusalRules.holdsUpNobody,
	refusalRules.saysWhatBlocks,
];
const ofReports = [
	reportRules.isInTheBooks,
	reportRules.doubtsOnlyWhatWasSent,
	reportRules.admitsPayment,
	reportRules.deniesNoPayment,
	refusalRules.believesRefusals,
];

/** Contradictions in plain words, each beginning with the name of its rule; empty when all is well. */
export function contradictions(happened: Happened): string[] {
	const { executed, uncaught, apiKey } = happened;
	const ended = executed.filter(hasEnded);
	const reported = ended.flatMap((each) => each.reports.map((report) => ({ each, report })));
	const texts = reported.map(({ report }) => report.error ?? '');
	const isShown = ended.some(({ end }) => JSON.stringify(end.tasks).includes(apiKey));
	return [
		...uncaught.map((reason) => `crash: ${inspect(reason)}`),
		...ofHistories.flatMap((rule) => [...rule(happened)]),
		...Object.values(sendRules).flatMap((rule) =>
			executed.flatMap((each) => [...rule(each, happened)]),
		),
		...ofEnded.flatMap((rule) => ended.flatMap((each) => [...rule(each, happened)])),
		...ofReports.flatMap((rule) =>
			reported.flatMap(({ each, report }) => [...rule(each, report, happened)]),
		),
		...texts.filter((text) => crash.test(text)).map((text) => `plain words: ${text}`),
		...(isShown ? ['secret: the API key'] : []),
	];
}

/**
 * An offer is paid at most once by all processes of the node, whatever the list shows; and by each of them if somebody else
 * accepts it, too.
 */
function* paidOnce({ history, executed, events }: Happened): Generator<string> {
	if (hidesWhatItRefused(history) || takesLonger(history)) return;
	const processOf = ({ execution = -1 }: Event) => executed[execution]?.process;
	for (const id of new Set(paymentsOf(events).map((payment) => payment.id))) {
		const paid = paymentsOf(events, id);
		const bySomebodyElse = acceptedBySomebodyElse(history, id);
		for (const process of new Set(executed.map((execution) => execution.process))) {
			const isOwn = (event: Event) => processOf(event) === process;
			const own = paid.filter(isOwn).length;
			// The books name who asked last. An accept that is settled later may be one that another process asked for.
			const asked = acceptsOf(events, id).filter((request) => !isOwn(request));
			const others = asked.length + bySomebodyElse;
			const certain =
				history.dialect.settlement === 'later' ? Math.min(own, paid.length - others) : own;
			if (certain > 1) {
				yield `paid once: ${id} was paid more than once by process ${process} (${certain} times)`;
			}
		}
		const nodes = acceptsOf(events, id).map(({ execution }) => executed[execution]?.spec.node);
		if (bySomebodyElse === 0 && paid.length > 1 && new Set(nodes).size === 1) {
			yield `paid once: ${id} was paid ${paid.length} times, by several processes of one node`;
		}
	}
}
