/** Rules about what an execution sends: only what its options allow and the list shows as pending, and to an end. */
import { isMovedByOthers, settlesAnotherRequest } from './books.mts';
import { acceptedIn, statesIn } from './evidence.mts';
import { type Accept, type Executed, type Happened, listIn, paymentsOf } from './happened.mts';
import type { History, Partner, Rules } from './history.mts';
import { hasFault, isBelievedWrongly, misstatesBalance } from './promises.mts';

const day = 24 * 3_600_000;

/** By hand, for these sites and words alone. */
const hosts: Record<Partner['fromSite'], string> = {
	'https://tea.example': 'tea.example',
	'https://blog.tea.example/links': 'blog.tea.example',
	'http://WWW.Tea.example:8080': 'tea.example',
	'https://evil-tea.example': 'evil-tea.example',
	'https://spam.example': 'spam.example',
};
const isCasino: Record<Partner['anchor'], boolean> = {
	'green tea': false,
	'Casino night': true,
	'ca\u200bsino': true,
};

export function* ends({ number, isEndless }: Executed): Generator<string> {
	if (isEndless) yield `ends: execution ${number} goes on for ever`;
}

/** What was canceled sends nothing any more, and ends. */
export function* endsWhenCanceled(executed: Executed): Generator<string> {
	const { number, spec, startedAt, end, requests } = executed;
	if (end?.status !== 'canceled') return;
	const canceledAt = startedAt + (spec.canceledAfter ?? 0);
	const late = requests.filter(({ at }) => at > canceledAt);
	if (late.length > 0) yield `cancel: execution ${number} sent ${late.length} requests after it`;
	const seconds = (end.at - canceledAt) / 1000;
	// n8n itself goes on trying, with a second in between.
	if (seconds > spec.tries * spec.rounds + 1) {
		yield `cancel: execution ${number} went on for ${seconds} s after it`;
	}
}

/**
 * An execution that waits for no other one never stands still for longer than its options say: for an answer and its body, for the limit,
 * and for the limit once more when the service asks for a pause.
 */
export function* waitsNoLongerThanAllowed(executed: Executed): Generator<string> {
	const { number, spec, isAlone, startedAt, end, requests } = executed;
	if (!isAlone) return;
	const { timeout = 30, maxRateLimitWait = 90 } = spec.options;
	// The last part are the pauses of six checks in doubt, at their longest, none of which may need a request of its own.
	const most = 2 * timeout + 2 * maxRateLimitWait + 14;
	let before = startedAt;
	for (const { at } of [...requests, ...(end ? [end] : [])]) {
		const gap = (at - before) / 1000;
		if (gap > most) {
			yield `waits: execution ${number} stood still for ${gap} s; ${most} are allowed`;
		}
		before = at;
	}
}

/** What the last list that showed an offer did not show as pending, and nothing else, is not asked for. */
export function* asksOnlyForPending(
	{ number, requests }: Executed,
	{ history }: Happened,
): Generator<string> {
	// Nobody can tell for certain which of its lists is meant.
	if (hasFault(history, 'nonsense')) return;
	const shown = new Map<string, string[]>();
	for (const event of requests) {
		if (event.kind === 'accept') {
			const states = shown.get(event.id) ?? [];
			if (states.some((state) => state !== 'pending')) {
				yield `state: execution ${number} asked for ${event.id}, which the list showed as ${states.join(', ')}`;
			}
		} else if (event.list !== undefined) {
			const { url, body } = event.list;
			// The whole list says again what there is.
			if (!url.includes('?')) shown.clear();
			for (const [id, states] of statesIn(body)) shown.set(id, states);
		}
	}
}

/** Accept Many asks for what its rules allow. */
export function* asksOnlyForAllowed(
	{ number, spec: { rules }, accepts }: Executed,
	{ history }: Happened,
): Generator<string> {
	// Where the list says something else, that counts.
	if (rules === undefined || hasFault(history, 'nonsense')) return;
	for (const { id } of accepts) {
		const partner = history.partners[Number(id.slice(1))];
		if (partner === undefined || !isAllowed(rules, partner, history)) {
			yield `rules: execution ${number} asked for ${id} of ${JSON.stringify(partner)}`;
		}
	}
}

