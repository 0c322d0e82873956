/** Rules about Accept Many: whom it may accept, and how many in a day. */
import { paymentsOf, requestsOf } from './books.mts';
import { acceptedIn } from './evidence.mts';
import type { Executed, Happened } from './happened.mts';
import type { History, Partner, Rules } from './history.mts';
import { faultsOf, isBelievedWrongly } from './promises.mts';

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

export function* asksOnlyForAllowed(executed: Executed, happened: Happened): Generator<string> {
	const { history, events } = happened;
	const { rules } = executed.spec;
	// Where the list says something else, that counts.
	if (rules === undefined || faultsOf(history).some(({ kind }) => kind === 'nonsense')) return;
	for (const event of requestsOf(executed, events)) {
		if (!event.isAccept) continue;
		const partner = history.partners[Number(event.id.slice(1))];
		if (partner === undefined || !isAllowed(rules, partner, history)) {
			yield `rules: execution ${executed.number} asked for ${event.id} of ${JSON.stringify(partner)}`;
		}
	}
	yield* keepsMaxPerDay(executed, happened);
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

/** Max per Day counts what the lists show as accepted before the first accept, and what this process has paid. */
function* keepsMaxPerDay(executed: Executed, happened: Happened): Generator<string> {
	const { history, executed: all, events } = happened;
	const { number, process, spec, isAlone } = executed;
	const most = spec.rules?.options.maxPerDay;
	if (most === undefined || !isAlone || isBelievedWrongly(history)) return;
	const requests = requestsOf(executed, events);
	// The next list shows what the first one did.
	const isSteady = faultsOf(history).every(({ kind }) => kind !== 'odd-entries');
	for (const event of requests) {
		if (!event.isAccept) continue;
		const before = requests.slice(
			0,
			requests.findIndex(({ isAccept }) => isAccept),
		);
		const lists = before.map((each) => (each.isAccept ? '' : (each.list?.body ?? '')));
		const since = event.at - day + 3_600_000;
		const listed = isSteady ? lists.flatMap((list) => acceptedIn(list, since)) : [];
		const byThen = events.slice(0, events.indexOf(event));
		const paid = all
			.filter((each) => each.process === process)
			.flatMap((each) => paymentsOf(each, byThen))
			.filter(({ at }) => at > event.at - day);
		const others = new Set([...listed, ...paid.map(({ id }) => id)]);
		others.delete(event.id);
		if (others.size >= most) {
			yield `max per day: execution ${number} asked for ${event.id} after ${[...others].join()}; ${most} are allowed`;
		}
	}
}
