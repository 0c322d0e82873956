/** service-api.md does not show the complete records, nor the types and formats of their fields. */
import type { Dialect } from '../../sandbox/dialects.mts';
import { isObject } from '../bodies.mts';
import { time } from '../product.mts';
import { type Observation, safeNames, type Verdict } from '../report.mts';
import { entriesOf, type Lists } from './lists.mts';

type Entry = Record<string, unknown>;

const documented: Record<keyof Lists, string[]> = {
	sites: ['id', 'url', 'niche', 'dr', 'verified', 'created_at'],
	exchanges: [
		'id',
		'from_site',
		'to_site',
		'anchor',
		'status',
		'accepted_at',
		'live_url',
		'published_at',
	],
	watchdog: ['exchange_id', 'severity', 'type', 'detail'],
};

export function lookAtRecords(lists: Lists): Observation[] {
	const exchanges = entriesOf(lists, 'exchanges');
	return [
		...(Object.keys(documented) as (keyof Lists)[]).flatMap((resource) =>
			lookAtFields(resource, entriesOf(lists, resource)),
		),
		timesOf(exchanges, entriesOf(lists, 'watchdog')),
		siteReferenceOf(exchanges),
	];
}

function lookAtFields(resource: keyof Lists, entries: Entry[]): Observation[] {
	if (entries.length === 0) {
		return [{ question: `${resource}: fields`, seen: 'no records', verdict: 'not seen' }];
	}
	const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
	const missing = documented[resource].filter((name) => !names.includes(name));
	const further = names.filter((name) => !documented[resource].includes(name));
	return [
		{
			question: `${resource}: fields`,
			seen: `${missing.length === 0 ? 'all documented ones' : `without ${safeNames(missing)}`}; further: ${safeNames(further)}`,
			verdict: missing.length === 0 ? 'supported' : 'tolerated',
		},
		{ question: `${resource}: ids`, ...idsOf(entries) },
	];
}

function idsOf(entries: Entry[]): { seen: string; verdict: Verdict } {
	const forms = [...new Set(entries.map(({ id }) => idForm(id)))];
	const prefixes = [...new Set(entries.map(({ id }) => /^[a-z]{2,12}_/.exec(String(id))?.[0]))];
	const [prefix] = prefixes;
	// A prefix that all IDs share is the service's; that of a single one might be somebody's own name.
	const shared = prefix !== undefined && prefixes.length === 1 && entries.length > 1;
	return {
		seen: `${forms.map((form) => form ?? 'not usable').join('; ')}${shared ? ` that begins with ${prefix}` : ''}`,
		verdict: forms.includes(undefined) ? 'not supported' : 'supported',
	};
}

function idForm(id: unknown): string | undefined {
	if (typeof id === 'number') {
		return Number.isSafeInteger(id) ? 'number' : 'number beyond 2^53';
	}
	if (typeof id !== 'string' || id === '') return undefined;
	if (/^\d+$/.test(id)) return 'text of digits';
	return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id) ? 'UUID' : 'text';
}

const timeFields = ['created_at', 'accepted_at', 'published_at'];

function timesOf(exchanges: Entry[], alerts: Entry[]): Observation {
	const question = 'times of exchanges and alerts';
	const values = [...exchanges, ...alerts]
		.flatMap((entry) => timeFields.map((field) => entry[field]))
		.filter((value) => value !== null && value !== undefined && value !== '');
	if (values.length === 0) return { question, seen: 'none', verdict: 'not seen' };
	const forms = [...new Set(values.map(timeForm))];
	const [form] = forms;
	const readable = values.every((value) => time.readMoment(String(value), 0) !== undefined);
	const isKnown = (name: string | undefined): name is Dialect['times'] =>
		name !== undefined && knownTimes.includes(name);
	return {
		question,
		seen: forms.join('; '),
		verdict: !readable ? 'tolerated' : 'supported',
		...(forms.length === 1 && isKnown(form) && { dialect: { times: form } }),
	};
}

const knownTimes: string[] = [
	'iso-8601-milliseconds',
	'iso-8601-seconds',
	'epoch-seconds',
	'epoch-milliseconds',
] satisfies Dialect['times'][];

function timeForm(value: unknown): string {
	if (typeof value === 'number') return value > 1e11 ? 'epoch-milliseconds' : 'epoch-seconds';
	if (typeof value !== 'string') return typeof value;
	const text = value;
	if (/^\d+$/.test(text)) return 'text of digits';
	const iso = /^\d{4}-\d{2}-\d{2}([T ])\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})?$/.exec(text);
	if (iso === null) return 'another text';
	const [, separator, fraction, zone] = iso;
	if (separator === 'T' && zone === 'Z') {
		if (fraction === undefined) return 'iso-8601-seconds';
		if (fraction.length === 4) return 'iso-8601-milliseconds';
	}
	const digits = fraction === undefined ? 0 : fraction.length - 1;
	const zoneWords = zone === undefined ? 'no zone' : zone === 'Z' ? 'UTC' : 'an offset';
	return `ISO 8601 with "${separator ?? ''}", ${digits} digits of a second, ${zoneWords}`;
}

function siteReferenceOf(exchanges: Entry[]): Observation {
	const question = 'from_site and to_site';
	const values = exchanges.flatMap((entry) => [entry.from_site, entry.to_site]);
	const present = values.filter((value) => value !== null && value !== undefined);
	if (present.length === 0) return { question, seen: 'none', verdict: 'not seen' };
	const forms = [...new Set(present.map(referenceForm))];
	const [form] = forms;
	const isKnown = forms.length === 1 && (form === 'url' || form === 'id' || form === 'object');
	return {
		question,
		seen: forms.join('; '),
		verdict: isKnown ? 'supported' : 'tolerated',
		...(isKnown && { dialect: { siteReference: form } }),
	};
}

function referenceForm(value: unknown): string {
	if (isObject(value)) {
		return 'id' in value && 'url' in value
			? 'object'
			: `object with ${safeNames(Object.keys(value))}`;
	}
	if (typeof value !== 'string') return typeof value;
	if (/^https?:\/\//i.test(value)) return 'url';
	return /^site_/.test(value) ? 'id' : 'text';
}
