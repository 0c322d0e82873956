/** Which state an exchange is in, of which several records were read. */
import { expect, test } from 'vitest';

import { furthest, type State } from '../../../../nodes/shared/reading/state.ts';

test.each<[states: string[], state: State | undefined, place: number]>([
	[['live', 'accepted', 'pending'], 'live', 0],
	[['live', 'broken', 'live'], 'broken', 1],
	// The later one was read later.
	[['live', 'live'], 'live', 1],
	// It may be further than pending.
	[['archived', 'pending'], undefined, 0],
	[['accepted', 'archived'], 'accepted', 0],
	[[], undefined, -1],
])('of %j the furthest is %s, at %i', (states, state, place) => {
	const records = states.map((status) => ({ status }));
	const found = furthest(records);
	expect(found).toEqual({ state, record: records[place] });
	expect(found.record).toBe(records[place]);
});
