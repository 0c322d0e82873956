/**
 * What Accept Many decides about an offer, compared with a model that was written from decision 0012 alone. The model knows
 * the sites and words themselves; the node gets them as a service and a user may write them.
 */
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { expect, test } from 'vitest';

import {
	type Facts,
	objectionTo,
} from '../../../nodes/BacklinkExchange/resources/exchange/acceptMany/decide.ts';
import { rulesOf } from './rulesOf.mts';

/** A site, by its address, its ID, or both; neither where it cannot be read. */
interface Site {
	host?: string;
	id?: string;
}

/** What a list shows of an offer. */
interface Entry {
	state: 'pending' | 'accepted' | undefined;
	partner: Site;
	site: Site;
	/** The words of the anchor text; undefined where it cannot be read. */
	anchor: string[] | undefined;
}

interface Rules {
	/** Undefined: anyone. */
	allowed: Site[] | undefined;
	refused: Site[];
	own: Site[];
	/** Each one or two words. */
	words: string[][];
	includeSubdomains: boolean;
}

type Limits = Omit<Facts, 'judge'>;

interface Verdict {
	outcome: 'refused' | 'undecided' | 'skipped';
	reason: string;
}

/** Refusal wins over doubt, doubt over a limit; and what cannot be read is left to a person. */
function modelOf(entries: Entry[], rules: Rules, limits: Limits): Verdict | undefined {
	if (entries.some(({ state }) => state === undefined)) {
		const reason = 'Its state cannot be read: the list shows "status": "archived"';
		return { outcome: 'undecided', reason };
	}
	const refusals = entries.flatMap((entry) => refusalsOf(entry, rules).slice(0, 1));
	if (refusals[0] !== undefined) return { outcome: 'refused', reason: refusals[0] };
	const doubts = entries.map((entry) => doubtsOf(entry, rules)).find((each) => each.length > 0);
	if (doubts !== undefined) return { outcome: 'undecided', reason: doubts.join('; ') };
	const { end, acceptedToday, maxPerDay, maxAcceptsReached } = limits;
	const isDayFull = acceptedToday >= maxPerDay && `Max per Day (${maxPerDay}) is reached`;
	const reason = [end, isDayFull, maxAcceptsReached].find((each) => typeof each === 'string');
	if (typeof reason === 'string') return { outcome: 'skipped', reason };
	if (entries.length > 0) return undefined;
	return { outcome: 'undecided', reason: 'The list no longer shows it' };
}

function refusalsOf({ partner, anchor = [] }: Entry, rules: Rules): string[] {
	const isRefused = namesOf(partner).some((name) => isAmong(name, rules.refused, rules));
	const isSaid = (words: string[]) =>
		anchor.some((_, from) => words.every((word, index) => anchor[from + index] === word));
	return [
		...(isRefused ? ['The partner is in Refused Partners'] : []),
		...rules.words.filter(isSaid).map((words) => `The anchor text contains "${words.join(' ')}"`),
	];
}

function doubtsOf({ partner, site, anchor }: Entry, rules: Rules): string[] {
	const { allowed, refused, own, words } = rules;
	const isUnknown = namesOf(partner).length === 0;
	const isMeant = (each: Site, sites: Site[]) =>
		namesOf(each).some((name) => isAmong(name, sites, rules));
	const mayBeRefused = refused.some(
		({ host }) => (host === undefined ? partner.id : partner.host) === undefined,
	);
	const doubts: Array<[boolean, string]> = [
		[isUnknown && (allowed !== undefined || refused.length > 0), 'The partner cannot be read'],
		[
			!isUnknown && mayBeRefused,
			'Refused Partners names sites in a way that the offer does not, such as by ID or IP address',
		],
		[anchor === undefined && words.length > 0, 'The anchor text cannot be read'],
		[allowed?.length === 0, 'Allowed Partners is empty'],
		[
			!isUnknown && allowed !== undefined && allowed.length > 0 && !isMeant(partner, allowed),
			'The partner is not in Allowed Partners',
		],
		[own.length > 0 && !isMeant(site, own), 'The offer is not for a site in Own Sites'],
	];
	return doubts.filter(([isThere]) => isThere).map(([, doubt]) => doubt);
}

function namesOf({ host, id }: Site): string[] {
	return [host, id].filter((name) => name !== undefined);
}

function isAmong(name: string, sites: Site[], { includeSubdomains }: Rules): boolean {
	return sites.some(({ host, id }) => {
		const isBelow = host !== undefined && includeSubdomains && name.endsWith(`.${host}`);
		return name === host || name === id || isBelow;
	});
}

