import type { Fault } from '../../sandbox/faults.mts';

/** Fields that say that it went wrong. */
const failing = /^(errors?|error[_-]?(code|message|type|details?|description))$/i;

/**
 * Whether an answer to an accept says plainly that the offer is accepted (decision 0003): a record of it that is accepted or live, bare
 * or alone in `exchange` or `data`, in which nothing says otherwise; or a success without a body. A service that answers so
 * and has not carried it out cannot be distinguished from one that has.
 */
export function saysAccepted(
	{ status: code = 503, body: text = '' }: Fault,
	offer: string,
): boolean {
	if (code < 200 || code > 299) return false;
	// What has no content, has none.
	if (text.trim() === '' || code === 204) return code !== 202;
	let json: unknown;
	try {
		json = JSON.parse(text);
	} catch {
		return false;
	}
	for (const wrapper of ['data', 'exchange']) {
		if (isObject(json) && Object.keys(json).join() === wrapper) json = json[wrapper];
	}
	return isObject(json) && json.id === offer && isPaid(json) && !isContradicted(json);
}

/** The states of each exchange that a list shows, by its id: one for each of its entries. */
export function statesIn(body: string): Map<string, string[]> {
	const states = new Map<string, string[]>();
	for (const entry of entriesOf(body)) {
		if (typeof entry.id !== 'string') continue;
		states.set(entry.id, [...(states.get(entry.id) ?? []), stateIn(entry)]);
	}
	return states;
}

/** The exchanges that a list shows as accepted since a moment, in milliseconds. */
export function acceptedIn(body: string, since: number): string[] {
	return entriesOf(body).flatMap(({ id, accepted_at }) =>
		typeof id === 'string' && typeof accepted_at === 'string' && Date.parse(accepted_at) > since
			? [id]
			: [],
	);
}

/** The entries of a list, however it is wrapped; none of what is no JSON. */
function entriesOf(body: string): Array<Record<string, unknown>> {
	const read = (json: unknown): Array<Record<string, unknown>> => {
		if (Array.isArray(json)) return json.filter(isObject);
		return isObject(json) ? Object.values(json).flatMap(read) : [];
	};
	try {
		return read(JSON.parse(body));
	} catch {
		return [];
	}
}

function isPaid(found: Record<string, unknown>): boolean {
	return ['accepted', 'live'].includes(stateIn(found));
}

/** One of the documented states, or what stands in its place. */
function stateIn(found: Record<string, unknown>): string {
	const named = [found.status, found.state].filter(isNamed);
	const read = named
		.map((each) => (isObject(each) ? each.name : each))
		.map((each) => (typeof each === 'string' ? each.trim().toLowerCase() : undefined));
	const [state] = read;
	const isKnown = ['pending', 'accepted', 'live', 'broken'].includes(state ?? '');
	return state !== undefined && isKnown && read.every((each) => each === state)
		? state
		: `unreadable ${JSON.stringify(named)}`;
}

/** Says of itself, or a part of it says, that it went wrong, or what is no part of a plain record: a state of its own. */
function isContradicted(found: Record<string, unknown>, isPart = false): boolean {
	return Object.entries(found).some(
		([name, value]) =>
			(failing.test(name) && isSaid(value)) ||
			(/^(success|ok)$/.test(name) && !['true', '1', 'null'].includes(String(value))) ||
			(name === 'accepted' && value === false && !isPart) ||
			(isPart && (name === 'status' || name === 'state') && isNamed(value)) ||
			(!isPart &&
				name !== 'status' &&
				name !== 'state' &&
				isObject(value) &&
				isContradicted(value, true)),
	);
}

function isNamed(state: unknown): boolean {
	return state !== undefined && state !== null && state !== '';
}

function isSaid(value: unknown): boolean {
	return isObject(value) || Array.isArray(value) ? Object.keys(value).length > 0 : Boolean(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
