/** Faults that the rules of an accept make impossible, each put into a copy of the built package: does the campaign notice? */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(root, 'dist');
const accept = 'nodes/BacklinkExchange/resources/exchange/accept';

interface Mutant {
	/** What is no longer so. */
	name: string;
	/** Below dist. */
	file: string;
	/** Stands there exactly once. */
	find: string;
	replace: string;
}

const mutants = (file: string, ...changes: Array<[name: string, find: string, replace: string]>) =>
	changes.map(([name, find, replace]): Mutant => ({ name, file, find, replace }));

export const allMutants: readonly Mutant[] = [
	...mutants(
		`${accept}/answer.js`,
		['evidence: any 2xx is believed', "text.trim() === '' && statusCode !== 202", 'true'],
		[
			'evidence: any 2xx with a record of the offer is believed',
			'return isThisOffer &&',
			'return isThisOffer ||',
		],
		['evidence: what contradicts the record is not seen', '&& !isContradicted &&', '&&'],
		['evidence: another offer counts as this one', 'return isThisOffer && ', 'return '],
		['evidence: an empty 202 is believed', ' && statusCode !== 202', ''],
		['evidence: a refusal is not looked up', 'meansNotPending || !isItsOwn', 'false'],
	),
	...mutants(
		'nodes/shared/state.js',
		['states: an unknown one is pending', 'state === word)', "state === word) ?? 'pending'"],
		['states: an unknown one is accepted', 'state === word)', "state === word) ?? 'accepted'"],
		[
			'states: of several entries the first counts',
			'return furthest === ',
			'return read[0] !== undefined ? read[0] : furthest === ',
		],
		[
			'states: an unreadable entry beside a pending one does not count',
			"furthest === 'pending' && read.includes(undefined) ? undefined : furthest",
			'furthest',
		],
	),
	...mutants(
		`${accept}/journal.js`,
		['journal: nothing is written before sending', 'entry.open.push(Date.now());', ''],
		[
			'journal: a request that was not carried out is not taken back',
			'async takeBack(key) {',
			'async takeBack(key) { return;',
		],
		[
			'journal: what was accepted is not remembered',
			'return acceptedAt !== undefined &&',
			'return false &&',
		],
		[
			'journal: a pending offer in doubt is sent again at once',
			'const settlingTime = 60_000;',
			'const settlingTime = 0;',
		],
		[
			'journal: Max Accepts counts only what was confirmed',
			'other !== key && (sent > 0 ||',
			'other !== key && ((sent > 0 && this.#attempt(other).result !== undefined) ||',
		],
		['floor: a price that has not shown is 0', 'get unpriced() {', 'get unpriced() { return [];'],
		['floor: what is in doubt costs nothing', 'get doubts() {', 'get doubts() { return [];'],
		[
			'floor: the highest price does not count',
			'get highestPrice() {',
			'get highestPrice() { return 0;',
		],
	),
	...mutants(`${accept}/floor.js`, [
		'floor: a balance from before a request is current',
		' && this.#requestsBefore === this.#journal.requests',
		'',
	]),
	...mutants(
		`${accept}/claims.js`,
		[
			'claims: none is written',
			'async take(names, signal) {',
			'async take(names, signal) { return true;',
		],
		['claims: none is read', 'isOurs = false;', 'isOurs = undefined;'],
		[
			'claims: a token that is gone counts as there',
			'isOurs = known.includes(token);',
			'isOurs = true;',
		],
	),
	...mutants(
		`${accept}/acceptOffer.js`,
		['recipe: what no list shows is sent again', "if (state !== 'pending')", 'if (false)'],
		[
			'recipe: an offer in a state that cannot be read is sent',
			'if (record !== undefined && state === undefined)',
			'if (false)',
		],
		[
			'recipe: an outcome that nobody saw is accepted',
			"return found.state === 'pending'",
			"return true ? await seen(offer, 'readBack') : found.state === 'pending'",
		],
	),
];

/** How often what is to be changed stands in the built file; it has to be once. */
export function occurrences({ file, find }: Mutant): number {
	return readFileSync(path.join(dist, file), 'utf8').split(find).length - 1;
}

/** Puts a mutant into a copy of dist and returns the copy, from which what the package needs can be found. */
export function applyMutant(mutant: Mutant): string {
	const { name, file, find, replace } = mutant;
	if (occurrences(mutant) !== 1) throw new Error(`"${name}" changes nothing in ${file}.`);
	const folder = path.join(root, 'node_modules/.cache/campaign');
	mkdirSync(folder, { recursive: true });
	const copy = mkdtempSync(path.join(folder, 'mutant-'));
	cpSync(dist, copy, { recursive: true });
	const changed = path.join(copy, file);
	writeFileSync(
		changed,
		readFileSync(changed, 'utf8').replace(find, () => replace),
	);
	return copy;
}
