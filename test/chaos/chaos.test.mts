/** A service that means harm: nonsense from each endpoint, and attacks. A process survives all of it and says so plainly. */
import { expect, test } from 'vitest';

import { useVirtualTime } from '../engine/virtualTime.mts';
import { meetNonsense, targets } from './chaos.mts';
import { attacks, suffer } from './hostileService.mts';

useVirtualTime();

test.each(targets)('nonsense from $endpoint', { timeout: 120_000 }, async (target) => {
	const { answers, noticed, contradictions } = await meetNonsense(target, 120, 1);
	expect(contradictions).toEqual([]);
	expect(answers).toBeGreaterThanOrEqual(120);
	// Nonsense is noticed, and what can be understood is used.
	expect(noticed).toBeGreaterThan(0);
});

test('an alert whose exchange cannot be made a text', async () => {
	const target = targets.find(({ endpoint }) => endpoint === 'GET /watchdog/events, polled');
	if (target === undefined) throw new Error('the target is missing');
	// Among these seeds is such an object, in the place of exchange_id.
	const { contradictions } = await meetNonsense(target, 30, 2800);
	expect(contradictions).toEqual([]);
});

// With little of what is large. All of it, and each text in each header, takes minutes: npm run test:long -- chaos.
const some = Object.keys(attacks).filter((name) => !/text \d+$|, too many$/.test(name));
test.each(some)('an attack, %s', { timeout: 120_000 }, async (name) => {
	expect(await suffer(name, 100_000)).toEqual([]);
});
