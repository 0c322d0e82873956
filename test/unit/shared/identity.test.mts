/** What names a record, and what is the same record. */
import { expect, test } from 'vitest';

import { byId, hash, idOf, plainText } from '../../../nodes/shared/identity.ts';

test('records with one ID are together, in their order; one without an ID stands alone', () => {
	const records = [{ id: 'a', at: 1 }, { at: 2 }, { id: 'b' }, { id: 'a', at: 3 }, { at: 2 }];
	const [first, none, other, again, another] = records;
	expect([...byId(records).values()]).toEqual([[first, again], [none], [other], [another]]);
});

test('an ID is a text or a number with a sign in it, of 500 characters at most', () => {
	const ids = [17, 'a'.repeat(500), 'a'.repeat(501), ' ', null, ['a']];
	const none = undefined;
	expect(ids.map((id) => idOf({ id }))).toEqual(['17', ids[1], none, none, none, none]);
});

test('a number and its text are the same ID, and nothing else becomes a text', () => {
	expect([17, '17', true, undefined].map(plainText)).toEqual(['17', '17', true, undefined]);
});

test('the order of the fields makes no other content', () => {
	expect(hash({ one: 1, two: [{ a: 1, b: 2 }] })).toBe(hash({ two: [{ b: 2, a: 1 }], one: 1 }));
	expect(hash({ one: [1, 2] })).not.toBe(hash({ one: [2, 1] }));
});
