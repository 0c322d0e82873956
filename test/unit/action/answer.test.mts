/** What an answer to an accept is evidence of. Any answer of a grammar: test/campaign/evidence.test.mts. */
import { expect, test } from 'vitest';

import { readAnswer } from '../../../nodes/BacklinkExchange/resources/exchange/accept/answer.ts';
import { parseJson } from '../../../nodes/shared/service/body.ts';
import type { Outcome } from '../../../nodes/shared/service/connection.ts';

const id = 'exc_1';
const url = 'https://service.example/api/exchanges/exc_1/accept';
const record = { id, status: 'accepted' };

function answer(statusCode: number, body: unknown, wanted = id) {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const response = { url, receivedAt: 0, statusCode, headers: {}, text, json: parseJson(text) };
	return readAnswer({ kind: 'answered', response }, wanted);
}

test('the record of the answer comes along, wherever it stands', () => {
	const whole = { ...record, anchor: 'tea' };
	for (const body of [whole, { exchange: whole }, { data: whole }, { data: { exchange: whole } }]) {
		expect(answer(200, body)).toEqual({ evidence: 'accepted', record: whole });
	}
	expect(answer(204, '')).toEqual({ evidence: 'accepted' });
});

test('a number is the ID that it is written as', () => {
	const body = '{"id": 7, "status": "accepted"}';
	expect([answer(200, body, '7').evidence, answer(200, body, '07').evidence]).toEqual([
		'accepted',
		'none',
	]);
});

const error = { code: 'x', message: 'y' };
test.each([
	[202, ''],
	[200, '<html>'],
	[200, { ...record, error }],
	[302, ''],
	[408, { error }],
	[425, { error }],
	[500, { error }],
])('HTTP %i with %j is evidence of nothing, and said', (status, body) => {
	const cause = expect.stringContaining(`HTTP ${status}`) as unknown;
	expect(answer(status, body)).toEqual({ evidence: 'none', cause });
});

const page = '<html>';
const poor = { error: { code: 'insufficient_credits', message: 'no' } };
test.each([
	["may mean that the offer is not pending, in the service's own words", { error }, true],
	['may mean so, or be the word of a proxy', page, true],
	['for want of credits means what it says', poor, false],
])('400, 404, 409, 410 or 422 %s', (_, body, mayBeAccepted) => {
	for (const status of [400, 404, 409, 410, 422]) {
		expect(answer(status, body)).toMatchObject({ evidence: 'refused', mayBeAccepted });
	}
});

test.each([
	["in the service's own words is a refusal", [{ error }], false],
	['from a proxy leaves it to the list', ['', page, { error: 'no' }, { error: {} }], true],
])('401, 402, 403, 405, 413 or 451 %s', (_, bodies, mayBeAccepted) => {
	for (const status of [401, 402, 403, 405, 413, 451]) {
		for (const body of bodies) {
			expect(answer(status, body)).toMatchObject({ evidence: 'refused', mayBeAccepted });
		}
	}
});

test('a proxy that asks for a login passed nothing on', () => {
	expect(answer(407, '')).toMatchObject({ evidence: 'refused', mayBeAccepted: false });
});

test('what was never sent and what is ambiguous are distinguished', () => {
	const read = (outcome: Outcome) => readAnswer(outcome, id).evidence;
	const refused = { code: 'ECONNREFUSED', neverSent: true };
	expect(read({ kind: 'unreachable', error: refused, url })).toBe('notSent');
	expect(read({ kind: 'ambiguous', cause: 'HTTP 500' })).toBe('none');
});
