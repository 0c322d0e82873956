/** What an answer to an accept is evidence of. Any answer of a grammar: test/campaign/evidence.test.mts. */
import { expect, test } from 'vitest';

import { readAnswer } from '../../../nodes/BacklinkExchange/resources/exchange/accept/answer.ts';
import { parseJson } from '../../../nodes/shared/service/body.ts';
import type { Outcome } from '../../../nodes/shared/service/connection.ts';

const id = 'exc_1';
const url = 'https://service.example/api/exchanges/exc_1/accept';

function answer(statusCode: number, body: unknown) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const response = {
		url,
		askedAt: 0,
		receivedAt: 0,
		statusCode,
		headers: {},
		text,
		json: parseJson(text),
	};
	const outcome: Outcome = { kind: 'answered', response };
	return readAnswer(outcome, id);
}

const record = { id, status: 'accepted' };

test.each([
	[204, ''],
	[201, ' '],
	[202, record],
	[201, { id, status: 'Live', anchor: 'tea', error: null, errors: [], success: true }],
	[200, { data: { exchange: { id, state: { name: ' ACCEPTED ' } } } }],
	[200, { ...record, accepted: true, from_site: { id: 'site_1', url: 'https://a.example' } }],
])('HTTP %i with %j is evidence of acceptance', (status, body) => {
	expect(answer(status, body).evidence).toBe('accepted');
});

test('a number is the ID that it is written as', () => {
	const text = '{"id": 7, "status": "accepted"}';
	const response = {
		url,
		askedAt: 0,
		receivedAt: 0,
		statusCode: 200,
		headers: {},
		text,
		json: parseJson(text),
	};
	const read = (wanted: string) => readAnswer({ kind: 'answered', response }, wanted).evidence;
	expect([read('7'), read('07')]).toEqual(['accepted', 'none']);
});

test.each([
	[202, ''],
	[200, {}],
	[200, { id }],
	[200, { status: 'accepted' }],
	[200, { id, status: 'accepted', state: 'queued' }],
	[200, { id: { toString: 1 }, status: 'accepted' }],
	[200, '<html>'],
	[200, { message: 'Not enough credits', exchange: record }],
	[200, { ...record, error: { code: 'insufficient_credits', message: 'You need 10 credits' } }],
	[200, { ...record, meta: { success: false } }],
	[200, { ...record, accepted: false }],
	[302, ''],
	[408, { error: { code: 'x', message: 'y' } }],
	[425, { error: { code: 'x', message: 'y' } }],
	[500, { error: { code: 'x', message: 'y' } }],
])('HTTP %i with %j is evidence of nothing', (status, body) => {
	const read = answer(status, body);
	expect(read.evidence).toBe('none');
	expect(read).toHaveProperty('cause', expect.stringContaining(`HTTP ${status}`));
});

test.each([400, 404, 409, 410, 422])('HTTP %i may mean that the offer is not pending', (status) => {
	const refusal = { evidence: 'refused', mayBeAccepted: true };
	expect(answer(status, { error: { code: 'not_pending', message: 'no' } })).toMatchObject(refusal);
	expect(answer(status, '<html>')).toMatchObject(refusal);
	const poor = { error: { code: 'insufficient_credits', message: 'no' } };
	expect(answer(status, poor)).toMatchObject({ evidence: 'refused', mayBeAccepted: false });
});

test.each([401, 402, 403, 405, 413, 451])(
	"HTTP %i is a refusal in the service's own words; from a proxy, the list tells",
	(status) => {
		const own = answer(status, { error: { code: 'no', message: 'no' } });
		expect(own).toMatchObject({ evidence: 'refused', mayBeAccepted: false });
		for (const body of ['', '<html>', { error: 'no' }, { error: {} }]) {
			expect(answer(status, body)).toMatchObject({ evidence: 'refused', mayBeAccepted: true });
		}
	},
);

test('a proxy that asks for a login passed nothing on', () => {
	expect(answer(407, '')).toMatchObject({ evidence: 'refused', mayBeAccepted: false });
});

test('what was never sent and what is ambiguous are distinguished', () => {
	const read = (outcome: Outcome) => readAnswer(outcome, id).evidence;
	expect(read({ kind: 'unreachable', error: { code: 'ECONNREFUSED', neverSent: true }, url })).toBe(
		'notSent',
	);
	expect(read({ kind: 'ambiguous', cause: 'HTTP 500' })).toBe('none');
});

test('the record of the answer comes along, wherever it stands', () => {
	const whole = { ...record, anchor: 'tea' };
	for (const body of [whole, { exchange: whole }, { data: whole }]) {
		expect(answer(200, body)).toEqual({ evidence: 'accepted', record: whole });
	}
	expect(answer(204, '')).toEqual({ evidence: 'accepted' });
});
