import { expect, test } from 'vitest';

import { useVirtualTime } from '../engine/virtualTime.mts';
import { meetNonsense, targets } from './chaos.mts';

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
