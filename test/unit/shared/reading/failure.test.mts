/** What in a body denies success, although the status does not. */
import { expect, test } from 'vitest';

import { failureIn } from '../../../../nodes/shared/reading/failure.ts';

test.each([
	[
		{ error: { message: 'no more offers', code: 'limit_reached' } },
		'with an error in it: no more offers, limit_reached',
	],
	[{ error: { code: 'limit_reached' } }, 'with an error in it: limit_reached'],
	[{ errors: ['no'] }, 'with an error in it'],
	[{ error_code: 17 }, 'with an error in it'],
	[{ Error: { any: 1 } }, 'with an error in it'],
	[{ data: { site: { error: 'no' } } }, 'with an error in it'],
	[{ success: false }, 'with "success": false'],
	[{ ok: 0 }, 'with "ok": 0'],
	[{ ok: 'not ok' }, 'with "ok": "not ok"'],
	[{ ok: 'okay?' }, 'with "ok": "okay?"'],
	[{ status: 'Failed' }, 'with "status": "Failed"'],
])('%j speaks against it: %s', (json, words) => {
	expect(failureIn(json)).toBe(words);
});

test.each([
	undefined,
	{ error: null, errors: [], error_code: 0, error_details: {}, success: true, ok: 1 },
	{ success: null, ok: 'Yes', succeeded: 'true' },
	{ status: 'success' },
	{ status: ['error'] },
	// Of a record, the status is its own.
	{ id: 'exc_1', status: 'failed' },
	// Deeper than anything is wrapped.
	{ data: { data: { data: { error: 'no' } } } },
])('%j says nothing against it', (json) => {
	expect(failureIn(json)).toBeUndefined();
});
