/** service-api.md documents the shape of GET /sites alone; pagination, sorting and the shape of the other lists are open. */
import type { Dialect } from '../../sandbox/dialects.mts';
import { bodyWords, isObject, recordsOf } from '../bodies.mts';
import type { Answer, Client } from '../client.mts';
import { content, links, signsOfMore } from '../product.mts';
import type { Observation } from '../report.mts';

export interface Lists {
	sites: Answer;
	exchanges: Answer;
	watchdog: Answer;
}

type Resource = keyof Lists;

const readers = { sites: 'sites', exchanges: 'exchanges', watchdog: 'watchdogEvents' } as const;
const paths = { sites: '/sites', exchanges: '/exchanges', watchdog: '/watchdog/events' } as const;
const statuses = ['pending', 'accepted', 'live', 'broken'] as const;

export async function readLists(client: Client, sites: Answer): Promise<Lists> {
	return {
		sites,
		exchanges: await client.ask({ path: paths.exchanges }),
		watchdog: await client.ask({ path: paths.watchdog }),
	};
}

/** The records of every list that the package can read. */
export function entriesOf(lists: Lists, resource: Resource): Record<string, unknown>[] {
	return recordsOf(lists[resource], readers[resource]) ?? [];
}

export function lookAtLists(client: Client, lists: Lists): Observation[] {
	return (Object.keys(lists) as Resource[]).flatMap((resource) => [
		shapeOf(lists, resource),
		paginationOf(client, lists, resource),
	]);
}

/** Whether the documented filter does something, and whether the list without it holds every status. */
export async function askForFilters(client: Client, lists: Lists): Promise<Observation[]> {
	const whole = entriesOf(lists, 'exchanges');
	const disobeyed: string[] = [];
	const leftOut: string[] = [];
	let seen = 0;
	for (const status of statuses) {
		const answer = await client.ask({ path: `${paths.exchanges}?status=${status}` });
		const entries = recordsOf(answer, 'exchanges') ?? [];
		seen += entries.length;
		if (entries.some((entry) => entry.status !== status)) disobeyed.push(status);
		const listed = new Set(whole.map(({ id }) => String(id)));
		if (entries.some(({ id }) => !listed.has(String(id)))) leftOut.push(status);
	}
	const { headers } = lists.exchanges;
	const isPaged =
		saysThereIsMore(lists.exchanges, 'exchanges', whole.length) ||
		links.readNextLink(headers, client.addressOf(paths.exchanges)) !== undefined;
	return [
		obeyed(seen, disobeyed),
		isPaged
			? { ...wholeList, seen: 'it comes in pages', verdict: 'not seen' }
			: complete(seen, leftOut),
	];
}

const statusFilter = { question: 'exchanges: status filter' };
const wholeList = { question: 'exchanges: list without a filter' };

/** Whether an answer with this many entries says that the list goes on, in any way but by a link. */
function saysThereIsMore(answer: Answer, resource: Resource, entries: number): boolean {
	const { status: statusCode, headers, json } = answer;
	const read = { entries, pages: 1 };
	return signsOfMore.saysThereIsMore({ statusCode, headers, json }, readers[resource], read);
}

function obeyed(seen: number, disobeyed: string[]): Observation {
	if (seen === 0) return { ...statusFilter, seen: 'no exchanges to filter', verdict: 'not seen' };
	return disobeyed.length === 0
		? { ...statusFilter, seen: 'obeyed', verdict: 'supported' }
		: { ...statusFilter, seen: `not obeyed for ${disobeyed.join(', ')}`, verdict: 'tolerated' };
}

function complete(seen: number, leftOut: string[]): Observation {
	if (seen === 0) return { ...wholeList, seen: 'no exchanges', verdict: 'not seen' };
	if (leftOut.length === 0) {
		return { ...wholeList, seen: 'holds every status', verdict: 'supported' };
	}
	return {
		...wholeList,
		seen: `leaves out ${leftOut.join(', ')}`,
		verdict: 'tolerated',
		...(!leftOut.includes('pending') && {
			dialect: { exchangeList: 'pending-unless-filtered' as const },
		}),
	};
}

