import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readAcceptAnswer } from '../../../nodes/BacklinkExchange/resources/exchange/acceptAnswer.ts';
import { parseJson } from '../../../nodes/shared/body.ts';
import type { Outcome, ServiceConnection } from '../../../nodes/shared/connection.ts';

const id = 'exc_1';
const connection = { withoutKey: (text: string) => text } as unknown as ServiceConnection;

function answer(statusCode: number, body: unknown) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const response = { url: '', statusCode, headers: {}, text, json: parseJson(text) };
	const outcome: Outcome = { kind: 'answered', response };
	return readAcceptAnswer(connection, outcome, id);
}

test.each([
	[204, ''],
	[200, { id, status: 'accepted' }],
	[201, { id, status: 'live' }],
	[200, { id }],
	[200, { exchange: { id, status: 'accepted' } }],
	[200, { data: { id, status: 'accepted' } }],
	[200, { status: 'success', data: { exchange: { id } } }],
	[200, { success: true, error: null, errors: [], data: { id } }],
	[200, { ok: true }],
	[200, { ok: 'TRUE', id }],
	[200, { code: 200, message: 'Done' }],
	[200, { id: 7, exchange_id: 7 }],
])('HTTP %i with %j is believed', (status, body) => {
	const read = (ofId: string) => {
		const text = typeof body === 'string' ? body : JSON.stringify(body);
		const response = { url: '', statusCode: status, headers: {}, text, json: parseJson(text) };
		return readAcceptAnswer(connection, { kind: 'answered', response }, ofId).kind;
	};
	expect(read(JSON.stringify(body).includes('7') ? '7' : id)).toBe('accepted');
});

test.each([
	[202, { id, status: 'accepted' }],
	[202, ''],
	[200, ''],
	[201, ' '],
	[200, {}],
	[204, {}],
	[200, { id, status: true }],
	[200, { id, status: 'success' }],
	[200, '<html>'],
	[200, 'ok'],
	[200, []],
	[200, [{ id, status: 'accepted' }]],
	[200, null],
	[200, 'null'],
	[200, true],
	[200, { error: { code: 'insufficient_credits', message: 'You need 10 credits' } }],
	[200, { error: 'no' }],
	[200, { error: true, id }],
	[200, { errors: [{ message: 'no' }], id, status: 'accepted' }],
	[200, { data: { error: { code: 'x' } } }],
	[200, { success: false }],
	[200, { result: 'okay, but not yet' }],
	[200, { result: 'not accepted' }],
	[200, { success: 'false', data: { id, status: 'accepted' } }],
	[200, { ok: 0, id }],
	[200, { status: 'error', data: null }],
	[200, { status: 'fail', data: { id } }],
	[200, { id, status: 'pending' }],
	[200, { id, status: 'processing' }],
	[200, { id, state: 'queued' }],
	[200, { id, status: ['accepted'] }],
	[200, { id, status: 500 }],
	[200, { exchange: { id, status: 'broken' } }],
	[200, { id: 'exc_2', status: 'accepted' }],
	[200, { id, exchange: { id: 'exc_2', status: 'accepted' } }],
	[200, { id: { toString: 1 }, status: 'accepted' }],
	[200, { code: 'insufficient_credits', message: 'You need 10 credits' }],
	[200, { message: 'You need 10 credits' }],
	[200, { accepted: false }],
	[200, { data: null }],
	[302, ''],
	[303, ''],
])('HTTP %i with %j is a doubt', (status, body) => {
	const read = answer(status, body);
	expect(read.kind).toBe('inDoubt');
	expect(read).toHaveProperty('cause', expect.stringContaining(`HTTP ${status}`));
});

test.each([400, 404, 409, 410, 422])('HTTP %i may mean that the offer is not pending', (status) => {
	expect(answer(status, { error: { code: 'not_pending', message: 'no' } }).kind).toBe('refused');
	expect(answer(status, '<html>').kind).toBe('refused');
	const poor = { error: { code: 'insufficient_credits', message: 'no' } };
	expect(answer(status, poor).kind).toBe('declined');
});

test.each([301, 307, 308, 407])('HTTP %i declines', (status) => {
	expect(answer(status, '').kind).toBe('declined');
});

test.each([401, 402, 403, 405, 413, 451])(
	"HTTP %i declines in the service's own words; from a proxy, the list tells",
	(status) => {
		expect(answer(status, { error: { code: 'no', message: 'no' } }).kind).toBe('declined');
		for (const body of ['', '<html>', { error: 'no' }, { error: {} }]) {
			expect(answer(status, body).kind).toBe('refused');
		}
	},
);

test('what was never sent and what is ambiguous are told apart', () => {
	const read = (outcome: Outcome) => readAcceptAnswer(connection, outcome, id).kind;
	expect(read({ kind: 'unreachable', error: { code: 'ECONNREFUSED', neverSent: true } })).toBe(
		'notSent',
	);
	expect(read({ kind: 'ambiguous', cause: 'HTTP 500' })).toBe('inDoubt');
});

test('whatever a 2xx carries, it is believed only with this ID or a good word in it', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (body) => {
			const read = answer(200, body);
			return (
				read.kind === 'inDoubt' || /exc_1|accepted|live|ok|succe|true|20/.test(JSON.stringify(body))
			);
		}),
	);
});

test('the record of the answer comes along, wherever it stands', () => {
	const record = { id, status: 'accepted', anchor: 'tea' };
	for (const body of [record, { exchange: record }, { data: record }]) {
		expect(answer(200, body)).toEqual({ kind: 'accepted', record });
	}
	expect(answer(204, '')).toEqual({ kind: 'accepted' });
});
