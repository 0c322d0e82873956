/** npm run campaign [-- --seed 1 --cases 500 --parallel 40]: the fault campaign, by default in full. */
import { parseArgs } from 'node:util';

import { runCases } from './campaign.mts';
import { allCases, someCases } from './cases.mts';

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: '1' },
		cases: { type: 'string' },
		parallel: { type: 'string', default: '40' },
	},
});
const seed = Number(values.seed);
const cases = values.cases === undefined ? allCases(seed) : someCases(seed, Number(values.cases));
console.log(`${cases.length} cases with seed ${seed}, ${values.parallel} at a time`);

let passed = 0;
let failed = 0;
await runCases(cases, Number(values.parallel), (given, wrong) => {
	if (wrong.length === 0) passed++;
	else {
		failed++;
		console.log(`${wrong.join('; ')}\n  in ${JSON.stringify(given)}`);
	}
	if ((passed + failed) % 200 === 0) console.log(`${passed + failed} of ${cases.length}`);
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
