/**
 * A list with odd entries. Some write their state in another case, as an object with a name, in another field, or so that it
 * cannot be read; some are missing, or are there a second time as they were before. None lies: a state that can be read is
 * that of the exchange, or was.
 */
import type { Json } from './bodies.mts';

const lifeCycle = ['pending', 'accepted', 'live', 'broken'];

type Entry = Json & { status: string };
type Form = (entry: Entry, random: () => number) => Json[];

const written = (write: (status: string) => unknown): Form => {
	return (entry) => [{ ...entry, status: write(entry.status) }];
};
const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const forms: Form[] = [
	(entry) => [entry],
	(entry) => [entry],
	written((status) => status.toUpperCase()),
	written((status) => ` ${capitalized(status)}\n`),
	written((name) => ({ name })),
	written((status) => ({ id: 7, name: capitalized(status), label: 'Status' })),
	({ status, ...entry }) => [{ ...entry, state: status }],
	(entry) => [{ ...entry, state: entry.status.toUpperCase() }],
	// From here on, the state or the ID cannot be read, or the entry is missing.
	(entry) => [{ ...entry, state: 'archived' }],
	written((status) => lifeCycle.indexOf(status)),
	written((status) => [status]),
	written((status) => ({ value: status })),
	written((status) => `${status}?`),
	written(() => 'archived'),
	written(() => null),
	(entry) => [{ ...entry, status: undefined }],
	(entry) => [{ ...entry, id: [entry.id] }],
	() => [],
	// The exchange has several entries.
	(entry) => [entry, entry],
	(entry, random) => [former(entry, random), entry],
	(entry, random) => [entry, former(entry, random)],
	(entry) => [{ ...entry, status: 'archived' }, entry],
	(entry) => [entry, { ...entry, status: 7 }],
];

/** @param body of a list; anything else stays as it is */
export function withOddEntries(body: string, random: () => number): string {
	try {
		return JSON.stringify(changed(JSON.parse(body)));
	} catch {
		return body;
	}

	function changed(value: unknown): unknown {
		if (Array.isArray(value)) {
			return value.flatMap((entry: unknown) => (isExchange(entry) ? oddly(entry) : [entry]));
		}
		if (typeof value !== 'object' || value === null) return value;
		return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changed(each)]));
	}

	function oddly(entry: Entry): Json[] {
		const form = forms[Math.floor(random() * forms.length)];
		return form === undefined ? [entry] : form(entry, random);
	}
}

function former(entry: Entry, random: () => number): Json {
	const reached = lifeCycle.indexOf(entry.status);
	return { ...entry, status: lifeCycle[Math.floor(random() * reached)] ?? entry.status };
}

function isExchange(entry: unknown): entry is Entry {
	return (
		typeof entry === 'object' &&
		entry !== null &&
		'status' in entry &&
		typeof entry.status === 'string' &&
		lifeCycle.includes(entry.status)
	);
}
