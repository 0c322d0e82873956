/** Rules about the options of an execution: its bounds on spending hold. */
import {
	isMovedByOthers,
	paymentsOf,
	type Request,
	requestsOf,
	settlesAnotherRequest,
} from './books.mts';
import type { Executed, Happened } from './happened.mts';
import { isBelievedWrongly, misstatesBalance } from './promises.mts';

/** Max Accepts, Minimum Balance and Dry Run hold per execution, second tries and loops included. */
export function* keepsBounds(executed: Executed, happened: Happened): Generator<string> {
	const { history, events } = happened;
	const { number, spec } = executed;
	const { maxAccepts = Infinity, dryRun } = spec.options;
	const isCounted = !isBelievedWrongly(history);
	const own = paymentsOf(executed, events).filter(
		(payment) => !settlesAnotherRequest(payment, number, happened),
	);
	const paid = new Set(own.map(({ id }) => id));
	if (isCounted && paid.size > maxAccepts) {
		yield `max accepts: execution ${number} may accept ${maxAccepts} and paid ${paid.size}`;
	}
	for (const event of requestsOf(executed, events)) {
		if (!event.isAccept) continue;
		if (dryRun === true) yield `dry run: execution ${number} sent a request to accept ${event.id}`;
		if (isCounted) yield* keepsFloor(executed, event, happened);
	}
}

/**
 * Before a request, the balance is above the minimum, and would not fall below it at the highest price that the execution has
 * paid, however late the balance shows it. What others have spent at the same time, or as long before as the balance lags,
 * need not have been seen; and what is in doubt counts with the highest price seen, which may be less than it costs.
 */
function* keepsFloor(
	executed: Executed,
	request: Request & { isAccept: true },
	happened: Happened,
): Generator<string> {
	const { history, events } = happened;
	const { number, spec } = executed;
	const { balanceLagSeconds = 0, settlement = 'at-once' } = history.dialect;
	// What its process has sent at the same moment it knows of, where that shows at once.
	const knowsProcess = balanceLagSeconds === 0 && settlement === 'at-once';
	const minimum = spec.options.minimumBalance;
	if (minimum === undefined || misstatesBalance(history)) return;
	if (isMovedByOthers(executed, request.at, happened, { knowsProcess })) return;
	const asked = requestsOf(executed, events).filter((each) => each.isAccept);
	const earlier = asked.indexOf(request);
	// What has settled by itself may have been seen by nobody.
	const isSettledLater = settlement === 'later';
	const paid = isSettledLater ? [] : paymentsOf(executed, events.slice(0, events.indexOf(request)));
	const highest = Math.max(0, ...paid.map(({ amount }) => amount));
	const isGuessed = isSettledLater || balanceLagSeconds > 0;
	const guess = Math.max(...history.costs) - Math.min(...history.costs);
	const slack = isGuessed ? guess * earlier : 0;
	if (request.balance <= minimum - slack || request.balance - highest < minimum - slack) {
		yield `minimum balance: execution ${number} went below ${minimum}: balance ${request.balance}, an accept had cost ${highest}`;
	}
}