/** Max per Day counts what the lists show as accepted before the first accept, and what this process has paid. */
export function* keepsMaxPerDay(executed: Executed, happened: Happened): Generator<string> {
	const { history, executed: all, events } = happened;
	const { number, process, spec, isAlone, requests, accepts } = executed;
	const most = spec.rules?.options.maxPerDay;
	if (most === undefined || !isAlone || isBelievedWrongly(history)) return;
	if (hasFault(history, 'nonsense')) return;
	const ofProcess = all.filter((each) => each.process === process).map((each) => each.number);
	const firstAccept = requests.findIndex(({ kind }) => kind === 'accept');
	// Where entries are odd, the next list need not show what the first one did.
	const isSteady = !hasFault(history, 'odd-entries');
	const lists = isSteady ? requests.slice(0, firstAccept).map(listIn) : [];
	for (const request of accepts) {
		const since = request.at - day;
		const listed = lists.flatMap((list) => acceptedIn(list, since + 3_600_000));
		const paid = paymentsOf(events.slice(0, events.indexOf(request)))
			.filter(({ execution = -1 }) => ofProcess.includes(execution))
			.filter(({ at }) => at > since);
		const others = new Set([...listed, ...paid.map(({ id }) => id)]);
		others.delete(request.id);
		if (others.size >= most) {
			yield `max per day: execution ${number} asked for ${request.id} after ${[...others].join()}; ${most} are allowed`;
		}
	}
}

/** Dry Run sends no request to accept. */
export function* sendsNothingInDryRun({ number, spec, accepts }: Executed): Generator<string> {
	if (spec.options.dryRun !== true) return;
	for (const { id } of accepts) {
		yield `dry run: execution ${number} sent a request to accept ${id}`;
	}
}

/** Max Accepts holds per execution, second tries and loops included. */
export function* keepsMaxAccepts(
	executed: Executed,
	{ history, events }: Happened,
): Generator<string> {
	const { number, spec, payments } = executed;
	const { maxAccepts = Infinity } = spec.options;
	if (isBelievedWrongly(history)) return;
	const own = payments.filter((each) => !settlesAnotherRequest(each, executed, history, events));
	const paid = new Set(own.map(({ id }) => id));
	if (paid.size > maxAccepts) {
		yield `max accepts: execution ${number} may accept ${maxAccepts} and paid ${paid.size}`;
	}
}

/**
 * Before a request, the balance is above the minimum, and would not fall below it at the highest price that the execution has
 * paid, however late the balance shows it. What others have spent at the same time, or as long before as the balance lags,
 * need not have been seen; and what is in doubt counts with the highest price seen, which may be less than it costs.
 */
export function* keepsFloor(executed: Executed, happened: Happened): Generator<string> {
	const { history } = happened;
	const { number, spec, accepts } = executed;
	const { balanceLagSeconds = 0, settlement = 'at-once' } = history.dialect;
	const minimum = spec.options.minimumBalance;
	if (minimum === undefined || misstatesBalance(history) || isBelievedWrongly(history)) return;
	// What its process has sent at the same moment it knows of, where that shows at once.
	const knowsProcess = balanceLagSeconds === 0 && settlement === 'at-once';
	const isGuessed = balanceLagSeconds > 0 || settlement === 'later';
	const guess = isGuessed ? Math.max(...history.costs) - Math.min(...history.costs) : 0;
	for (const [earlier, request] of accepts.entries()) {
		if (isMovedByOthers(executed, request.at, happened, { knowsProcess })) continue;
		const highest = highestPriceSeen(executed, request, happened);
		const least = minimum - guess * earlier;
		const { balance } = request;
		if (balance <= least || balance - highest < least) {
			yield `minimum balance: execution ${number} went below ${minimum}: balance ${balance}, an accept had cost ${highest}`;
		}
	}
}

/** What the rules say of a partner; a service that names sites by their IDs does not show the host. */
function isAllowed(
	{ acceptFrom, allowedPartners, options }: Rules,
	partner: Partner,
	{ dialect }: History,
): boolean {
	const { includeSubdomains = true, refusedPartners = '', refusedAnchorWords } = options;
	const isShown = dialect.siteReference !== 'id';
	const host = isShown ? hosts[partner.fromSite] : 'an ID';
	const isOf = (list: string) =>
		list
			.replace('https://tea.example/', 'tea.example')
			.split(', ')
			.some((site) => site === host || (includeSubdomains && host.endsWith(`.${site}`)));
	if (refusedPartners !== '' && (!isShown || isOf(refusedPartners))) return false;
	if (refusedAnchorWords !== undefined && isCasino[partner.anchor]) return false;
	return acceptFrom === 'anyone' || (allowedPartners !== '' && isOf(allowedPartners));
}

/** The most that the execution had paid when it sent a request; what has settled by itself may have been seen by nobody. */
function highestPriceSeen(
	{ number }: Executed,
	request: Accept,
	{ history, events }: Happened,
): number {
	if (history.dialect.settlement === 'later') return 0;
	const before = paymentsOf(events.slice(0, events.indexOf(request)));
	const own = before.filter(({ execution }) => execution === number);
	return Math.max(0, ...own.map(({ amount }) => amount));
}
