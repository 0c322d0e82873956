import { expect, test } from 'vitest';

import { BoundedMap } from '../../../nodes/shared/boundedMap.ts';

test('with one entry more than it may have, that is forgotten which was set the longest ago', () => {
	const map = new BoundedMap<string, number>(3);
	map.set('a', 1).set('b', 2).set('c', 3);
	expect([...map]).toEqual([
		['a', 1],
		['b', 2],
		['c', 3],
	]);
	// Set again, it is the newest; read, it stays as old as it was.
	map.set('a', 4);
	expect(map.get('b')).toBe(2);
	map.set('d', 5);
	expect([...map]).toEqual([
		['c', 3],
		['a', 4],
		['d', 5],
	]);
});
