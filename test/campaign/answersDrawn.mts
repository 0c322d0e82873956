/**
 * Answers that are not in any list of variants: to an accept, any status with any JSON; for a balance, what must not be read as one; for
 * a list, entries written in odd ways. The sandbox's books record what really happened.
 */
import fc from 'fast-check';

import type { Fault } from '../../sandbox/faults.mts';
import { named, object, someOf, weighted } from './draw.mts';

type Json = Record<string, unknown>;

const anyOf = (...values: unknown[]): fc.Arbitrary<unknown> => fc.constantFrom(...values);

const words = fc.constantFrom(
	...['accepted', 'accepted', 'accepted', 'live', 'pending', 'broken', 'ACCEPTED', ' Live '],
	...[
		'queued',
		'processing',
		'accepting',
		'not accepted',
		'rejected',
		'error',
		'ok',
		'',
		'unknown',
	],
);
const state: fc.Arbitrary<unknown> = weighted(
	[6, words],
	[1, words.map((name) => ({ name }))],
	[1, words.map((value) => ({ value }))],
	[1, anyOf(true, 1, 2, null, ['accepted'], {})],
);
const ids = ['x0', 'x1', 'x2', 'x3'];
const id = weighted([8, '$id'], [2, anyOf(...ids, 'x0 ', 0, null, ['$id'], { id: '$id' })]);
const any = fc.jsonValue({ maxDepth: 2 });

const limitReached = { code: 'limit_reached', message: 'No more today' };
const noCredits = { code: 'insufficient_credits', message: 'You need 10 credits, but you have 0.' };

/** What may stand beside anything: words of success or of failure. */
const beside = someOf(
	fc.oneof(
		named('success', anyOf(true, false, 'false', 0, null)),
		named('ok', fc.boolean()),
		named('accepted', fc.boolean()),
		named('error', anyOf(limitReached, noCredits, 'not possible', true, null, {})),
		named('errors', anyOf([], ['no'], [{ message: 'no' }])),
		named('error_code', anyOf('E1', 0)),
		named('message', anyOf('queued', 'Accepted', 'Not accepted')),
		named('status', fc.oneof(state, anyOf(200, 409))),
		named('exchange', fc.record({ id, status: state })),
		named('extra', any),
	),
);

type Wrap = (inner: unknown) => unknown;
const bare: Wrap = (inner) => inner;
const wrappers: Wrap[] = [
	(inner) => ({ exchange: inner }),
	(inner) => ({ data: inner }),
	(inner) => ({ data: { exchange: inner } }),
	(inner) => ({ exchange: { data: inner } }),
	(inner) => ({ result: inner }),
	(inner) => ({ offer: inner }),
	(inner) => [inner],
	(inner) => ({ exchanges: [inner] }),
	(inner) => ({ data: { data: { data: inner } } }),
];
const wrap = weighted([13, bare], [9, fc.constantFrom(...wrappers)]);

/** What speaks against a record, in it or in a part of it. */
const failure = fc.constantFrom<Json[]>(
	{ success: false },
	{ ok: 'no' },
	{ accepted: false },
	{ error: 'not possible' },
	{ error: limitReached },
	{ errors: ['no'] },
	{ error_code: 'E1', error_message: 'No' },
	{ result: { success: false } },
	{ payment: { error: noCredits } },
	{ transition: { status: 'pending' } },
	{ exchange: { id: 'x1', state: 'pending' } },
);

const plain = object<Json>({
	id: '$id',
	status: fc.constantFrom('accepted', 'accepted', 'live', 'Accepted'),
});
const idName = fc.constantFrom('exchange_id', 'ID', 'reference');
const stateName = fc.constantFrom('exchange_status', 'result', 'Status');
/** A plain record of the offer, or one in which a single thing is not as it should be. */
const almostPlain: fc.Arbitrary<Json> = weighted(
	[1, plain],
	[1, fc.tuple(plain, state).map(([record, status]) => ({ ...record, status }))],
	[1, fc.tuple(plain, state).map(([record, second]) => ({ ...record, state: second }))],
	[1, fc.tuple(plain, id).map(([record, another]) => ({ ...record, id: another }))],
	[1, fc.tuple(plain, idName).map(([{ status }, name]) => ({ [name]: '$id', status }))],
	[1, fc.tuple(plain, stateName).map(([{ status }, name]) => ({ id: '$id', [name]: status }))],
	[3, fc.tuple(plain, failure).map(([record, no]) => ({ ...record, ...no }))],
);
const wrapped = fc.tuple(wrap, almostPlain).map(([put, record]) => put(record));
const withOthers = fc.tuple(wrap, plain, beside).map(([put, record, others]) => {
	const json = put(record);
	return Array.isArray(json) ? json : { ...others, ...(json as Json) };
});

const body: fc.Arbitrary<string> = weighted(
	[32, weighted([9, wrapped], [1, withOthers]).map((json) => JSON.stringify(json))],
	[3, beside.map((json) => JSON.stringify(json))],
	[2, any.map((json) => JSON.stringify(json))],
	[3, fc.constantFrom('', '', ' \n')],
	[1, fc.constantFrom('OK', 'accepted', '{"id":"$id","status":"accepted"', '<p>')],
);

const status = weighted(
	[3, fc.constantFrom(200, 200, 200, 200, 201, 202, 203, 204, 206, 299)],
	[
		1,
		fc.constantFrom(
			...[300, 301, 302, 303, 304, 307, 308],
			...[400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 412, 418, 422, 423, 424, 425, 451, 499],
			...[500, 501, 502, 503, 504, 520, 599],
		),
	],
);

/** An answer to the accept of an offer, and whether that was carried out. */
const toAccept = fc
	.tuple(
		fc.constantFrom(...ids),
		body,
		object<Fault>({
			kind: fc.constantFrom('answer-before-commit', 'answer-before-commit', 'answer-after-commit'),
			times: fc.constantFrom(1, 1, 1, 2, 7),
			method: 'POST',
			status,
		}),
	)
	.map(([offer, text, fault]) => ({
		...fault,
		path: `/api/exchanges/${offer}/accept`,
		body: text.replaceAll('$id', offer),
	}));

/** None of these says what the balance is. */
const noBalance = anyOf(
	{ balance: 9999, error: { code: 'stale', message: 'Not available' } },
	{ balance: 9999, success: false },
	{ data: { balance: 9999 }, error: 'stale' },
	{ balance: '9999' },
	{ balance: 9999.5 },
	{ balance: null },
	{ balance: [9999] },
	{ balance: { amount: 9999 } },
	{ credits: 9999 },
	{},
	[9999],
	9999,
);
const toBalance = object<Fault>({
	kind: 'answer-after-commit',
	method: 'GET',
	path: '/api/credits',
	status: 200,
	body: noBalance.map((json) => JSON.stringify(json)),
	after: fc.nat({ max: 3 }),
	times: fc.integer({ min: 1, max: 7 }),
});

const ofList = object<Fault>({
	kind: 'odd-entries',
	method: 'GET',
	path: '/api/exchanges',
	seed: fc.nat({ max: 10_000 }),
	after: fc.nat({ max: 3 }),
	times: fc.constantFrom(1, 3, 7, 1000),
});

export const answer = weighted([5, toAccept], [1, toBalance], [2, ofList]);
