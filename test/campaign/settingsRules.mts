/** Rules about the options of an execution: bounds on spending hold, and what cannot be read stops it. */
import { paymentsOf, requestsOf } from './books.mts';
import type { Event, Executed, Happened } from './happened.mts';
import { type OptionName, optionNames } from './history.mts';
import { valueOf } from './input.mts';
import { isBelievedWrongly } from './promises.mts';
import { reportsOf } from './reports.mts';

const titles: Record<OptionName, string> = {
	checkFirst: 'Check First',
	dryRun: 'Dry Run',
	maxAccepts: 'Max Accepts',
	maxRateLimitWait: 'Max Rate Limit Wait',
	minimumBalance: 'Minimum Balance',
	retryUnconfirmed: 'Retry Unconfirmed',
	timeout: 'Timeout',
};

/** A bound as anybody would read it; undefined for what is no number of credits or offers. */
export function readBound(value: unknown): number | undefined {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : Number.NaN;
	return Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** Max Accepts, Minimum Balance and Dry Run hold per execution, second tries and loops included. */
export function* keepsBounds(executed: Executed, { history, events }: Happened): Generator<string> {
	const { number, ids, spec } = executed;
	const isCounted = !isBelievedWrongly(history);
	const paid = new Set(paymentsOf(executed, events).map(({ id }) => id));
	const bounds = ids.map((_, item) => readBound(valueOf(spec, 'maxAccepts', item).value) ?? 0);
	const most = bounds.includes(0) ? Infinity : Math.max(...bounds);
	if (isCounted && paid.size > most) {
		yield `max accepts: execution ${number} may accept ${most} and paid ${paid.size}`;
	}
	let highestCost = 0;
	for (const event of events) {
		if (event.execution !== number) continue;
		// An accept that is settled later may take effect between a look at the balance and the next request.
		if (event.kind === 'paid') {
			if (history.dialect.settlement !== 'later') highestCost = Math.max(highestCost, event.amount);
		} else if (event.isAccept) {
			const items = ids.flatMap((id, item) => (id === event.id ? [item] : []));
			const dry = items.every((item) => isTrue(valueOf(spec, 'dryRun', item).value));
			if (dry) yield `dry run: execution ${number} sent a request to accept ${event.id}`;
			if (!executed.isAlone || !isCounted) continue;
			const minimum = Math.min(
				...items.map((item) => {
					const { isAdded, value } = valueOf(spec, 'minimumBalance', item);
					return isAdded ? (readBound(value) ?? -Infinity) : -Infinity;
				}),
			);
			if (event.balance <= minimum || event.balance - highestCost < minimum) {
				yield `minimum balance: execution ${number} went below ${minimum}: balance ${event.balance}, an accept had cost ${highestCost}`;
			}
		}
	}
}

/** A value that cannot be read is an error before any request, never "no limit". */
export function* refusesUnreadable(executed: Executed, events: Event[]): Generator<string> {
	const { number, spec, ids, end } = executed;
	const unreadable = ids.map((_, item) =>
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
	const isSwitch = ['checkFirst', 'dryRun', 'retryUnconfirmed'].includes(name);
	if (isSwitch) {
		const isText = typeof value === 'string' && /^(true|false|yes|no|1|0)$/i.test(value.trim());
		return typeof value !== 'boolean' && value !== 0 && value !== 1 && !isText;
	}
	return readBound(value) === undefined;
}
