/** Rules about the options of an execution: bounds on spending hold, and what cannot be read stops it. */
import {
	isMovedByOthers,
	paymentsOf,
	type Request,
	requestsOf,
	settlesAnotherRequest,
} from './books.mts';
import type { Event, Executed, Happened } from './happened.mts';
import { type OptionName, optionNames } from './history.mts';
import { accountOfLabel, itemsAbout, valueOf } from './input.mts';
import { isBelievedWrongly, misstatesBalance } from './promises.mts';
import { reportsOf } from './reports.mts';

const titles: Record<OptionName, string> = {
	dryRun: 'Dry Run',
	maxAccepts: 'Max Accepts',
	maxRateLimitWait: 'Max Rate Limit Wait (Seconds)',
	minimumBalance: 'Minimum Balance',
	timeout: 'Timeout (Seconds)',
};

/** A bound as anybody would read it; undefined for what is no number of credits or offers. */
export function readBound(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
	return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Max Accepts, Minimum Balance and Dry Run hold per execution, second tries and loops included. */
export function* keepsBounds(executed: Executed, happened: Happened): Generator<string> {
	const { history, events } = happened;
	const { number, spec } = executed;
	const isCounted = !isBelievedWrongly(history);
	const own = paymentsOf(executed, events).filter(
		(payment) => !settlesAnotherRequest(payment, number, happened),
	);
	const paid = new Set(own.map(({ id }) => id));
	const most = Math.max(
		...spec.items.map((_, item) => mostAccepts(valueOf(spec, 'maxAccepts', item))),
	);
	if (isCounted && paid.size > most) {
		yield `max accepts: execution ${number} may accept ${most} and paid ${paid.size}`;
	}
	for (const event of requestsOf(executed, events)) {
		if (!event.isAccept) continue;
		const items = itemsAbout(spec, event.id);
		const dry = items.every((item) => isTrue(valueOf(spec, 'dryRun', item).value));
		if (dry) yield `dry run: execution ${number} sent a request to accept ${event.id}`;
		if (isCounted) yield* keepsFloor(executed, event, items, happened);
	}
}

/** A value that cannot be read is an error before any request, never "no limit". */
export function* refusesUnreadable(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, end } = executed;
	const unreadable = spec.items.map((_, item) =>
		optionNames.filter((name) => {
			const { isAdded, value } = valueOf(spec, name, item);
			return isAdded && isUnreadable(name, value);
		}),
	);
	const first = unreadable.find((names) => names.length > 0);
	if (first === undefined) return;
	const mustNotSend = !spec.continues || unreadable.every((names) => names.length > 0);
	if (mustNotSend && requestsOf(executed, events).length > 0) {
		yield `unreadable: execution ${number} sent requests in spite of ${first.join(', ')}`;
	}
	if (end === undefined || end.status === 'canceled') return;
	for (const { item, error, json } of reportsOf(executed)) {
		const names = item === undefined ? unreadable.flat() : (unreadable[item] ?? []);
		if (names.length === 0) continue;
		// Whichever it reads first; it may be stricter than this model.
		if (!optionNames.some((name) => name in spec.options && error?.includes(titles[name]))) {
			yield `unreadable: execution ${number} does not name ${names.join(', ')}: ${error ?? JSON.stringify(json)}`;
		}
	}
}

function isTrue(value: unknown): boolean {
	return value === true || value === 'true';
}

/** Options that nobody can take for a value of their kind. */
function isUnreadable(name: OptionName, value: unknown): boolean {
	if (name === 'dryRun') {
		const isText = typeof value === 'string' && /^(true|false|yes|no|1|0)$/i.test(value.trim());
		return typeof value !== 'boolean' && value !== 0 && value !== 1 && !isText;
	}
	const number = readBound(value);
	return number === undefined || (name === 'maxAccepts' && number < 1);
}

/** What one may spend whose item says so; an item whose bound cannot be read spends nothing. */
function mostAccepts({ isAdded, value }: ReturnType<typeof valueOf>): number {
	return isAdded ? (readBound(value) ?? 0) : Infinity;
}

/**
 * Before a request, the balance is above the minimum, and would not fall below it at the highest price that the execution has
 * paid, however late the balance shows it. What others have spent at the same time, or as long before as the balance lags,
 * need not have been seen; and what is in doubt counts with the highest price seen, which may be less than it costs.
 */
function* keepsFloor(
	executed: Executed,
	request: Request & { isAccept: true },
	items: number[],
	happened: Happened,
): Generator<string> {
	const { history, events } = happened;
	const { number, spec } = executed;
	const account = accountOfLabel(request.id);
	const { balanceLagSeconds = 0, settlement = 'at-once' } = history.dialect;
	// What its process has sent at the same moment it knows of, where that shows at once.
	const knowsProcess = balanceLagSeconds === 0 && settlement === 'at-once';
	const minimum = Math.min(
		...items.map((item) => {
			const { isAdded, value } = valueOf(spec, 'minimumBalance', item);
			return isAdded ? (readBound(value) ?? -Infinity) : -Infinity;
		}),
	);
	if (minimum === -Infinity || misstatesBalance(history)) return;
	if (isMovedByOthers(account, executed, request.at, happened, { knowsProcess })) return;
	const isOfAccount = ({ id, at }: { id: string; at: number }) =>
		accountOfLabel(id) === account && at <= request.at;
	const asked = requestsOf(executed, events).filter((each) => each.isAccept && isOfAccount(each));
	const earlier = asked.indexOf(request);
	// What has settled by itself may have been seen by nobody.
	const isSettledLater = settlement === 'later';
	const paid = isSettledLater ? [] : paymentsOf(executed, events.slice(0, events.indexOf(request)));
	const highest = Math.max(0, ...paid.filter(isOfAccount).map(({ amount }) => amount));
	const isGuessed = isSettledLater || balanceLagSeconds > 0;
	const guess = Math.max(...history.costs) - Math.min(...history.costs);
	const slack = isGuessed ? guess * earlier : 0;
	if (request.balance <= minimum - slack || request.balance - highest < minimum - slack) {
		yield `minimum balance: execution ${number} went below ${minimum}: balance ${request.balance}, an accept had cost ${highest}`;
	}
}
