import { expect, test } from 'vitest';

import { useVirtualTime } from '../engine/virtualTime.mts';
import { runCases } from './campaign.mts';
import { someCases } from './cases.mts';

useVirtualTime();

/** The whole campaign: npm run campaign. */
const cases = 60;

test('under faults, no exchange is paid twice and no outcome differs from the books', async () => {
	const found: string[] = [];
	let done = 0;
	await runCases(someCases(1, cases), 20, (given, wrong) => {
		done++;
		found.push(...wrong.map((text) => `${text} in ${JSON.stringify(given)}`));
	});
	expect(found).toEqual([]);
	expect(done).toBe(cases);
}, 300_000);
