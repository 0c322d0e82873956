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
			'const state = known === ',
			'const state = read[0] !== undefined ? read[0] : known === ',
		],
		[
			'states: an unreadable entry beside a pending one does not count',
			"known === 'pending' && read.includes(undefined) ? undefined : known",
			'known',
		],
	),
	...mutants(
		`${accept}/journal.js`,
		[
			'journal: nothing is written before sending',
			'entry.requests.push((0, time_1.steadyNow)());',
			'',
		],
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
			'other !== key && (requests.length > 0 ||',
			'other !== key && ((requests.length > 0 && this.attempt(other).result !== undefined) ||',
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
		' < recent && this.#isUnspent',
		' < recent',
	]),
	...mutants(
		'nodes/BacklinkExchange/nodeRecord.js',
		[
			'claims: none is written',
			'async claim(names, signal) {',
			'async claim(names, signal) { return true;',
		],
		[
			'claims: one that was there counts as ours',
			'isOurs = known.has(token);',
			'isOurs = tries === 0 || known.has(token);',
		],
		[
			'claims: a token that is gone counts as there',
			'isOurs = known.has(token);',
			'isOurs = tries > 0;',
		],
	),
	...mutants(
		`${accept}/acceptOffer.js`,
		[
			'recipe: what no list shows is sent again',
			'if (state === undefined)\n        return (0, result_1.unknownOutcome)',
			'if (false)\n        return (0, result_1.unknownOutcome)',
		],
		[
			'recipe: an offer in a state that cannot be read is sent',
			'if (record === undefined || state !== undefined)',
			'if (true)',
		],
		[
			'recipe: an outcome that nobody saw is accepted',
			'(await check(offer)) ?? (0, result_1.stillPending)',
			"(await check(offer).then(() => seen(offer, 'readBack'))) ?? (0, result_1.stillPending)",
		],
	),
	...mutants(
		`${accept}Many/rules.js`,
		[
			'rules: a refused partner is accepted',
			'(name, refused, subdomains)',
			'(name, [], subdomains)',
		],
		[
			'rules: who is not listed is accepted',
			'(partner, allowed, subdomains)',
			'(partner, [partner], subdomains)',
		],
		['rules: a refused word is accepted', 'if (found !== undefined)', 'if (false)'],
	),
	...mutants(
		`${accept}Many/acceptMany.js`,
		[
			'Accept Many: Max per Day counts nothing',
			'today.size - Number(today.has(key)) >= maxPerDay',
			'false',
		],
		['Accept Many: what is in doubt has failed', "? 'unknown' : 'failed'", "? 'failed' : 'failed'"],
	),
	...mutants('nodes/BacklinkExchange/runItems.js', [
		'Accept Many: what n8n runs again counts as returned',
		'.retryOnFail === true &&',
		'.retryOnFail === true && false &&',
	]),
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
