/** What lint looks at after a change. */
import { expect, it } from 'vitest';

import { affectedFiles, type Passed } from '../../scripts/affected.mts';

const passed: Passed = {
	code: { 'a.mts': '1', 'b.mts': '1', 'c.mts': '1', 'd.mts': '1' },
	settings: { 'tsconfig.json': '1' },
};
// a ← b ← c, and b ← a, which dependency-cruiser would complain about
const modules = () => [
	{ source: 'a.mts', dependents: ['b.mts'] },
	{ source: 'b.mts', dependents: ['c.mts', 'a.mts'] },
	{ source: 'c.mts', dependents: [] },
	{ source: 'd.mts', dependents: [] },
];
const never = () => expect.fail('who imports whom does not matter');

it.each([
	['a.mts', ['a.mts', 'b.mts', 'c.mts']],
	['c.mts', ['c.mts']],
	['d.mts', ['d.mts']],
	['new.mts', ['new.mts']],
])('a change of %s concerns it and all that import it, however indirectly', (file, expected) => {
	const now = { ...passed, code: { ...passed.code, [file]: '2' } };
	expect(affectedFiles(now, passed, modules)).toEqual(expected);
});

it('nothing if nothing has changed, and what was deleted is not looked at', () => {
	expect(affectedFiles(passed, passed, never)).toEqual([]);
	expect(affectedFiles({ ...passed, code: { 'b.mts': '1' } }, passed, never)).toEqual([]);
});

it.each([
	['a setting has changed', { ...passed, settings: { 'tsconfig.json': '2' } }, passed],
	['a setting is new', { ...passed, settings: { ...passed.settings, 'x.d.ts': '1' } }, passed],
	['a setting is gone', { ...passed, settings: {} }, passed],
	['it has never passed', passed, undefined],
])('all, if %s', (_, now, before) => {
	expect(affectedFiles(now, before, never)).toEqual(['.']);
});