const host = fc.constantFrom('tea.example', 'blog.tea.example', 'evil-tea.example', 'spam.example');
const id = fc.constantFrom('site_1', 'site_2');
const named: fc.Arbitrary<Site> = fc.oneof(fc.record({ host }), fc.record({ id }));
const site: fc.Arbitrary<Site> = fc.oneof(
	{ weight: 4, arbitrary: fc.record({ host }) },
	{ weight: 2, arbitrary: fc.record({ id }) },
	{ weight: 2, arbitrary: fc.record({ host, id }) },
	{ weight: 1, arbitrary: fc.constant({}) },
);
/** None of them is a part of another one, or of two of them in a row. */
const word = fc.constantFrom('casino', 'free', 'spins', 'tea', 'garden');
const entry: fc.Arbitrary<Entry> = fc.record({
	state: fc.oneof(
		{ weight: 19, arbitrary: fc.constantFrom('pending' as const, 'accepted' as const) },
		{ weight: 1, arbitrary: fc.constant(undefined) },
	),
	partner: site,
	site,
	anchor: fc.oneof(
		{ weight: 5, arbitrary: fc.array(word, { minLength: 1, maxLength: 4 }) },
		{ weight: 1, arbitrary: fc.constant(undefined) },
	),
});
/** A rule that is not set says nothing, and would otherwise be too rare. */
const unset = { weight: 2, arbitrary: fc.constant<never[]>([]) };
const sites = fc.oneof(unset, { weight: 1, arbitrary: fc.array(named, { maxLength: 2 }) });
const rules: fc.Arbitrary<Rules> = fc.record({
	allowed: fc.oneof(fc.constant(undefined), fc.array(named, { maxLength: 3 })),
	refused: sites,
	own: sites,
	words: fc.oneof(unset, {
		weight: 1,
		arbitrary: fc.array(fc.array(word, { minLength: 1, maxLength: 2 }), { maxLength: 2 }),
	}),
	includeSubdomains: fc.boolean(),
});
const sometimes = (text: string) => fc.constantFrom(...Array<undefined>(7).fill(undefined), text);
const limits: fc.Arbitrary<Limits> = fc.record({
	end: sometimes('The API key was not accepted'),
	acceptedToday: fc.nat({ max: 2 }),
	maxPerDay: fc.constantFrom(1, 2, ...Array<number>(6).fill(Infinity)),
	maxAcceptsReached: sometimes('Max Accepts (5) is reached'),
});

/** Draws one of the ways in which something may be written. */
type Draw = <Way>(ways: readonly Way[]) => Way;

function written(draw: Draw, { host: address, id: number }: Site): unknown {
	const url =
		address &&
		draw([
			address,
			`https://www.${address}/links?a=b#c`,
			`HTTP://user@${address.toUpperCase()}.:8080`,
			`//${address}`.slice(2),
		]);
	const name = number && draw([number, number.toUpperCase(), ` ${number} `]);
	if (url !== undefined && name !== undefined) return { url, id: name };
	return (
		url ?? name ?? draw([null, undefined, '', 'tea', 'a b.example', ['tea.example'], { a: 1 }])
	);
}

function writtenWords(draw: Draw, words: string[]): string {
	const letters = (text: string) =>
		draw([
			text,
			text.toUpperCase(),
			text.replace(/[aei]/, '$&\u0301'),
			Array.from(text).join('\u200b'),
			Array.from(text).join('\u00ad'),
			text.replaceAll('a', 'ａ'),
		]);
	return words.map(letters).reduce((text, next) => text + draw([' ', '-', '/', ' – ', '_']) + next);
}

function readBack(draw: Draw, drawn: Rules): Facts['judge'] {
	const list = (all: string[]) => all.join(draw([', ', ',', '; ', '\n']));
	const inRules = (all: Site[]) => list(all.map((each) => String(written(draw, each))));
	const options = {
		includeSubdomains: drawn.includeSubdomains,
		...(drawn.refused.length > 0 && { refusedPartners: inRules(drawn.refused) }),
		...(drawn.own.length > 0 && { ownSites: inRules(drawn.own) }),
		...(drawn.words.length > 0 && {
			refusedAnchorWords: list(drawn.words.map((words) => words.join(' '))),
		}),
	};
	const acceptFrom = drawn.allowed === undefined ? 'anyone' : 'listed';
	return rulesOf({ acceptFrom, allowedPartners: inRules(drawn.allowed ?? []), options });
}

function record(draw: Draw, { state, partner, site: own, anchor }: Entry): IDataObject {
	const status = state === undefined ? 'archived' : draw([state, state.toUpperCase()]);
	return {
		status,
		from_site: written(draw, partner),
		to_site: written(draw, own),
		anchor:
			anchor === undefined ? draw([null, 7, '', '…', 'par\ufffd']) : writtenWords(draw, anchor),
	} as IDataObject;
}

test('what the rules, the lists and the limits say of an offer is what the model says', () => {
	const decided = new Map<string | undefined, number>();
	const property = fc.property(
		fc.array(entry, { maxLength: 2 }),
		rules,
		limits,
		fc.gen(),
		(entries, drawn, given, gen) => {
			const draw: Draw = (ways) => gen(fc.constantFrom, ...ways) as (typeof ways)[number];
			const listed = entries.map((each) => record(draw, each));
			const objection = objectionTo('exc_1', listed, { ...given, judge: readBack(draw, drawn) });
			expect(objection).toEqual(modelOf(entries, drawn, given));
			const outcome = objection?.outcome;
			decided.set(outcome, (decided.get(outcome) ?? 0) + 1);
		},
	);
	fc.assert(property, { numRuns: 4000 });
	// Otherwise nothing would have been compared.
	for (const outcome of ['refused', 'undecided', 'skipped', undefined] as const) {
		expect(decided.get(outcome) ?? 0).toBeGreaterThan(20);
	}
});

test.each(['', '.', '..', 'exc_\u0007', '\u200b'])(
	'the ID %j is left to a person',
	(unreadable) => {
		const judge = () => ({ verdict: 'refused' as const, reason: 'A rule' });
		const facts = {
			judge,
			end: 'The end',
			acceptedToday: 1,
			maxPerDay: 1,
			maxAcceptsReached: 'Enough',
		};
		expect(objectionTo(unreadable, [{ status: 'pending' }], facts)).toEqual({
			outcome: 'undecided',
			reason: 'Its ID cannot be read',
		});
	},
);
