/**
 * Searches for a forged delivery that gets in, an honest one that does not, an exception, or a verification that takes long.
 * `npm run test:long -- fuzz` runs for an hour; `npm run test:long -- fuzz 5` for five minutes. A counterexample is printed with its seed.
 */
import { checkSignatures } from './signatures.mts';

/** For one delivery: far more than the largest takes, even on a slow machine. */
const longestMilliseconds = 1000;

const minutes = Number(process.argv[2] ?? 60);
const runsPerRound = 20_000;

const end = Date.now() + minutes * 60_000;
let rounds = 0;
do {
	checkSignatures(runsPerRound, longestMilliseconds);
	rounds++;
	const heap = Math.round(process.memoryUsage().heapUsed / 1e6);
	console.log(
		`${(rounds * runsPerRound).toLocaleString('en')} inputs, nothing found; heap ${heap} MB`,
	);
} while (Date.now() < end);