function shapeOf(lists: Lists, resource: Resource): Observation {
	const question = `${resource}: list shape`;
	const answer = lists[resource];
	if (answer.status !== 200 || recordsOf(answer, readers[resource]) === undefined) {
		return {
			question,
			seen: `HTTP ${answer.status} with ${bodyWords(answer)}`,
			verdict: 'not supported',
		};
	}
	const place = placeOf(answer.json, resource);
	return {
		question,
		seen: place === undefined ? bodyWords(answer) : `array ${place.words}`,
		verdict: 'supported',
		...(place?.dialect && { dialect: place.dialect }),
	};
}

/** Where in the body the array is. */
function placeOf(
	json: unknown,
	resource: Resource,
): { words: string; dialect?: Partial<Dialect> } | undefined {
	// The shape of the sites is documented, and in the sandbox it is no setting.
	const setting = (listShape: Dialect['listShape']): Partial<Dialect> =>
		resource === 'sites' ? {} : { listShape };
	if (Array.isArray(json)) return { words: 'bare', dialect: setting('array') };
	if (!isObject(json)) return undefined;
	const own: readonly string[] = content.listKeys[readers[resource]];
	const named = own.find((key) => Array.isArray(json[key]));
	if (named !== undefined) {
		return { words: `in ${named}`, dialect: { ...setting('resource'), ...keyOf(resource, named) } };
	}
	const envelope = (['data', 'items', 'results'] as const).find((key) => Array.isArray(json[key]));
	if (envelope !== undefined) return { words: `in ${envelope}`, dialect: setting(envelope) };
	const { data } = json;
	const inner = isObject(data) ? own.find((key) => Array.isArray(data[key])) : undefined;
	if (inner === undefined) return undefined;
	return {
		words: `in data.${inner}`,
		dialect: { ...setting('data-resource'), ...keyOf(resource, inner) },
	};
}

function keyOf(resource: Resource, key: string): Partial<Dialect> {
	const isKnown = key === 'events' || key === 'watchdog_events';
	return resource === 'watchdog' && isKnown ? { watchdogKey: key } : {};
}

function paginationOf(client: Client, lists: Lists, resource: Resource): Observation {
	const question = `${resource}: pagination`;
	const answer = lists[resource];
	const entries = entriesOf(lists, resource).length;
	const address = client.addressOf(paths[resource]);
	const next = links.readNextLink(answer.headers, address);
	if (next) {
		const sameOrigin = new URL(next).origin === new URL(address).origin;
		return {
			question,
			seen: `Link header with rel="next" to ${sameOrigin ? 'the same' : 'another'} origin`,
			verdict: sameOrigin ? 'supported' : 'tolerated',
			dialect: { pagination: sameOrigin ? 'link' : 'link-other-origin', pageSize: entries },
		};
	}
	const sign = signOf(answer.json);
	const more = saysThereIsMore(answer, resource, entries);
	if (sign === undefined) {
		return {
			question,
			seen: more ? 'an unusual sign that there is more' : 'no sign of more',
			verdict: more ? 'tolerated' : 'supported',
		};
	}
	return {
		question,
		seen: `${sign.words} ${more ? 'says that there is more' : 'says that this is all'}`,
		verdict: more ? 'tolerated' : 'supported',
		dialect: { pagination: sign.pagination, ...(more && { pageSize: entries }) },
	};
}

function signOf(json: unknown): { words: string; pagination: Dialect['pagination'] } | undefined {
	const places = isObject(json) ? [json, json.data].filter(isObject) : [];
	for (const place of places) {
		if ('has_more' in place) return { words: 'has_more', pagination: 'has-more' };
		if ('next_cursor' in place) return { words: 'next_cursor', pagination: 'next-cursor' };
		if ('next_page' in place) return { words: 'next_page', pagination: 'next-page' };
		if ('next' in place) return { words: 'next', pagination: 'next-url' };
	}
	return undefined;
}
