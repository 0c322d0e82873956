/**
 * Answers that are not in any list of variants: to an accept, any status with any JSON; for a balance, what must not be read as one; for
 * a list, entries written in odd ways. The sandbox's books record what really happened.
 */
import fc from 'fast-check';

import type { Fault } from '../../sandbox/faults.mts';
import { named, someOf } from './draw.mts';

const ids = ['x0', 'x1', 'x2', 'x3'];

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
const state: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 6, arbitrary: words },
	{ weight: 1, arbitrary: words.map((name) => ({ name })) },
	{ weight: 1, arbitrary: words.map((value) => ({ value })) },
	{ weight: 1, arbitrary: fc.constantFrom<unknown>(true, 1, 2, null, ['accepted'], {}) },
);
const id: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 8, arbitrary: fc.constant('$id') },
	{
		weight: 2,
		arbitrary: fc.constantFrom<unknown>(...ids, 'x0 ', 0, null, ['$id'], { id: '$id' }),
	},
);
const any = fc.jsonValue({ maxDepth: 2 });

/** What may stand beside anything: words of success or of failure. */
const beside: fc.Arbitrary<Record<string, unknown>> = someOf(
	fc.oneof(
		named<string, unknown>('success', fc.constantFrom<unknown>(true, false, 'false', 0, null)),
		named<string, unknown>('ok', fc.boolean()),
		named<string, unknown>('accepted', fc.boolean()),
		named<string, unknown>(
			'error',
			fc.constantFrom<unknown>(
				{ code: 'limit_reached', message: 'No more today' },
				{ code: 'insufficient_credits', message: 'You need 10 credits, but you have 0.' },
				'not possible',
				true,
				null,
				{},
			),
		),
		named<string, unknown>('errors', fc.constantFrom<unknown>([], ['no'], [{ message: 'no' }])),
		named<string, unknown>('error_code', fc.constantFrom<unknown>('E1', 0)),
		named<string, unknown>('message', fc.constantFrom('queued', 'Accepted', 'Not accepted')),
		named<string, unknown>('status', fc.oneof(state, fc.constantFrom<unknown>(200, 409))),
		named<string, unknown>('exchange', fc.record({ id, status: state })),
		named<string, unknown>('extra', any),
	),
);

const bare = (inner: unknown): unknown => inner;
const wrappers: Array<(inner: unknown) => unknown> = [
	bare,
	bare,
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

const plainState = fc.constantFrom('accepted', 'accepted', 'live', 'Accepted');
/** What speaks against a record, in it or in a part of it. */
const failure: fc.Arbitrary<Record<string, unknown>> = fc.constantFrom<Record<string, unknown>>(
	{ success: false },
	{ ok: 'no' },
	{ accepted: false },
	{ error: 'not possible' },
	{ error: { code: 'limit_reached', message: 'No more today' } },
	{ errors: ['no'] },
	{ error_code: 'E1', error_message: 'No' },
	{ result: { success: false } },
	{ payment: { error: { code: 'insufficient_credits', message: 'No' } } },
	{ transition: { status: 'pending' } },
	{ exchange: { id: 'x1', state: 'pending' } },
);
/** A plain record of the offer, or one in which a single thing is not as it should be. */
const almostPlain: fc.Arbitrary<unknown> = fc
	.tuple(
		fc.oneof(fc.constant(bare), fc.constantFrom(...wrappers)),
		plainState,
		state,
		id,
		failure,
		beside,
		fc.constantFrom('exchange_id', 'ID', 'reference'),
		fc.constantFrom('exchange_status', 'result', 'Status'),
		fc.constantFrom(
			...['nothing', 'state', 'second state', 'id', 'in it', 'in it', 'in it', 'around it'],
			...['name of the id', 'name of the state'],
		),
	)
	.map(([wrap, plain, otherState, otherId, no, others, idName, stateName, changed]) => {
		const inner = {
			[changed === 'name of the id' ? idName : 'id']: changed === 'id' ? otherId : '$id',
			[changed === 'name of the state' ? stateName : 'status']:
				changed === 'state' ? otherState : plain,
			...(changed === 'second state' && { state: otherState }),
			...(changed === 'in it' && no),
		};
		const wrapped = wrap(inner);
		const isAround = changed === 'around it' && !Array.isArray(wrapped);
		return isAround ? { ...others, ...(wrapped as object) } : wrapped;
	});

const body: fc.Arbitrary<string> = fc.oneof(
	{ weight: 32, arbitrary: almostPlain.map((json) => JSON.stringify(json)) },
	{ weight: 3, arbitrary: beside.map((json) => JSON.stringify(json)) },
	{ weight: 2, arbitrary: any.map((json) => JSON.stringify(json)) },
	{ weight: 3, arbitrary: fc.constantFrom('', '', ' \n') },
	{
		weight: 1,
		arbitrary: fc.constantFrom('OK', 'accepted', '{"id":"$id","status":"accepted"', '<p>'),
	},
);

const success = fc.constantFrom(200, 200, 200, 200, 201, 202, 203, 204, 206, 299);
const otherStatus = fc.constantFrom(
	...[300, 301, 302, 303, 304, 307, 308],
	...[400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 412, 418, 422, 423, 424, 425, 451, 499],
	...[500, 501, 502, 503, 504, 520, 599],
);
const status = fc.oneof({ weight: 3, arbitrary: success }, { weight: 1, arbitrary: otherStatus });

/** An answer to the accept of an offer, and whether that was carried out. */
const toAccept: fc.Arbitrary<Fault> = fc
	.tuple(
		fc.constantFrom(...ids),
		fc.constantFrom(
			'answer-before-commit' as const,
			'answer-before-commit' as const,
			'answer-after-commit' as const,
		),
		status,
		body,
		fc.constantFrom(1, 1, 1, 2, 7),
	)
	.map(([offer, kind, code, text, times]) => ({
		kind,
		times,
		method: 'POST',
		path: `/api/exchanges/${offer}/accept`,
		status: code,
		body: text.replaceAll('$id', offer),
	}));

/** None of these says what the balance is. */
const noBalance = fc.constantFrom<unknown>(
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
const toBalance: fc.Arbitrary<Fault> = fc
	.tuple(noBalance, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 7 }))
	.map(([json, after, times]) => ({
		kind: 'answer-after-commit' as const,
		method: 'GET',
		path: '/api/credits',
		status: 200,
		body: JSON.stringify(json),
		after,
		times,
	}));

const ofList: fc.Arbitrary<Fault> = fc
	.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 3 }), fc.constantFrom(1, 3, 7, 1000))
	.map(([seed, after, times]) => ({
		kind: 'odd-entries' as const,
		method: 'GET',
		path: '/api/exchanges',
		seed,
		after,
		times,
	}));

export const answer: fc.Arbitrary<Fault> = fc.oneof(
	{ weight: 5, arbitrary: toAccept },
	{ weight: 1, arbitrary: toBalance },
	{ weight: 2, arbitrary: ofList },
);
